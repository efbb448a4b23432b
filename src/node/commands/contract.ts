import type { Command } from "commander";
import { contractUnder, type Dialect, reachablePoints } from "../../contract/dialect.ts";
import { dialectListing } from "../../control/dialects.ts";
import { jsonLines } from "../../journal/formats/escape.ts";
import { readDialect } from "../dialect-option.ts";
import { columns, newCommand } from "./command.ts";
import { dialectOption } from "./start-options.ts";

export function define(): Command {
  const command = newCommand(
    "card-sandbox contract",
    "List the contract points: the behaviors of the service that a client can observe.",
  )
    .addOption(dialectOption())
    .option("--behaviors", "list the behaviors that the specification leaves open, with their alternatives")
    .option("--json", "print JSON in the format of GET /_sandbox/contract or GET /_sandbox/dialect")
    .addHelpText("after", "\nExit codes:\n  0  success\n  2  usage error");
  return command.action(() => {
    const { dialect: file, behaviors, json } = command.opts<Flags>();
    const dialect = readDialect({ dialect: file });
    const list = behaviors ? behaviorList : pointList;
    process.stdout.write(list(dialect, json ?? false));
  });
}

interface Flags {
  readonly dialect?: string;
  readonly behaviors?: boolean;
  readonly json?: boolean;
}

function pointList(dialect: Dialect, json: boolean): string {
  const points = reachablePoints(contractUnder(dialect));
  if (json) return jsonLines({ points });
  return columns(
    ["POINT", "STATUS", "PROVENANCE", "SPEC", "TITLE"],
    points.map(({ id, status, provenance, spec, title }) => [id, String(status), provenance, spec, title]),
  );
}

function behaviorList(dialect: Dialect, json: boolean): string {
  const listing = dialectListing(dialect);
  if (json) return jsonLines(listing);
  return columns(
    ["BEHAVIOR", "USE", "DEFAULT", "OTHERS", "PROVENANCE", "TITLE"],
    listing.behaviors.map(({ id, use, provenance, title, alternatives: [first, ...others] }) => [
      id,
      use,
      first?.id ?? "",
      others.map((each) => each.id).join(", "),
      provenance,
      title,
    ]),
  );
}
