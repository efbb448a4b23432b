import { CommanderError } from "commander";
import { messageLine } from "./colors.ts";
import { commandNamed } from "./commands/commands.ts";
import { readSwitches, unknownVariables } from "./commands/switches.ts";
import { exitCodeOf } from "./exit-codes.ts";

function fail(error: unknown): void {
  // Commander has already printed its own errors.
  if (!(error instanceof CommanderError)) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(messageLine(message));
  }
  process.exitCode = exitCodeOf(error);
}

/** Runs a command. Sets the exit code of this process, which ends when the command has nothing more to do. */
export async function runCommandLine(words: readonly string[]): Promise<void> {
  try {
    const { command, args } = await commandNamed(words);
    readSwitches(process.env);
    for (const warning of await unknownVariables(process.env)) {
      process.stderr.write(messageLine(warning, "yellow"));
    }
    await command.parseAsync(args, { from: "user" });
  } catch (error) {
    fail(error);
  }
}
