import type { Command } from "commander";
import { oneLine } from "../../journal/formats/escape.ts";
import { exitCodes } from "../exit-codes.ts";
import { baseAddress, illness } from "../running-sandbox.ts";
import { newCommand } from "./command.ts";

export function define(): Command {
  return newCommand("card-sandbox health", "Tells whether a sandbox is well, by one look: for HEALTHCHECK.")
    .argument("[url]", "its base address (default: CARD_SANDBOX_URL, then this machine's)")
    .addHelpText(
      "after",
      "\nExit codes:\n  0  it is well\n  1  it is not, or nobody answers\n  2  asked for wrongly",
    )
    .action(async (given?: string) => {
      const url = baseAddress(given, process.env);
      const wrong = await illness(url);
      if (wrong === undefined) process.stdout.write(`${oneLine(url)} is well\n`);
      else {
        process.stderr.write(`card-sandbox: ${oneLine(wrong)}\n`);
        process.exitCode = exitCodes.found;
      }
    });
}
