import type { Command } from "commander";
import { jsonLines } from "../../journal/formats/escape.ts";
import { readScenarios, readShippedScenarios } from "../input-files.ts";
import { columns, newCommand, notEmpty, optionWithVariable } from "./command.ts";

export function define(): Command {
  const command = newCommand("card-sandbox scenarios", "Lists the scenarios that there are.")
    .addOption(
      optionWithVariable("--scenarios <folder>", "and scenario files of your own", "SCENARIOS").argParser(
        notEmpty,
      ),
    )
    .option("--json", "as JSON, with all that their files say")
    .addHelpText(
      "after",
      "\nExit codes:\n  0  they are listed\n  2  asked for wrongly, or a file does not fit",
    );
  return command.action(() => {
    const { scenarios: folder, json } = command.opts<{ scenarios?: string; json?: boolean }>();
    const scenarios = [...readShippedScenarios(), ...(folder === undefined ? [] : readScenarios(folder))];
    process.stdout.write(
      json
        ? jsonLines({ scenarios })
        : columns(
            ["NAME", "SPEC", "TITLE", "POINTS"],
            scenarios.map(({ name, spec, title, points }) => [
              name,
              spec.join(", "),
              title,
              points.join(", "),
            ]),
          ),
    );
  });
}
