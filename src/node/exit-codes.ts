import { CommanderError } from "commander";
import { CouldNotRun, SetupError } from "../rules/errors.ts";

/** The exit codes other than 0; `exec` uses the command's own if the command failed. */
export const exitCodes = {
  /** A check failed: a gate of `exec`, the health of a sandbox, a file. */
  found: 1,
  /** Usage error. */
  usage: 2,
  /** It could not run: a port is in use, a command cannot be started, no sandbox responds. */
  notRun: 3,
} as const;

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  return error instanceof SetupError && !(error instanceof CouldNotRun) ? exitCodes.usage : exitCodes.notRun;
}
