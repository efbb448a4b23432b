import { constants } from "node:os";
import type { Command } from "commander";
import { inTurn } from "../../journal/exchange.ts";
import { formatSweep } from "../../journal/formats/sweep.ts";
import { sweepTerminalReport } from "../../journal/formats/sweep-terminal.ts";
import type { SweepReport } from "../../journal/sweep-report.ts";
import { SetupError } from "../../rules/errors.ts";
import { sweep } from "../../sweep/sweep.ts";
import { messageLine, painter } from "../colors.ts";
import { systemClock, version } from "../create-sandbox.ts";
import { type ReportFile, reportFile, writeReport } from "../exec/report-files.ts";
import { exitCodes } from "../exit-codes.ts";
import { databaseLog, type LogFormat, requestLog } from "../request-log.ts";
import { onSignals } from "../signals.ts";
import type { StartOptions } from "../start-sandbox.ts";
import { CommandRuns } from "../sweep/command-runs.ts";
import { CommandSubject } from "../sweep/command-subject.ts";
import { inputsOf } from "../sweep/inputs.ts";
import { ProgressLines } from "../sweep/progress.ts";
import { shorterWaits } from "../sweep/shorter-waits.ts";
import { addSweepOptions, repeatOptions, type SweepRequest, sweepRequest } from "../sweep/sweep-options.ts";
import { newCommand, shortenHelp } from "./command.ts";
import { addStartOptions, startRequest } from "./start-options.ts";

/** How long open handles may delay the exit, in milliseconds. */
const flushMs = 300;

export function define(): Command {
  const command = newCommand(
    "card-sandbox sweep",
    "Run a command, such as your tests, again and again, each time with one fault in one of its calls, then report the faults that it does not survive to standard error.",
  )
    .usage("[options] -- COMMAND [ARGUMENT...]")
    .argument("[command...]", "command to run, with its arguments (without a shell)")
    .passThroughOptions();
  addSweepOptions(command);
  const ownOptions = command.options.map(({ long }) => long ?? "");
  addStartOptions(command, { port: 0, log: "silent" });
  shortenHelp(command, ownOptions);
  return command
    .addHelpText(
      "after",
      `
Other options are those of card-sandbox start; the variables those of exec.

Exit codes:
  0  success (128 + N if signal N interrupted the sweep)
  1  a cell is damaged, hung or crashed, or the command fails without faults
  2  usage error
  3  the server or the command could not start, or a report could not be written`,
    )
    .action(async (words: readonly string[]) => {
      process.exitCode = await run(words, command);
      setTimeout(() => process.exit(), flushMs).unref();
    });
}

async function run(words: readonly string[], command: Command): Promise<number> {
  if (!words[0]) throw new SetupError("command: is required. Example: card-sandbox sweep -- npm test");
  const request = sweepRequest(command);
  const files = request.reports.map(reportFile);
  const { options, logFormat, watch } = startRequest(command);
  refuseShared(options, watch, request);
  const inputs = inputsOf(options);
  const { shortenWait, shortened } = shorterWaits(request.timeScale);
  const runs = await CommandRuns.open();
  const interruption = interruptedBySignals(runs);
  const paint = painter(process.stderr);
  const isRedrawn =
    process.stderr.isTTY && process.env.TERM !== "dumb" && logFormat === "silent" && !request.sweep.inspect;
  const progress = new ProgressLines(process.stderr, paint, isRedrawn);
  let isReferenceOver = false;
  const subject = new CommandSubject(
    {
      words,
      options: { ...options, observe: logTo(logFormat, paint) },
      inputs,
      shortenWait,
      repeatOptions: repeatOptions(command),
      isInspected: () => request.sweep.inspect === true && isReferenceOver,
    },
    runs,
  );
  const report = await sweep(
    subject,
    {
      ...request.sweep,
      stop: interruption.stop,
      onProgress: (each) => {
        isReferenceOver = true;
        progress.show(each);
      },
    },
    { clock: systemClock, catalogue: inputs().catalogue, version, shortened },
  )
    .finally(() => progress.clear())
    .catch(asOption);
  const exitCode = interruption.exitCode();
  const known = exitCode === undefined ? report : { ...report, exit_code: exitCode };
  if (request.sweep.list && known.exit_code === 0) {
    process.stdout.write(known.not_run.map((id) => `${id}\n`).join(""));
    const unstable = known.calls.filter((call) => call.unstable !== null);
    if (unstable.length > 0 && !request.sweep.unstable) {
      const calls = unstable.map(({ id }) => id).join(", ");
      process.stderr.write(
        messageLine(`unstable calls, whose cells are listed only with --unstable: ${calls}`, "yellow"),
      );
    }
  } else process.stderr.write(sweepTerminalReport(known, paint, process.stderr.columns));
  const written = writeAll(known, files);
  return known.exit_code || written;
}

/** Names the option in an error of the engine, which names its own: `only: …`. */
function asOption(error: unknown): never {
  if (error instanceof SetupError && /^(only|cell): /.test(error.message)) {
    throw new SetupError(`--${error.message}`, { cause: error });
  }
  throw error;
}

/** @throws SetupError for options with which the runs of the command would not be alike */
function refuseShared(
  { db, port, livePort }: StartOptions,
  watch: boolean,
  { sweep: { jobs = 1 } }: SweepRequest,
): void {
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

/** The first signal stops the sweep; the second one ends this process at once. No process of the command remains. */
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
function writeAll(report: SweepReport, files: readonly ReportFile[]): number {
  let exitCode = 0;
  for (const file of files) {
    const failure = writeReport(file, formatSweep(report, file.format).text);
    if (failure === undefined) continue;
    process.stderr.write(messageLine(`--report ${file.path}: ${failure}`));
    exitCode = exitCodes.notRun;
  }
  return exitCode;
}
