#!/usr/bin/env node
import { CommanderError } from "commander";
import { SetupError } from "../core/errors.ts";
import { readCommandLine } from "./command-line.ts";
import { version } from "./create-sandbox.ts";
import { PortError } from "./listen.ts";
import { requestLog } from "./request-log.ts";
import { type StartedSandbox, start } from "./start-sandbox.ts";
import { startUpLines } from "./start-up-lines.ts";

const exitCodes = { failure: 1, usage: 2 } as const;

/** How long what is printed may take to be read once the sandbox is closed. */
const flushMs = 300;

/** Writes a log line; where nobody reads standard output any more, lines are dropped rather than heaped up. */
function log(line: string): void {
  if (!process.stdout.writableNeedDrain) process.stdout.write(line);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  return error instanceof SetupError && !(error instanceof PortError) ? exitCodes.usage : exitCodes.failure;
}

/** Ends on the first signal with what is under way answered, on a second one at once. */
function closeOnSignal(started: () => StartedSandbox | undefined): void {
  let closing = false;
  const onSignal = () => {
    if (closing) process.exit(exitCodes.failure);
    closing = true;
    const sandbox = started();
    if (!sandbox) process.exit();
    sandbox.close().then(() => setTimeout(() => process.exit(), flushMs).unref(), fail);
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

function fail(error: unknown): void {
  // Commander has written its own line.
  if (!(error instanceof CommanderError)) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`card-sandbox: ${message.replace(/\s*\n\s*/g, " ")}\n`);
  }
  process.exitCode = exitCodeOf(error);
}

process.stdout.on("error", () => {});
try {
  const { options, logFormat, tlsCert } = readCommandLine(process.argv.slice(2), process.env, version);
  let started: StartedSandbox | undefined;
  closeOnSignal(() => started);
  const sandbox = await start({ ...options, observe: requestLog(logFormat, log) }, { lightGlobals: true });
  started = sandbox;
  const { onBehalfOf, control = true } = options;
  process.stdout.write(startUpLines(sandbox, { version, tlsCert, onBehalfOf, control }));
} catch (error) {
  fail(error);
}
