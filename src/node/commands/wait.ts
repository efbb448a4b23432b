import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { CouldNotRun } from "../../rules/errors.ts";
import { baseAddress, illness } from "../running-sandbox.ts";
import { newCommand, wholeNumber } from "./command.ts";

const pollMs = 100;

export function define(): Command {
  const command = newCommand("card-sandbox wait", "Waits until a sandbox answers.")
    .argument("[url]", "its base address (default: CARD_SANDBOX_URL, then this machine's)")
    .option("--timeout <seconds>", "how long to wait", wholeNumber(86_400), 30)
    .addHelpText(
      "after",
      "\nExit codes:\n  0  it answers\n  2  asked for wrongly\n  3  it did not answer in time",
    );
  return command.action(async (given?: string) => {
    const { timeout } = command.opts<{ timeout: number }>();
    await untilWell(baseAddress(given, process.env), timeout);
  });
}

/** @throws CouldNotRun if the sandbox is not healthy in time */
async function untilWell(url: string, timeoutS: number): Promise<void> {
  const deadline = performance.now() + timeoutS * 1000;
  for (;;) {
    const wrong = await illness(url);
    if (wrong === undefined) return;
    if (performance.now() + pollMs > deadline) {
      throw new CouldNotRun(`waited for ${timeoutS} s: ${wrong}`);
    }
    await sleep(pollMs);
  }
}
