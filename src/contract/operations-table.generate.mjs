// Writes the README's table of operations, out of the contract: `npm run readme`.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { operationIds, operations } from "./operations.ts";
import { byStatus, pointsOf, provenanceOf } from "./responses.ts";

const readme = new URL("../../README.md", import.meta.url);
const table = /(?<=<!-- operations -->\n)[\s\S]*(?=<!-- \/operations -->)/;

/** The statuses of an operation, each with an asterisk where no point of it is the specification's. */
function statusesOf(id) {
  return [...byStatus(pointsOf(id))]
    .map(([status, points]) => (provenanceOf(points) === "specified" ? `${status}` : `${status}*`))
    .join(", ");
}

/** The README's table of operations, as the contract has it. */
export function operationsTable() {
  const rows = operationIds.map((id) => {
    const { method, path, provenance } = operations[id];
    const shown = path.replace(/:([a-z]+)/g, "{$1}");
    return `| \`${method} ${shown}\` | ${provenance} | ${statusesOf(id)} |\n`;
  });
  return `| Operation | Provenance | Answers |\n|---|---|---|\n${rows.join("")}`;
}

/** The table that the README holds. */
export function tableInReadme() {
  return table.exec(readFileSync(readme, "utf8"))?.[0];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync(readme, readFileSync(readme, "utf8").replace(table, operationsTable()));
}
