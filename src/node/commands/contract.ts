import type { Command } from "commander";
import { defaultContract, reachablePoints } from "../../contract/dialect.ts";
import { jsonLines } from "../../journal/formats/escape.ts";
import { columns, newCommand } from "./command.ts";

export function define(): Command {
  const command = newCommand(
    "card-sandbox contract",
    "List the contract points: the behaviors of the service that a client can observe.",
  )
    .option("--json", "print JSON in the format of GET /_sandbox/contract")
    .addHelpText("after", "\nExit codes:\n  0  success\n  2  usage error");
  return command.action(() => {
    const points = reachablePoints(defaultContract);
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
