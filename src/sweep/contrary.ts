import { type BehaviourId, behaviours } from "../contract/behaviours.ts";
import { type Dialect, selected } from "../contract/dialect.ts";
import {
  breaks,
  type ContraryCell,
  type ContraryFailOn,
  type ContraryReport,
  type Dependency,
} from "../journal/contrary-report.ts";
import { isFailing } from "../journal/sweep-report.ts";
import type { Clock } from "../rules/clock.ts";
import { callsFromDifference, failureOf, firstDifference, judgeAlternative } from "./alternative-verdict.ts";
import {
  type PlannedAlternative,
  planAlternatives,
  requireAlternative,
  selectAlternatives,
  selectedIn,
} from "./alternatives.ts";
import { CellEvidence } from "./cell-evidence.ts";
import { againstBaseline, totalsOf } from "./results.ts";
import { Runs, type RunsOptions, type Words } from "./runs.ts";
import type { Exit, Subject } from "./subject.ts";
import type { Reference } from "./verdict.ts";

/** The options of `contrary`. */
export interface ContraryOptions extends RunsOptions {
  /** Behaviors, and alternatives as `BEHAVIOR=ALTERNATIVE`; `*` stands for any text. Default: all. */
  readonly only?: readonly string[] | undefined;
  /** The id of the only alternative to run, such as `replay.status=200`. */
  readonly cell?: string | undefined;
  /** Whether to list the alternatives in `not_run` instead of running the client; default false. */
  readonly list?: boolean | undefined;
  /** The mildest verdict that fails; default `never`. */
  readonly failOn?: ContraryFailOn | undefined;
  /** An earlier report, whose dependencies are accepted. */
  readonly baseline?: Pick<ContraryReport, "cells"> | undefined;
  /** Called after each run. */
  readonly onProgress?: ((progress: ContraryProgress) => void) | undefined;
}

/** The state of a run that is in progress. */
export interface ContraryProgress {
  readonly reference: ContraryReport["reference"];
  /** Alternatives that have run, and all of them. */
  readonly done: number;
  readonly total: number;
  readonly totals: ContraryReport["totals"];
  /** Such as "61 alternatives of 42 behaviors". */
  readonly plan: string;
  /** The alternative that has just run; undefined before the first one. */
  readonly latest: ContraryCell | undefined;
}

/** The parts that depend on the platform. */
export interface ContraryPorts {
  /** Real time. */
  readonly clock: Clock;
  readonly version: string;
  /** Sentences about shortened waits, for the report. */
  readonly shortened: readonly string[];
  /** The dialect of the reference runs. */
  readonly dialect: Dialect;
}

const words: Words = {
  plain: "with all behaviors as they are",
  repair: "first",
  inProcess: "use contrary() for them",
};

const nothingRun =
  "the budget was used up before an alternative ran. Give the client more time with --budget (in a test: budgetMs).";

/**
 * Runs the client twice as it is, then once under each other alternative of each behavior, and compares what it leaves.
 * @throws SetupError if `only` or `cell` matches no alternative
 */
export async function contrary(
  subject: Subject,
  options: ContraryOptions,
  ports: ContraryPorts,
): Promise<ContraryReport> {
  return new Contrary(subject, options, ports).run();
}

class Contrary {
  readonly #subject: Subject;
  readonly #options: ContraryOptions;
  readonly #ports: ContraryPorts;
  readonly #runs: Runs;
  readonly #cells = new Map<string, ContraryCell>();
  readonly #evidence = new CellEvidence();
  readonly #known: readonly PlannedAlternative[];
  readonly #conflicting: ContraryReport["conflicting"];
  #reference: Reference | undefined;

  constructor(subject: Subject, options: ContraryOptions, ports: ContraryPorts) {
    this.#subject = subject;
    this.#options = options;
    this.#ports = ports;
    this.#runs = new Runs(subject, options, ports.clock);
    const { cell, only = [] } = options;
    const plan = planAlternatives(ports.dialect);
    this.#known = cell === undefined ? selectAlternatives(plan, only) : [requireAlternative(plan, cell)];
    this.#conflicting = plan.conflicting;
  }

  run(): Promise<ContraryReport> {
    return this.#runs.during(() => this.#run());
  }

  async #run(): Promise<ContraryReport> {
    // The alternatives do not depend on the client.
    if (this.#options.list) return this.#report(null);
    const taken = await this.#runs.takeReference(words);
    if (taken.problem !== undefined) return this.#report(taken.problem, taken.exit);
    this.#reference = taken.reference;
    this.#progress(undefined);
    await this.#runs.each(this.#known, (planned) => this.#runUnder(planned));
    const isUsedUp = this.#cells.size === 0 && !this.#options.stop?.aborted;
    return this.#report(isUsedUp ? nothingRun : null);
  }

  async #runUnder({ id, behaviour, alternative, dialect }: PlannedAlternative): Promise<void> {
    const run = await this.#runs.run({ cell: id, dialect });
    if (this.#runs.wasInterrupted(run)) return;
    const reference = this.#reference as Reference;
    const judged = judgeAlternative(run, reference, behaviour, alternative, this.#runs.patienceMs);
    const requests = run.recording.evidenceOf(callsFromDifference(run.recording, reference.run.recording));
    const hasPassed = run.exit.outcome === "passed";
    const cell: ContraryCell = {
      ...{ id, behaviour, alternative: alternative.id, title: alternative.title },
      plausible: alternative.reason,
      ...judged,
      failure: hasPassed ? null : failureOf(run.exit),
      first_difference: firstDifference(run.recording, reference.run.recording),
      repeat: this.#subject.repeat(id),
      evidence: this.#evidence.kept(judged.verdict, requests),
      ...this.#runs.tapeOf(id, judged, requests),
      // The output of a suite that passes explains nothing.
      output: hasPassed ? null : run.exit.output,
      duration_ms: Math.round(run.durationMs),
    };
    this.#cells.set(id, cell);
    this.#progress(cell);
  }

  #progress(latest: ContraryCell | undefined): void {
    const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;
    const known = this.#known;
    this.#options.onProgress?.({
      reference: this.#runs.summary,
      done: this.#cells.size,
      total: known.length,
      totals: totalsOf([...this.#cells.values()]),
      plan: `${count(known.length, "alternative")} of ${count(new Set(known.map(({ behaviour }) => behaviour)).size, "behavior")}`,
      latest,
    });
  }

  #report(problem: string | null, exit?: Exit): ContraryReport {
    const { failOn = "never", list, baseline, only, cell } = this.#options;
    // Without a reference, there is no alternative to run.
    const known = this.#reference || list ? this.#known : [];
    const cells = known.flatMap(({ id }) => this.#cells.get(id) ?? []);
    const notRun = known.filter(({ id }) => !this.#cells.has(id)).map(({ id }) => id);
    const isWhole = only === undefined && cell === undefined && notRun.length === 0;
    const isDecided = (id: string) => this.#cells.has(id) || isWhole;
    const { accepted, no_longer } = againstBaseline(cells, baseline?.cells, breaks, isDecided);
    const failing = cells.filter((each) => isFailing(each, failOn) && !accepted.includes(each.id));
    return {
      format: 1,
      version: this.#ports.version,
      client: this.#subject.name,
      exit_code: problem !== null || failing.length > 0 ? 1 : 0,
      fail_on: failOn,
      problem,
      output: exit?.output ?? null,
      reference: this.#runs.summary,
      dialect: selected(this.#ports.dialect),
      dependencies: dependenciesOf(cells, this.#ports.dialect),
      cells,
      conflicting: this.#conflicting,
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

function dependenciesOf(cells: readonly ContraryCell[], base: Dialect): Dependency[] {
  const broken = new Map<BehaviourId, ContraryCell[]>();
  for (const cell of cells) {
    if (breaks(cell)) broken.set(cell.behaviour, [...(broken.get(cell.behaviour) ?? []), cell]);
  }
  return [...broken].map(([behaviour, own]) => {
    const { title, alternatives } = behaviours[behaviour];
    const selected = selectedIn(base, behaviour);
    const by = own.some(({ verdict }) => verdict === "damaged") ? "damage" : "tests";
    const broken_by = own.map(({ alternative }) => alternative);
    const state = by === "damage" ? "safe" : "green";
    const name = `\`${behaviour}\``;
    // Alternatives that did not run may be fine.
    const isAll = broken_by.length === alternatives.length - 1;
    const summary = isAll
      ? `${state} only if ${name} is ${selected.id}`
      : `${state} unless ${name} is ${broken_by.join(" or ")}`;
    return { behaviour, title, default: selected.id, default_title: selected.title, by, broken_by, summary };
  });
}
