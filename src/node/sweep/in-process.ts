import { url as debuggerUrl } from "node:inspector";
import { availableParallelism } from "node:os";
import { inspect } from "node:util";
import type { ContraryReport } from "../../journal/contrary-report.ts";
import { formatContrary } from "../../journal/formats/contrary.ts";
import { dependenciesText } from "../../journal/formats/contrary-story.ts";
import { contraryTerminalReport } from "../../journal/formats/contrary-terminal.ts";
import type { Formatted, ReportFormat } from "../../journal/formats/formatted.ts";
import { formatSweep } from "../../journal/formats/sweep.ts";
import { totalsText } from "../../journal/formats/sweep-story.ts";
import { sweepTerminalReport } from "../../journal/formats/sweep-terminal.ts";
import type { SweepReport } from "../../journal/sweep-report.ts";
import { CouldNotRun } from "../../rules/errors.ts";
import { contrary } from "../../sweep/contrary.ts";
import type { Attempt, Exit, Subject, Tapes } from "../../sweep/subject.ts";
import { type SweepPorts, sweep } from "../../sweep/sweep.ts";
import type { Waits } from "../../tape/tape.ts";
import { openSandbox, type Sandbox, type SandboxOptions, version } from "../create-sandbox.ts";
import { reportFile, writeReport } from "../exec/report-files.ts";
import * as realTimers from "../real-timers.ts";
import { systemClock } from "../real-timers.ts";
import type { ContraryOptions } from "./contrary.ts";
import { inputsOf, readBaseline } from "./inputs.ts";
import { namedCompany } from "./named-company.ts";
import { shorterWaits } from "./shorter-waits.ts";
import type { SweepOptions, SweepRun } from "./sweep.ts";
import { tapesIn } from "./tapes.ts";

/** How long a reference run may take, in milliseconds. */
const referenceLimitMs = 60_000;

/** Like `sweep`, for valid options. */
export function sweepFunction(run: SweepRun, options: SweepOptions): Promise<SweepReport> {
  const { baseline, ...others } = options;
  return runFunction(run, others, {
    engine: (client, settings, ports) =>
      sweep(
        client,
        // Its `jobs` is a getter.
        Object.assign(settings, {
          baseline: baseline === undefined ? undefined : readBaseline("baseline", baseline),
        }),
        ports,
      ),
    format: formatSweep,
    text: (report) => `${report.problem ?? totalsText(report)}\n${sweepTerminalReport(report)}`,
  });
}

/** Like `contrary`, for valid options. */
export function contraryFunction(run: SweepRun, options: ContraryOptions): Promise<ContraryReport> {
  const { baseline, ...others } = options;
  return runFunction(run, others, {
    engine: (client, settings, { catalogue: _, ...ports }) =>
      contrary(
        client,
        Object.assign(settings, {
          baseline:
            baseline === undefined
              ? undefined
              : readBaseline<ContraryReport>("baseline", baseline, "contrary"),
        }),
        { ...ports, dialect: client.inputs().dialect },
      ),
    format: formatContrary,
    text: (report) => `${report.problem ?? dependenciesText(report)}\n${contraryTerminalReport(report)}`,
  });
}

interface Engine<Options, Report> {
  readonly engine: (client: SweptFunction, options: Options, ports: SweepPorts) => Promise<Report>;
  readonly format: (report: Report, format: ReportFormat) => Formatted;
  /** The report as a string; a test runner may show only the first line of a message. */
  readonly text: (report: Report) => string;
}

/** Runs a function again and again, and writes the report. */
async function runFunction<
  Options extends Pick<SweepOptions, "name" | "report" | "jobs" | "timeScale" | "cell"> & SandboxOptions,
  Report extends object,
>(
  run: SweepRun,
  options: Options,
  { engine, format, text }: Engine<Options & { readonly inspect: boolean }, Report>,
): Promise<Report> {
  const { name = run.name || "client", report = [], jobs = availableParallelism(), timeScale } = options;
  const files = report.map(reportFile);
  const isDebugged = options.cell !== undefined && debuggerUrl() !== undefined;
  const { waits, shortened } = shorterWaits(timeScale);
  const client = new SweptFunction({ name, run, options, tapes: tapesIn(options.tape), waits, isDebugged });
  const made = await engine(
    client,
    {
      ...options,
      inspect: isDebugged,
      // The reference runs show whether the runs replace the timers, which concurrent runs would share.
      get jobs() {
        return client.replacesTimers ? 1 : jobs;
      },
    },
    { clock: systemClock, catalogue: client.inputs().catalogue, version, shortened },
  );
  for (const file of files) {
    const failure = writeReport(file, format(made, file.format).text);
    if (failure !== undefined) throw new CouldNotRun(`report: ${file.path}: ${failure}`);
  }
  return Object.defineProperty(made, "toString", { value: () => text(made) });
}

interface Swept {
  readonly name: string;
  readonly run: SweepRun;
  /** The options of each sandbox. */
  readonly options: SandboxOptions;
  readonly tapes: Tapes | undefined;
  readonly waits: Waits | undefined;
  readonly isDebugged: boolean;
}

/** A function under test: each run opens a fresh sandbox in this process. */
class SweptFunction implements Subject {
  readonly name: string;
  readonly tapes: Tapes | undefined;
  readonly inputs: ReturnType<typeof inputsOf>;
  /** Whether a run has replaced the timers of this process. */
  replacesTimers = false;
  readonly #swept: Swept;

  /** @throws SetupError if a file of the options cannot be read or is invalid */
  constructor(swept: Swept) {
    this.name = swept.name;
    this.tapes = swept.tapes;
    this.inputs = inputsOf(swept.options);
    this.#swept = swept;
  }

  repeat(cellId: string): string {
    return `{ cell: ${JSON.stringify(cellId)} }`;
  }

  async run({ observer, dialect, tape, limitMs, stop, ended }: Attempt): Promise<Exit> {
    const { run, options, waits, isDebugged } = this.#swept;
    const inputs = this.inputs(dialect);
    const sandbox = openSandbox({ ...options, tape }, { privateSecrets: false, inputs, observer, waits });
    try {
      const company = await namedCompany(sandbox, this.name);
      const { scenario, clock } = company;
      const client = this.#clientOf(sandbox);
      const running = (async () => run({ sandbox: client.sandbox, company, scenario, clock }))();
      const limit = limitMs ?? (isDebugged ? undefined : referenceLimitMs);
      const exit = await exitOf(running, limit, stop);
      client.freeze();
      await ended(sandbox);
      return exit;
    } finally {
      sandbox.close();
    }
  }

  /**
   * The sandbox as a run sees it. After the run, its requests are never answered: an error could make a client that still
   * runs retry forever without a pause, or become an unhandled rejection.
   */
  #clientOf(sandbox: Sandbox): { readonly sandbox: Sandbox; freeze(): void } {
    let isFrozen = false;
    const unlessFrozen = () => (isFrozen ? new Promise<void>(() => {}) : undefined);
    const fetch: Sandbox["fetch"] = async (input, init) => {
      this.replacesTimers ||= setTimeout !== realTimers.setTimeout;
      // A client that retries without a pause would stop the timers that end its run.
      await new Promise((resolve) => realTimers.setImmediate(resolve));
      await unlessFrozen();
      try {
        return await sandbox.fetch(input, init);
      } finally {
        await unlessFrozen();
      }
    };
    return {
      sandbox: { ...sandbox, fetch, close: () => {} },
      freeze: () => {
        isFrozen = true;
      },
    };
  }
}

/** How a run ends. One that takes too long is abandoned; its later errors are ignored. */
function exitOf(run: Promise<unknown>, limitMs: number | undefined, stop: AbortSignal): Promise<Exit> {
  return new Promise((resolve) => {
    const end = (exit: Exit) => {
      cancel?.();
      stop.removeEventListener("abort", onStop);
      resolve(exit);
    };
    const stopped = (message: string) => end({ outcome: "stopped", message, output: null });
    const onStop = () => stopped("interrupted");
    const cancel =
      limitMs === undefined
        ? undefined
        : systemClock.after(limitMs, () =>
            stopped(`it did not end within ${Math.round(limitMs / 100) / 10} s`),
          );
    stop.addEventListener("abort", onStop);
    if (stop.aborted) onStop();
    run.then(
      () => end({ outcome: "passed", message: "fulfilled", output: null }),
      (error: unknown) => end({ outcome: "failed", ...describe(error) }),
    );
  });
}

function describe(error: unknown): Pick<Exit, "message" | "output"> {
  const message = error instanceof Error ? error.message : inspect(error);
  const stack = error instanceof Error ? error.stack : undefined;
  // Which frames of Node are in it depends on timing.
  const output = stack?.replace(/\n +at .*\bnode:.*/g, "") ?? null;
  return { message, output };
}
