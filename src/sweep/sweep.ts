import type { SweepCall, SweepCell, SweepReport } from "../journal/sweep-report.ts";
import { isFailing } from "../journal/sweep-report.ts";
import type { Clock } from "../rules/clock.ts";
import type { Catalogue } from "../scenarios/catalogue.ts";
import { CellEvidence } from "./cell-evidence.ts";
import {
  describeCalls,
  firstOccurrences,
  type PlannedCell,
  planCells,
  requireCell,
  selectCells,
} from "./cells.ts";
import { faultOf, secondFaultsOf } from "./faults.ts";
import type { RecordedCall, Recording } from "./recording.ts";
import { againstBaseline, totalsOf } from "./results.ts";
import { Runs, type RunsOptions, type Words } from "./runs.ts";
import { callsOfStory, storyOf } from "./story.ts";
import type { Exit, Subject } from "./subject.ts";
import { judge, type Reference } from "./verdict.ts";

/** The options of a sweep. */
export interface SweepOptions extends RunsOptions {
  /** 2: also forces a second fault on the client's next call; default 1. */
  readonly depth?: 1 | 2 | undefined;
  /** Whether to sweep calls that the second reference run does not repeat; default false. */
  readonly unstable?: boolean | undefined;
  /** Operations, faults and labels. A cell runs if it matches one of each kind that is given. Default: all. */
  readonly only?: readonly string[] | undefined;
  /** The id of the only cell to run. */
  readonly cell?: string | undefined;
  /** Whether to list the cells in `not_run` instead of running them; default false. */
  readonly list?: boolean | undefined;
  /** The mildest verdict that fails the sweep; default `damaged`. */
  readonly failOn?: "damaged" | "failed" | undefined;
  /** An earlier report, whose failing cells are accepted. */
  readonly baseline?: Pick<SweepReport, "cells"> | undefined;
  /** Called after each run. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** The state of a sweep that runs. */
export interface Progress {
  readonly reference: SweepReport["reference"];
  /** Cells that have run, and all cells that are known so far. */
  readonly done: number;
  readonly total: number;
  /** The number of faults of these cells. */
  readonly faults: number;
  readonly totals: SweepReport["totals"];
  /** The cell that has just ended; undefined before the first one. */
  readonly latest: SweepCell | undefined;
}

/** The parts of a sweep that depend on the platform. */
export interface SweepPorts {
  /** Real time. */
  readonly clock: Clock;
  readonly catalogue: Catalogue;
  readonly version: string;
  /** Sentences about shortened waits, for the report. */
  readonly shortened: readonly string[];
}

const nothingStable =
  "no call of the client is stable, so there is nothing to sweep. Give each company a slug of its own, or sweep unstable calls with --unstable (in a test: unstable: true).";

const nothingRun =
  "the budget was used up before a cell ran. Give the sweep more time with --budget (in a test: budgetMs).";

const words: Words = {
  plain: "without faults",
  repair: "before you sweep it",
  inProcess: "sweep them with sweepTest() or sweep()",
};

/**
 * Runs the client twice without faults, then once for each cell, and compares what it leaves.
 * @throws SetupError if `only` or `cell` names something that the reference run does not have
 */
export function sweep(subject: Subject, options: SweepOptions, ports: SweepPorts): Promise<SweepReport> {
  return new Sweep(subject, options, ports).run();
}

class Sweep {
  readonly #subject: Subject;
  readonly #options: SweepOptions;
  readonly #ports: SweepPorts;
  readonly #runs: Runs;
  readonly #cells = new Map<string, SweepCell>();
  readonly #evidence = new CellEvidence();
  #reference: Reference | undefined;
  #known: PlannedCell[] = [];

  constructor(subject: Subject, options: SweepOptions, ports: SweepPorts) {
    this.#subject = subject;
    this.#options = options;
    this.#ports = ports;
    this.#runs = new Runs(subject, options, ports.clock);
  }

  run(): Promise<SweepReport> {
    return this.#runs.during(() => this.#run());
  }

  async #run(): Promise<SweepReport> {
    const taken = await this.#runs.takeReference(words);
    if (taken.problem !== undefined) return this.#report([], taken.problem, taken.exit);
    const { first, second } = taken;
    this.#reference = taken.reference;
    const { calls } = first.recording;
    const listed = describeCalls(first, second);
    const { unstable = false, cell, only = [] } = this.#options;
    const isIncluded = (call: SweepCall) => call.unstable === null || unstable || cell !== undefined;
    const planned = planCells(calls, listed, this.#ports.catalogue, isIncluded);
    if (planned.length === 0) return this.#report(listed, nothingStable, second.exit);
    this.#known = cell === undefined ? selectCells(planned, listed, only) : [requireCell(cell, planned)];
    this.#progress(undefined);
    if (!this.#options.list) await this.#runAll(this.#known);
    return this.#report(listed, this.#hasUsedUpBudget ? nothingRun : null);
  }

  /** A sweep that ran no cell must not pass. */
  get #hasUsedUpBudget(): boolean {
    const { list, stop } = this.#options;
    return !list && !stop?.aborted && this.#cells.size === 0;
  }

  async #runAll(cells: readonly PlannedCell[]): Promise<void> {
    const { depth = 1, cell } = this.#options;
    const second = await this.#runEach(cells);
    if (depth === 1 || cell !== undefined) return;
    this.#known = [...this.#known, ...second];
    await this.#runEach(second);
  }

  /** @returns the cells with a second fault that follow from those that the client survived */
  async #runEach(cells: readonly PlannedCell[]): Promise<PlannedCell[]> {
    const { depth = 1 } = this.#options;
    const second: PlannedCell[][] = [];
    const first = new Set(firstOccurrences(cells));
    await this.#runs.each(cells, async (cell, i) => {
      const { next } = await this.#runCell(cell);
      if (depth === 2 && first.has(cell)) second[i] = this.#followUps(cell, next);
    });
    return second.flat();
  }

  async #runCell({ id, call, callId, faults }: PlannedCell): Promise<Recording> {
    const { catalogue } = this.#ports;
    const patienceMs = this.#options.inspect ? Number.POSITIVE_INFINITY : this.#runs.patienceMs;
    const plan = { call, faults: faults.map((name) => faultOf(name, catalogue, patienceMs)) };
    const run = await this.#runs.run({ cell: id, plan });
    if (this.#runs.wasInterrupted(run)) return run.recording;
    const judgement = judge(run, this.#reference as Reference, faults, this.#runs.patienceMs);
    const told = callsOfStory(run.recording.calls, call.label);
    const requests = run.recording.evidenceOf(told);
    const cell: SweepCell = {
      ...{ id, label: call.label, operation: call.operation, call: callId, fault: faults.join("+") },
      ...judgement,
      repeat: this.#subject.repeat(id),
      story: storyOf(told),
      evidence: this.#evidence.kept(judgement.verdict, requests),
      ...this.#runs.tapeOf(id, judgement, requests),
      // The output of a suite that passes explains nothing.
      output: run.exit.outcome === "passed" ? null : run.exit.output,
      duration_ms: Math.round(run.durationMs),
    };
    this.#cells.set(id, cell);
    this.#progress(cell);
    return run.recording;
  }

  /** The cells with a second fault on the client's next call, if it survived the first. */
  #followUps({ id, call, callId, faults }: PlannedCell, next: RecordedCall | undefined): PlannedCell[] {
    if (!next || this.#cells.get(id)?.verdict !== "survived") return [];
    const seconds = secondFaultsOf(next, this.#ports.catalogue);
    return seconds.map((second) => ({ id: `${id}+${second}`, call, callId, faults: [...faults, second] }));
  }

  #progress(latest: SweepCell | undefined): void {
    this.#options.onProgress?.({
      reference: this.#runs.summary,
      done: this.#cells.size,
      total: this.#known.length,
      faults: new Set(this.#known.map(({ faults }) => faults[0])).size,
      totals: totalsOf([...this.#cells.values()]),
      latest,
    });
  }

  #report(calls: readonly SweepCall[], problem: string | null, exit?: Exit): SweepReport {
    const { failOn = "damaged", list, baseline } = this.#options;
    const cells = this.#known.flatMap(({ id }) => this.#cells.get(id) ?? []);
    const notRun = this.#known.filter(({ id }) => !this.#cells.has(id)).map(({ id }) => id);
    const { only, cell, depth } = this.#options;
    const isWhole = only === undefined && cell === undefined && notRun.length === 0;
    /** Whether the cell ran, or would have run if its call still existed. */
    const isDecided = (id: string) => this.#cells.has(id) || (isWhole && (depth === 2 || !id.includes("+")));
    const isBad = (each: Pick<SweepCell, "verdict">) => isFailing(each, failOn);
    const { accepted, no_longer } = againstBaseline(cells, baseline?.cells, isBad, isDecided);
    return {
      format: 1,
      version: this.#ports.version,
      client: this.#subject.name,
      exit_code: problem !== null || cells.filter(isBad).length > accepted.length ? 1 : 0,
      fail_on: failOn,
      problem,
      output: exit?.output ?? null,
      reference: this.#runs.summary,
      calls,
      cells,
      not_run: notRun,
      not_run_reason: notRun.length === 0 ? null : list ? "only listed" : this.#runs.whyEnded(),
      left_out: [...(this.#reference?.leftOut ?? [])].map(([label, fields]) => ({ label, fields })),
      shortened: this.#ports.shortened,
      totals: totalsOf(cells),
      accepted,
      no_longer,
    };
  }
}
