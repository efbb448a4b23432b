import { CommanderError } from "commander";
import { oneLine } from "../journal/formats/escape.ts";
import { commandNamed } from "./commands/commands.ts";
import { readSwitches, unknownVariables } from "./commands/switches.ts";
import { exitCodeOf } from "./exit-codes.ts";

function fail(error: unknown): void {
  // Commander has already written its own errors.
  if (!(error instanceof CommanderError)) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`card-sandbox: ${oneLine(message)}\n`);
  }
  process.exitCode = exitCodeOf(error);
}

// The process goes on when nobody reads its output any more.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});
try {
  const { command, args } = await commandNamed(process.argv.slice(2));
  readSwitches(process.env);
  for (const warning of await unknownVariables(process.env)) {
    process.stderr.write(`card-sandbox: ${oneLine(warning)}\n`);
  }
  await command.parseAsync(args, { from: "user" });
} catch (error) {
  fail(error);
}
