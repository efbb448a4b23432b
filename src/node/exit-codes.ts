import { CommanderError } from "commander";
import { CouldNotRun, SetupError } from "../rules/errors.ts";

/** The exit codes other than 0. If the command of `exec` fails, `exec` uses its exit code instead. */
export const exitCodes = {
  /** A gate of `exec` failed, a sweep or `contrary` found a cell that fails it, a sandbox is not healthy, or a file is invalid. */
  failed: 1,
  /** Usage error. */
  usage: 2,
  /** The command could not run: a port is in use, a program cannot be started, or no sandbox responds. */
  notRun: 3,
} as const;

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  return error instanceof SetupError && !(error instanceof CouldNotRun) ? exitCodes.usage : exitCodes.notRun;
}
