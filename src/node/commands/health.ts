import type { Command } from "commander";
import { oneLine } from "../../journal/formats/escape.ts";
import { messageLine } from "../colors.ts";
import { exitCodes } from "../exit-codes.ts";
import { baseUrl, healthProblem } from "../running-sandbox.ts";
import { newCommand, urlArgument } from "./command.ts";

export function define(): Command {
  return newCommand(
    "card-sandbox health",
    "Check the health of a sandbox once, for example in a Docker HEALTHCHECK.",
  )
    .argument(...urlArgument)
    .addHelpText("after", "\nExit codes:\n  0  healthy\n  1  not healthy, or no response\n  2  usage error")
    .action(async (given?: string) => {
      const url = baseUrl(given, process.env);
      const problem = await healthProblem(url);
      if (problem === undefined) process.stdout.write(`${oneLine(url)} is healthy\n`);
      else {
        process.stderr.write(messageLine(problem));
        process.exitCode = exitCodes.failed;
      }
    });
}
