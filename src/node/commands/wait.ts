import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { CouldNotRun } from "../../rules/errors.ts";
import { baseUrl, healthProblem } from "../running-sandbox.ts";
import { newCommand, urlArgument, wholeNumber } from "./command.ts";

const pollMs = 100;

export function define(): Command {
  const command = newCommand("card-sandbox wait", "Wait until a sandbox is ready to serve requests.")
    .argument(...urlArgument)
    .option("--timeout <seconds>", "maximum time to wait, in seconds", wholeNumber(86_400), 30)
    .addHelpText(
      "after",
      "\nExit codes:\n  0  the sandbox is ready\n  2  usage error\n  3  the sandbox was not ready in time",
    );
  return command.action(async (given?: string) => {
    const { timeout } = command.opts<{ timeout: number }>();
    await untilHealthy(baseUrl(given, process.env), timeout);
  });
}

/** @throws CouldNotRun if the sandbox is not healthy in time */
async function untilHealthy(url: string, timeoutS: number): Promise<void> {
  const deadline = performance.now() + timeoutS * 1000;
  for (;;) {
    const problem = await healthProblem(url);
    if (problem === undefined) return;
    if (performance.now() + pollMs > deadline) {
      throw new CouldNotRun(`${problem} (waited ${timeoutS} s)`);
    }
    await sleep(pollMs);
  }
}
