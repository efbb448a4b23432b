import { constants } from "node:os";
import type { Command } from "commander";
import { inTurn } from "../../journal/exchange.ts";
import { SetupError } from "../../rules/errors.ts";
import type { Subject } from "../../sweep/subject.ts";
import type { SweepPorts } from "../../sweep/sweep.ts";
import { messageLine, painter } from "../colors.ts";
import { startRequest } from "../commands/start-options.ts";
import { type Inputs, version } from "../create-sandbox.ts";
import { type ReportFile, reportFile, writeReport } from "../exec/report-files.ts";
import { exitCodes } from "../exit-codes.ts";
import { systemClock } from "../real-timers.ts";
import { databaseLog, type LogFormat, requestLog } from "../request-log.ts";
import { onSignals } from "../signals.ts";
import type { StartOptions } from "../start-sandbox.ts";
import { CommandRuns } from "./command-runs.ts";
import { CommandSubject } from "./command-subject.ts";
import { inputsOf } from "./inputs.ts";
import { ProgressLines, type ShownProgress } from "./progress.ts";
import { type RunRequest, repeatOptions } from "./run-options.ts";
import { shorterWaits } from "./shorter-waits.ts";
import { tapesIn } from "./tapes.ts";

/** How long open handles may delay the exit, in milliseconds. */
const flushMs = 300;

/** A command of `card-sandbox` that runs another command again and again. */
export interface RepeatingCommand<Report extends { readonly exit_code: number }> {
  /** Its name, such as `sweep`. */
  readonly name: string;
  /** The parsed command, and the words after its options. */
  readonly command: Command;
  readonly words: readonly string[];
  readonly request: RunRequest;
  run(
    subject: Subject,
    options: { readonly stop: AbortSignal; readonly onProgress: (progress: ShownProgress) => void },
    ports: SweepPorts,
    inputs: Inputs,
  ): Promise<Report>;
  /** Prints the report. */
  print(report: Report, paint: ReturnType<typeof painter>): void;
  /** The report as the text of a file. */
  format(report: Report, format: ReportFile["format"]): string;
}

/**
 * Runs a command again and again, with progress and reports.
 * @returns the exit code
 */
export async function runRepeatedly<Report extends { readonly exit_code: number }>({
  name,
  command,
  words,
  request: { runs: settings, timeScale, reports },
  ...client
}: RepeatingCommand<Report>): Promise<number> {
  if (!words[0]) throw new SetupError(`command: is required. Example: card-sandbox ${name} -- npm test`);
  const files = reports.map(reportFile);
  const { options, logFormat, watch } = startRequest(command);
  refuseShared(options, watch, settings.jobs);
  const inputs = inputsOf(options);
  const { waits, shortened } = shorterWaits(timeScale);
  const runs = await CommandRuns.open();
  const interruption = interruptedBySignals(runs);
  const paint = painter(process.stderr);
  const isRedrawn =
    process.stderr.isTTY && process.env.TERM !== "dumb" && logFormat === "silent" && !settings.inspect;
  const progress = new ProgressLines(process.stderr, paint, isRedrawn);
  let isReferenceOver = false;
  const subject = new CommandSubject(
    {
      name,
      words,
      options: { ...options, observe: logTo(logFormat, paint) },
      inputs,
      waits,
      tapes: settings.list ? undefined : tapesIn(options.tape),
      repeatOptions: repeatOptions(command),
      isInspected: () => settings.inspect === true && isReferenceOver,
    },
    runs,
  );
  const read = inputs();
  const report = await client
    .run(
      subject,
      {
        stop: interruption.stop,
        onProgress: (each) => {
          isReferenceOver = true;
          progress.show(each);
        },
      },
      { clock: systemClock, catalogue: read.catalogue, version, shortened },
      read,
    )
    .finally(() => progress.clear())
    .catch(asOption);
  const exitCode = interruption.exitCode();
  const known = exitCode === undefined ? report : { ...report, exit_code: exitCode };
  client.print(known, paint);
  const written = writeAll(files, ({ format }) => client.format(known, format));
  return known.exit_code || written;
}

/** Ends this process with the exit code, soon. */
export async function exitRepeated(exitCode: Promise<number>): Promise<void> {
  process.exitCode = await exitCode;
  setTimeout(() => process.exit(), flushMs).unref();
}

/** Names the option in an error of the engine, which names its own: `only: …`. */
function asOption(error: unknown): never {
  if (error instanceof SetupError && /^(only|cell): /.test(error.message)) {
    throw new SetupError(`--${error.message}`, { cause: error });
  }
  throw error;
}

/** @throws SetupError for options with which the runs of the command would not be alike */
function refuseShared({ db, port, livePort }: StartOptions, watch: boolean, jobs = 1): void {
  if (db !== ":memory:") {
    throw new SetupError(
      "--db: cannot be used here, because each run of the command needs a fresh sandbox. Remove --db and CARD_SANDBOX_DB.",
    );
  }
  if (watch) {
    throw new SetupError(
      "--watch: cannot be used here, because all runs of the command need the same files. Remove --watch and CARD_SANDBOX_WATCH.",
    );
  }
  if (jobs > 1 && (port || livePort)) {
    throw new SetupError(
      `${port ? "--port" : "--live-port"}: must be 0 with --jobs ${jobs}, because each sandbox needs a port of its own`,
    );
  }
}

/** The first signal stops the runs; the second one ends this process at once. No process of the command remains. */
function interruptedBySignals(runs: CommandRuns) {
  const stop = new AbortController();
  let exitCode: number | undefined;
  process.on("exit", () => runs.killAll());
  onSignals(runs.signals, (signal) => {
    if (exitCode !== undefined) process.exit(exitCode);
    exitCode = 128 + constants.signals[signal];
    stop.abort();
  });
  return { stop: stop.signal, exitCode: () => exitCode };
}

function logTo(format: LogFormat, paint: ReturnType<typeof painter>): NonNullable<StartOptions["observe"]> {
  const log = (line: string) => void process.stderr.write(line);
  return inTurn(databaseLog(log), requestLog(format, log, paint));
}

/** @returns the exit code */
function writeAll(files: readonly ReportFile[], text: (file: ReportFile) => string): number {
  let exitCode = 0;
  for (const file of files) {
    const failure = writeReport(file, text(file));
    if (failure === undefined) continue;
    process.stderr.write(messageLine(`--report ${file.path}: ${failure}`));
    exitCode = exitCodes.notRun;
  }
  return exitCode;
}
