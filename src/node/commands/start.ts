import type { Command } from "commander";
import { inTurn } from "../../journal/exchange.ts";
import { oneLine } from "../../journal/formats/escape.ts";
import { version } from "../create-sandbox.ts";
import { exitCodes } from "../exit-codes.ts";
import { databaseLog, requestLog } from "../request-log.ts";
import { onSignals } from "../signals.ts";
import { type StartedSandbox, start } from "../start-sandbox.ts";
import { startUpLines } from "../start-up-lines.ts";
import { newCommand, wholeNumber } from "./command.ts";
import { addStartOptions, startRequest } from "./start-options.ts";

/** How long the remaining output may take to be read after the sandbox has closed. */
const flushMs = 300;

export function define(): Command {
  const command = newCommand(
    "card-sandbox",
    "A sandbox of the company-card service: its every answer, on demand, on this machine.",
  )
    .usage("[start] [options]\n       card-sandbox COMMAND [options]")
    .version(version);
  addStartOptions(command, { port: 4242, log: "pretty" });
  return command
    .addHelpText(
      "after",
      `
PORT stands in for CARD_SANDBOX_PORT.

Exit codes:
  0  stopped by a signal
  2  asked for wrongly, or for what cannot be
  3  could not run: a port is taken`,
    )
    .action(() => run(command));
}

async function run(command: Command): Promise<void> {
  const { PORT } = process.env;
  if (PORT && command.getOptionValueSource("port") === "default") {
    command.setOptionValue("port", portFrom(command, PORT));
  }
  const { options, logFormat, tlsCert } = startRequest(command);
  let started: StartedSandbox | undefined;
  closeOnSignal(() => started);
  const observe = inTurn(databaseLog(logError), requestLog(logFormat, log));
  const sandbox = await start({ ...options, observe }, { lightGlobals: true });
  started = sandbox;
  const { onBehalfOf, control = true } = options;
  process.stdout.write(startUpLines(sandbox, { version, tlsCert, onBehalfOf, control }));
}

function portFrom(command: Command, text: string): number {
  try {
    return wholeNumber(65_535)(text);
  } catch (error) {
    command.error(`error: the environment variable PORT is invalid: ${(error as Error).message}`);
  }
}

/** Writes a log line. Drops it if nobody reads standard output, so that lines do not pile up in memory. */
function log(line: string): void {
  if (!process.stdout.writableNeedDrain) process.stdout.write(line);
}

function logError(line: string): void {
  process.stderr.write(line);
}

/** On the first signal, exits after the requests in progress; on the second, at once. */
function closeOnSignal(started: () => StartedSandbox | undefined): void {
  let closing = false;
  onSignals(["SIGTERM", "SIGINT"], () => {
    if (closing) process.exit(exitCodes.notRun);
    closing = true;
    const sandbox = started();
    if (!sandbox) process.exit();
    sandbox.close().then(
      () => setTimeout(() => process.exit(), flushMs).unref(),
      (error: Error) => {
        process.stderr.write(`card-sandbox: ${oneLine(error.message)}\n`);
        process.exit(exitCodes.notRun);
      },
    );
  });
}
