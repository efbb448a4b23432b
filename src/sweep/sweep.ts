import { maskBody } from "../journal/masking.ts";
import type { SweepCall, SweepCell, SweepReport, Verdict } from "../journal/sweep-report.ts";
import { isFailing, verdicts } from "../journal/sweep-report.ts";
import type { Clock } from "../rules/clock.ts";
import type { Catalogue } from "../scenarios/catalogue.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import {
  describeCalls,
  firstOccurrences,
  type PlannedCell,
  planCells,
  requireCell,
  selectCells,
} from "./cells.ts";
import { faultOf, isSilent, secondFaultsOf } from "./faults.ts";
import { type Plan, type RecordedCall, Recording } from "./recording.ts";
import { storyOf, withoutIds } from "./story.ts";
import type { Exit, Subject } from "./subject.ts";
import { findingsByCompany, judge, type Reference, type Run, referenceOf } from "./verdict.ts";

/** The options of a sweep. */
export interface SweepOptions {
  /** 2: also forces a second fault on the client's next call; default 1. */
  readonly depth?: 1 | 2 | undefined;
  /** Whether to sweep calls that the second reference run does not repeat; default false. */
  readonly unstable?: boolean | undefined;
  /** Ends the sweep after this many milliseconds; default: no limit. */
  readonly budgetMs?: number | undefined;
  /** The number of cells to run at the same time; default 1. */
  readonly jobs?: number | undefined;
  /** Operations, faults and labels. A cell runs if it matches one of each kind that is given. Default: all. */
  readonly only?: readonly string[] | undefined;
  /** How long a request may wait without a byte, in milliseconds; default 5000. */
  readonly patienceMs?: number | undefined;
  /** The id of the only cell to run. */
  readonly cell?: string | undefined;
  /** Whether to list the cells in `not_run` instead of running them; default false. */
  readonly list?: boolean | undefined;
  /** Whether the client runs under a debugger, without time limits; default false. */
  readonly inspect?: boolean | undefined;
  /** The mildest verdict that fails the sweep; default `damaged`. */
  readonly failOn?: "damaged" | "failed" | undefined;
  /** An earlier report, whose failing cells are accepted. */
  readonly baseline?: Pick<SweepReport, "cells"> | undefined;
  /** Interrupts the sweep. */
  readonly stop?: AbortSignal | undefined;
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

const defaultPatienceMs = 5000;

const nothingStable =
  "no call of the client is stable, so there is nothing to sweep. Give each company a slug of its own, or sweep unstable calls with --unstable (in a test: unstable: true).";

const nothingRun =
  "the budget was used up before a cell ran. Give the sweep more time with --budget (in a test: budgetMs).";

/** A longer timer would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** How long a receiver of webhooks may take after the client has ended. */
const settlingMs = 1000;

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
  readonly #patienceMs: number;
  readonly #startedMs: number;
  readonly #cells = new Map<string, SweepCell>();
  /** The time of the longer reference run. */
  #durationMs = 0;
  #reference: Reference | undefined;
  #summary: SweepReport["reference"] = { calls: 0, operations: 0, duration_ms: 0 };
  #known: PlannedCell[] = [];
  /** One for each run in progress; aborting it ends the run. */
  readonly #running = new Set<AbortController>();

  constructor(subject: Subject, options: SweepOptions, ports: SweepPorts) {
    this.#subject = subject;
    this.#options = options;
    this.#ports = ports;
    this.#patienceMs = options.patienceMs ?? defaultPatienceMs;
    this.#startedMs = ports.clock.ticks();
  }

  async run(): Promise<SweepReport> {
    const { stop } = this.#options;
    // Not one listener for each run: Node warns of more than ten.
    const interrupt = () => {
      for (const each of this.#running) each.abort();
    };
    stop?.addEventListener("abort", interrupt);
    try {
      return await this.#run();
    } finally {
      stop?.removeEventListener("abort", interrupt);
    }
  }

  async #run(): Promise<SweepReport> {
    const first = await this.#runOnce(undefined);
    const problem = this.#problemWith(first);
    if (problem) return this.#report([], problem, first.exit);
    this.#durationMs = first.durationMs;
    const second = await this.#runOnce(undefined);
    const secondProblem = this.#problemWith(second);
    if (secondProblem) return this.#report([], secondProblem, second.exit);
    this.#durationMs = Math.max(first.durationMs, second.durationMs);
    this.#reference = referenceOf(first, second);
    const { calls } = first.recording;
    this.#summary = {
      calls: calls.length,
      operations: new Set(calls.map(({ operation }) => operation)).size,
      duration_ms: Math.round(this.#durationMs),
    };
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

  #problemWith({ exit, recording }: Run): string | undefined {
    if (this.#options.stop?.aborted) return "interrupted during the reference run";
    if (exit.outcome === "stopped") {
      return "a run without faults did not end in time. Give a slow one more time with --budget (in a test: budgetMs). A command in watch mode never ends.";
    }
    if (exit.outcome !== "passed") {
      return `the client fails without faults: ${exit.message}. Repair it before you sweep it.`;
    }
    if (recording.calls.length > 0) return undefined;
    return "the sandbox received no requests. A command must use CARD_SANDBOX_URL, and a function the fetch of its sandbox. If the tests of a command start sandboxes of their own, as createSandbox() and sandboxTest() do, sweep them with sweepTest() or sweep().";
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
    const { jobs = 1, depth = 1 } = this.#options;
    const second: PlannedCell[][] = [];
    const queue = cells.map((cell, i) => ({ cell, i }));
    const first = new Set(firstOccurrences(cells));
    const work = async () => {
      for (let planned = queue.shift(); planned && this.#whyEnded() === null; planned = queue.shift()) {
        const { cell, i } = planned;
        const { next } = await this.#runCell(cell);
        if (depth === 2 && first.has(cell)) second[i] = this.#followUps(cell, next);
      }
    };
    const startNoMore = (error: unknown) => {
      queue.length = 0;
      throw error;
    };
    const workers = Array.from({ length: jobs }, () => work().catch(startNoMore));
    // No run goes on after an error is thrown.
    await Promise.allSettled(workers);
    await Promise.all(workers);
    return second.flat();
  }

  /** Why no further cell runs; null: more can run. */
  #whyEnded(): string | null {
    const { stop, budgetMs } = this.#options;
    if (stop?.aborted) return "interrupted";
    if (budgetMs === undefined || this.#ports.clock.ticks() - this.#startedMs < budgetMs) return null;
    return "the budget was used up";
  }

  /** How long a run without faults may take: the first until the budget is used up. */
  get #referenceLimitMs(): number | undefined {
    return this.#durationMs === 0 ? this.#options.budgetMs : this.#limitMs([]);
  }

  /** How long a cell with these faults may take. */
  #limitMs(faults: readonly Scenario[]): number | undefined {
    const { inspect, jobs = 1 } = this.#options;
    if (inspect) return undefined;
    // Runs at the same time slow each other. A client may use up its patience once for each response that stays silent.
    const patiences = 1 + faults.filter(isSilent).length;
    return Math.min(3 * this.#durationMs * jobs + this.#patienceMs * patiences, longestTimerMs);
  }

  async #runCell({ id, call, callId, faults }: PlannedCell): Promise<Recording> {
    const { catalogue } = this.#ports;
    const patienceMs = this.#options.inspect ? Number.POSITIVE_INFINITY : this.#patienceMs;
    const plan = { call, faults: faults.map((name) => faultOf(name, catalogue, patienceMs)) };
    const run = await this.#runOnce(plan);
    if (this.#options.stop?.aborted && run.exit.outcome === "stopped") return run.recording;
    const judgement = judge(run, this.#reference as Reference, faults, this.#patienceMs);
    const cell: SweepCell = {
      ...{ id, label: call.label, operation: call.operation, call: callId, fault: faults.join("+") },
      ...judgement,
      repeat: this.#subject.repeat(id),
      story: storyOf(run.recording.calls, call.label),
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

  /** Runs the client once; without a plan, this is a reference run. */
  async #runOnce(plan: Plan | undefined): Promise<Run> {
    const { clock } = this.#ports;
    const stop = new AbortController();
    this.#running.add(stop);
    if (this.#options.stop?.aborted) stop.abort();
    let recording: Recording | undefined;
    let hanging: RecordedCall | undefined;
    let rest: Pick<Run, "world" | "findings"> = { world: new Map(), findings: [] };
    const onHang = (call: RecordedCall) => {
      hanging ??= call;
      stop.abort();
    };
    const startedMs = clock.ticks();
    let durationMs: number | undefined;
    const ran = this.#subject.run({
      observer: (parts) => {
        recording = new Recording(parts, plan, onHang);
        return recording;
      },
      limitMs: plan ? this.#limitMs(plan.faults) : this.#referenceLimitMs,
      stop: stop.signal,
      ended: async (sandbox) => {
        durationMs = clock.ticks() - startedMs;
        // Otherwise it would be chance whether a receiver in this process gets an event.
        await this.#atMost(settlingMs, sandbox.webhooks.settled());
        recording?.clientEnded();
        sandbox.drain();
        // The requests that were held go on before the world is read.
        await new Promise<void>((resolve) => clock.after(0, resolve));
        rest = {
          world: recording?.world(this.#reference?.run.world.keys() ?? []) ?? new Map(),
          findings: findingsByCompany(sandbox.findings({ final: true })),
        };
      },
    });
    const exit = await ran.finally(() => this.#running.delete(stop));
    if (!recording) throw new Error("internal error: the run had no sandbox");
    return {
      exit: shownExit(exit),
      recording,
      ...rest,
      hanging,
      durationMs: durationMs ?? clock.ticks() - startedMs,
    };
  }

  /** Waits for some work, but not longer than this. */
  async #atMost(ms: number, work: Promise<void>): Promise<void> {
    let cancel = () => {};
    const timeout = new Promise<void>((resolve) => {
      cancel = this.#ports.clock.after(ms, resolve);
    });
    await Promise.race([work, timeout]);
    cancel();
  }

  #progress(latest: SweepCell | undefined): void {
    this.#options.onProgress?.({
      reference: this.#summary,
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
    const accepted = new Set(
      baseline?.cells.filter((cell) => isFailing(cell, failOn)).map(({ id, verdict }) => `${id} ${verdict}`),
    );
    const failing = cells.filter((cell) => isFailing(cell, failOn));
    const isAccepted = ({ id, verdict }: SweepCell) => accepted.has(`${id} ${verdict}`);
    const found = new Set(cells.map(({ id, verdict }) => `${id} ${verdict}`));
    const notRun = this.#known.filter(({ id }) => !this.#cells.has(id)).map(({ id }) => id);
    const { only, cell, depth } = this.#options;
    const isWhole = only === undefined && cell === undefined && notRun.length === 0;
    /** Whether the cell ran, or would have run if its call still existed. */
    const isDecided = (id: string) => this.#cells.has(id) || (isWhole && (depth === 2 || !id.includes("+")));
    return {
      format: 1,
      version: this.#ports.version,
      client: this.#subject.name,
      exit_code: problem !== null || !failing.every(isAccepted) ? 1 : 0,
      fail_on: failOn,
      problem,
      output: exit?.output ?? null,
      reference: this.#summary,
      calls,
      cells,
      not_run: notRun,
      not_run_reason: notRun.length === 0 ? null : list ? "only listed" : this.#whyEnded(),
      left_out: [...(this.#reference?.leftOut ?? [])].map(([label, fields]) => ({ label, fields })),
      shortened: this.#ports.shortened,
      totals: totalsOf(cells),
      accepted: failing.filter(isAccepted).map(({ id }) => id),
      no_longer: [...accepted]
        .filter((name) => !found.has(name))
        .map((name) => name.slice(0, name.lastIndexOf(" ")))
        .filter(isDecided),
    };
  }
}

/** The most characters of a client's output that a report keeps. */
const keptOutput = 16_384;

/** Without secrets, and without the ids by which the messages of two runs differ. */
function shownExit({ outcome, message, output }: Exit): Exit {
  const [line = ""] = message.trim().split("\n", 1);
  return {
    outcome,
    // Masked before they are cut, because a part of a secret cannot be recognized.
    message: withoutIds(maskLines(line)).slice(0, 500),
    output: output && maskLines(output).slice(-keptOutput),
  };
}

/** Line by line, because a line with a secret that cannot be recognized is not shown at all. */
function maskLines(text: string): string {
  return text.split("\n").map(maskBody).join("\n");
}

function totalsOf(cells: readonly SweepCell[]): SweepReport["totals"] {
  const counted = verdicts.map((verdict) => [
    verdict,
    cells.filter((cell) => cell.verdict === verdict).length,
  ]);
  return Object.fromEntries(counted) as Record<Verdict, number>;
}
