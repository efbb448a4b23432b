// Writes docs/contract.md, out of the contract: `npm run readme`.
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { contractPoints } from "./points.ts";

export const contractPage = new URL("../../docs/contract.md", import.meta.url);

const introduction = `# Contract points

Each behaviour of the service that a caller can observe. The answers of the sandbox name the one that decided, in the
header \`Sandbox-Contract-Point\`; coverage counts them; \`card-sandbox contract\` and \`GET /_sandbox/contract\` list them.

\`specified\`: the specification says so, in the section named. \`variant\`: it describes two ways. \`assumed\`: it leaves the
point open, and this is the sandbox's guess.
`;

/** The page as the contract has it. */
export function contractText() {
  const families = grouped(Object.entries(contractPoints));
  const tables = [...families].map(([family, points]) => {
    const rows = points.map(
      ([id, { status, provenance, spec, title }]) =>
        `| \`${id}\` | ${status} | ${provenance} | ${spec} | ${title} |\n`,
    );
    return `\n## ${family}\n\n| Point | Status | Provenance | Spec | |\n|---|---|---|---|---|\n${rows.join("")}`;
  });
  return introduction + tables.join("");
}

function grouped(points) {
  const families = new Map();
  for (const point of points) {
    const [family] = point[0].split(".");
    families.set(family, [...(families.get(family) ?? []), point]);
  }
  return families;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  writeFileSync(contractPage, contractText());
