// Writes docs/findings.md, out of the rules: `npm run readme`.
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { ruleIds, rules } from "./rules.ts";

export const findingsPage = new URL("../../../docs/findings.md", import.meta.url);

const introduction = `# Findings

What clients do wrong that the service would punish later, and the sandbox saw. \`card-sandbox exec\` reports it,
\`GET /_sandbox/findings\` and \`sandbox.findings()\` tell it at any time: each with the requests that bear it out, why it
matters in production and how to mend it.

The rules decide nothing, and go by what a client sent and was answered; what a test does on purpose is told from it
as far as that can be. A severity below is the gravest that the rule knows: where the same may be right, a finding is
\`info\`. What is wrong on purpose and found all the same is muted by the header \`Sandbox-Test: negative\` on the request.
A reset, of a company or of all, begins a world in which the same keys and tokens mean something else.

\`critical\` costs money or leaks a secret; \`high\` fails in production; \`warn\` fails under load or in time; \`info\` is worth
knowing.
`;

function section(id) {
  const { severity, title, why, mend, spec } = rules[id];
  return `
## ${id}: ${title}

\`${severity}\`, specification ${spec}. ${why}

${mend}
`;
}

/** The page as the rules have it. */
export function findingsText() {
  return introduction + ruleIds.map(section).join("");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  writeFileSync(findingsPage, findingsText());
