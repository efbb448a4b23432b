import type { Command } from "commander";
import { jsonLines } from "../../journal/formats/escape.ts";
import { readScenarios, readShippedScenarios } from "../input-files.ts";
import { columns, newCommand } from "./command.ts";
import { scenariosOption } from "./start-options.ts";

export function define(): Command {
  const command = newCommand("card-sandbox scenarios", "List the scenarios.")
    .addOption(scenariosOption())
    .option("--json", "print JSON with the complete scenarios")
    .addHelpText("after", "\nExit codes:\n  0  success\n  2  usage error, or an invalid scenario file");
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
