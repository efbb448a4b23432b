import type { Dialect } from "../contract/dialect.ts";
import type { FindingRequest } from "../journal/findings/finding.ts";
import { maskBody } from "../journal/masking.ts";
import { replayed } from "../journal/replay-command.ts";
import { isFailing, type SweepCell, type SweepReport, type Verdict } from "../journal/sweep-report.ts";
import type { Clock } from "../rules/clock.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { isSilent } from "./faults.ts";
import { type Plan, type RecordedCall, Recording } from "./recording.ts";
import { withoutIds } from "./story.ts";
import type { Exit, Subject } from "./subject.ts";
import { findingsByCompany, type Reference, type Run, referenceOf } from "./verdict.ts";

/** How often and how long a client runs. */
export interface RunsOptions {
  /** Starts no run after this many milliseconds; default: no limit. */
  readonly budgetMs?: number | undefined;
  /** The number of cells to run at the same time; default 1. */
  readonly jobs?: number | undefined;
  /** How long a request may wait without a byte, in milliseconds; default 5000. */
  readonly patienceMs?: number | undefined;
  /** Whether the client runs under a debugger, without time limits; default false. */
  readonly inspect?: boolean | undefined;
  /** Interrupts the runs. */
  readonly stop?: AbortSignal | undefined;
}

/** The words of a problem with a reference run. */
export interface Words {
  /** How the client runs in it, such as "without faults". */
  readonly plain: string;
  /** Such as "before you sweep it". */
  readonly repair: string;
  /** What to use for tests that start sandboxes of their own. */
  readonly inProcess: string;
}

/** Why there is nothing to compare with, and how the client ended. */
interface Problem {
  readonly problem: string;
  readonly exit: Exit;
}

/** The two runs with which the others are compared. */
interface ReferenceRuns {
  readonly problem?: undefined;
  readonly first: Run;
  readonly second: Run;
  readonly reference: Reference;
}

const defaultPatienceMs = 5000;

/** A longer timer would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** How long a receiver of webhooks may take after the client has ended. */
const settlingMs = 1000;

/** Runs a client again and again, each time on a fresh sandbox. */
export class Runs {
  readonly patienceMs: number;
  readonly #subject: Subject;
  readonly #options: RunsOptions;
  readonly #clock: Clock;
  readonly #startedMs: number;
  /** The time of the longer reference run. */
  #durationMs = 0;
  #reference: Reference | undefined;
  /** One for each run in progress; aborting it ends the run. */
  readonly #running = new Set<AbortController>();

  constructor(subject: Subject, options: RunsOptions, clock: Clock) {
    this.#subject = subject;
    this.#options = options;
    this.#clock = clock;
    this.patienceMs = options.patienceMs ?? defaultPatienceMs;
    this.#startedMs = clock.ticks();
  }

  /** Does some work, whose runs end when `stop` is aborted. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    const { stop } = this.#options;
    // Not one listener for each run: Node warns of more than ten.
    const interrupt = () => {
      for (const each of this.#running) each.abort();
    };
    stop?.addEventListener("abort", interrupt);
    try {
      return await work();
    } finally {
      stop?.removeEventListener("abort", interrupt);
    }
  }

  /** Runs the client twice without a plan. */
  async takeReference(words: Words): Promise<ReferenceRuns | Problem> {
    const first = await this.run();
    const problem = this.#problemWith(first, words);
    if (problem !== undefined) return { problem, exit: first.exit };
    this.#durationMs = first.durationMs;
    const second = await this.run();
    const secondProblem = this.#problemWith(second, words);
    if (secondProblem !== undefined) return { problem: secondProblem, exit: second.exit };
    this.#durationMs = Math.max(first.durationMs, second.durationMs);
    this.#reference = referenceOf(first, second);
    return { first, second, reference: this.#reference };
  }

  #problemWith({ exit, recording }: Run, { plain, repair, inProcess }: Words): string | undefined {
    if (this.#options.stop?.aborted) return "interrupted during the reference run";
    if (exit.outcome === "stopped") {
      return `a run ${plain} did not end in time. Give a slow one more time with --budget (in a test: budgetMs). A command in watch mode never ends.`;
    }
    if (exit.outcome !== "passed") {
      return `the client fails ${plain}: ${exit.message}. Repair it ${repair}.`;
    }
    if (recording.calls.length > 0) return undefined;
    return `the sandbox received no requests. A command must use CARD_SANDBOX_URL, and a function the fetch of its sandbox. If the tests of a command start sandboxes of their own, as createSandbox() and sandboxTest() do, ${inProcess}.`;
  }

  /** The reference runs in short, for the report. */
  get summary(): SweepReport["reference"] {
    if (!this.#reference) return { calls: 0, operations: 0, duration_ms: 0 };
    const { calls } = this.#reference.run.recording;
    return {
      calls: calls.length,
      operations: new Set(calls.map(({ operation }) => operation)).size,
      duration_ms: Math.round(this.#durationMs),
    };
  }

  /** Does the work for each item, as many at the same time as there are jobs, until the budget is used up. */
  async each<Item>(items: readonly Item[], work: (item: Item, i: number) => Promise<void>): Promise<void> {
    const { jobs = 1 } = this.#options;
    const queue = items.map((item, i) => ({ item, i }));
    const worker = async () => {
      for (let next = queue.shift(); next && this.whyEnded() === null; next = queue.shift()) {
        await work(next.item, next.i);
      }
    };
    const startNoMore = (error: unknown) => {
      queue.length = 0;
      throw error;
    };
    const workers = Array.from({ length: jobs }, () => worker().catch(startNoMore));
    // No run goes on after an error is thrown.
    await Promise.allSettled(workers);
    await Promise.all(workers);
  }

  /** Why no further cell runs; null: more can run. */
  whyEnded(): string | null {
    const { stop, budgetMs } = this.#options;
    if (stop?.aborted) return "interrupted";
    if (budgetMs === undefined || this.#clock.ticks() - this.#startedMs < budgetMs) return null;
    return "the budget was used up";
  }

  /** Whether this run did not end by itself, because all were interrupted. */
  wasInterrupted({ exit }: Run): boolean {
    return this.#options.stop?.aborted === true && exit.outcome === "stopped";
  }

  /** How long a run without faults may take: the first until the budget is used up. */
  get #referenceLimitMs(): number | undefined {
    return this.#durationMs === 0 ? this.#options.budgetMs : this.#limitMs([]);
  }

  /** How long a run with these faults may take. */
  #limitMs(faults: readonly Scenario[]): number | undefined {
    const { inspect, jobs = 1 } = this.#options;
    if (inspect) return undefined;
    // Runs at the same time slow each other. A client may use up its patience once for each response that stays silent.
    const patiences = 1 + faults.filter(isSilent).length;
    return Math.min(3 * this.#durationMs * jobs + this.patienceMs * patiences, longestTimerMs);
  }

  /** The tape of a cell, and the command that shows its last request. Only the tapes of failing cells are kept. */
  tapeOf(
    cell: string,
    { verdict }: { readonly verdict: Verdict },
    requests: readonly Pick<FindingRequest, "id">[],
  ): Pick<SweepCell, "tape" | "replay"> {
    const { tapes } = this.#subject;
    if (!tapes) return {};
    const tape = tapes.pathOf(cell);
    if (isFailing({ verdict }, "failed")) return { tape, ...replayed(tape, requests) };
    tapes.remove(tape);
    return {};
  }

  /**
   * Runs the client once.
   * @param cell - the id of the cell; default: a reference run
   */
  async run({ cell, plan, dialect }: { cell?: string; plan?: Plan; dialect?: Dialect } = {}): Promise<Run> {
    const { tapes } = this.#subject;
    const tape = cell === undefined ? undefined : tapes?.pathOf(cell);
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
    const startedMs = this.#clock.ticks();
    let durationMs: number | undefined;
    const ran = this.#subject.run({
      observer: (parts) => {
        recording = new Recording(parts, plan, onHang);
        return recording;
      },
      dialect,
      tape,
      limitMs: plan ? this.#limitMs(plan.faults) : this.#referenceLimitMs,
      stop: stop.signal,
      ended: async (sandbox) => {
        durationMs = this.#clock.ticks() - startedMs;
        // Otherwise it would be chance whether a receiver in this process gets an event.
        await this.#atMost(settlingMs, sandbox.webhooks.settled());
        recording?.clientEnded();
        sandbox.drain();
        // The requests that were held go on before the world is read.
        await new Promise<void>((resolve) => this.#clock.after(0, resolve));
        rest = {
          world: recording?.world(this.#reference?.run.world.keys() ?? []) ?? new Map(),
          findings: findingsByCompany(sandbox.findings({ final: true, evidence: false })),
        };
      },
    });
    const exit = await ran.finally(() => this.#running.delete(stop));
    if (!recording) throw new Error("internal error: the run had no sandbox");
    const run = {
      exit: shownExit(exit),
      recording,
      ...rest,
      hanging,
      durationMs: durationMs ?? this.#clock.ticks() - startedMs,
    };
    if (tape !== undefined && this.wasInterrupted(run)) tapes?.remove(tape);
    return run;
  }

  /** Waits for some work, but not longer than this. */
  async #atMost(ms: number, work: Promise<void>): Promise<void> {
    let cancel = () => {};
    const timeout = new Promise<void>((resolve) => {
      cancel = this.#clock.after(ms, resolve);
    });
    await Promise.race([work, timeout]);
    cancel();
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
