import type { Command } from "commander";
import { contractPoints } from "../../contract/points.ts";
import { jsonLines } from "../../journal/formats/escape.ts";
import { columns, newCommand } from "./command.ts";

export function define(): Command {
  const command = newCommand(
    "card-sandbox contract",
    "Lists the contract points: each behaviour of the service that a client can observe.",
  )
    .option("--json", "as JSON, as GET /_sandbox/contract has it")
    .addHelpText("after", "\nExit codes:\n  0  they are listed\n  2  asked for wrongly");
  return command.action(() => {
    const points = Object.entries(contractPoints).map(([id, point]) => ({ id, ...point }));
    process.stdout.write(
      command.opts<{ json?: boolean }>().json
        ? jsonLines({ points })
        : columns(
            ["POINT", "STATUS", "PROVENANCE", "SPEC", "TITLE"],
            points.map(({ id, status, provenance, spec, title }) => [
              id,
              String(status),
              provenance,
              spec,
              title,
            ]),
          ),
    );
  });
}
