import { CommanderError } from "commander";
import { CouldNotRun, SetupError } from "../rules/errors.ts";

/** What exit codes beside 0 say; `exec` ends with the command's own where that failed. */
export const exitCodes = {
  /** Something is not as it should be: a check of `exec`, the sandbox's health, a file. */
  found: 1,
  /** It was asked for wrongly, or for what cannot be. */
  usage: 2,
  /** It could not run: a port is taken, a command cannot be started, no sandbox answers. */
  notRun: 3,
} as const;

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  return error instanceof SetupError && !(error instanceof CouldNotRun) ? exitCodes.usage : exitCodes.notRun;
}
