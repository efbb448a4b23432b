import type { Command } from "commander";
import { inTurn } from "../../journal/exchange.ts";
import type { Style } from "../../journal/formats/terminal.ts";
import { messageLine, painter } from "../colors.ts";
import { version } from "../create-sandbox.ts";
import { exitCodes } from "../exit-codes.ts";
import { databaseLog, requestLog } from "../request-log.ts";
import { onSignals } from "../signals.ts";
import { type StartedSandbox, start } from "../start-sandbox.ts";
import { startUpLines } from "../start-up-lines.ts";
import { isShortened, newCommand, shortenHelp, wholeNumber } from "./command.ts";
import { addStartOptions, startRequest } from "./start-options.ts";

/** How long the exit waits for the remaining output to be read, in milliseconds. */
const flushMs = 300;

/** The options in the short help. */
const commonOptions = ["--port", "--db", "--fixtures", "--clock", "--tape", "--scenario"];

const portVariable = "\nIf CARD_SANDBOX_PORT is not set, the environment variable PORT sets the port.\n";

const exitCodeHelp = `
Exit codes:
  0  stopped by a signal
  2  usage error
  3  the server could not start (for example, the port is in use)`;

export function define(): Command {
  const command = newCommand(
    "card-sandbox",
    "Run the company-card API locally and get any of its responses on demand.",
  ).usage("[start] [options]\n       card-sandbox COMMAND [options]");
  addStartOptions(command, { port: 4242, log: "pretty" });
  command.version(version, "-V, --version", "print the version");
  shortenHelp(command, commonOptions);
  return command
    .addHelpText("after", () => `${isShortened(command) ? "" : portVariable}${exitCodeHelp}`)
    .action(() => run(command));
}

async function run(command: Command): Promise<void> {
  const { PORT } = process.env;
  if (PORT && command.getOptionValueSource("port") === "default") {
    command.setOptionValue("port", portFrom(command, PORT));
  }
  const { options, logFormat, tlsCert, watch } = startRequest(command);
  let started: StartedSandbox | undefined;
  closeOnSignal(() => started);
  const observe = inTurn(databaseLog(logError), requestLog(logFormat, log, painter(process.stdout)));
  const sandbox = await start(
    { ...options, observe },
    { lightGlobals: true, watch: watch ? { report } : undefined, onTapeFailure: report },
  );
  started = sandbox;
  const { control = true } = options;
  process.stdout.write(startUpLines(sandbox, { version, tlsCert, control }));
  // What the first request needs: until then, an installation could replace the files of this package.
  await Promise.all([import("../server/request-listener.ts"), import("../../base-url.ts")]);
}

function portFrom(command: Command, text: string): number {
  try {
    return wholeNumber(65_535)(text);
  } catch (error) {
    command.error(`PORT: ${(error as Error).message}`);
  }
}

/** Writes a log line. Drops it if standard output is not read, so that lines do not accumulate in memory. */
function log(line: string): void {
  if (!process.stdout.writableNeedDrain) process.stdout.write(line);
}

function report(message: string, style?: Style): void {
  logError(messageLine(message, style));
}

function logError(line: string): void {
  process.stderr.write(line);
}

/** On the first signal, exits after the requests in progress; on the second, immediately. */
export function closeOnSignal(started: () => StartedSandbox | undefined): void {
  let closing = false;
  onSignals(["SIGTERM", "SIGINT"], () => {
    if (closing) process.exit(exitCodes.notRun);
    closing = true;
    const sandbox = started();
    if (!sandbox) process.exit();
    sandbox.close().then(
      () => setTimeout(() => process.exit(), flushMs).unref(),
      (error: Error) => {
        process.stderr.write(messageLine(error.message));
        process.exit(exitCodes.notRun);
      },
    );
  });
}
