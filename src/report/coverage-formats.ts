import { operationIds, operations } from "../contract/operations.ts";
import type { CoverageReport, CoverageTotal, PointCoverage } from "./coverage.ts";

export const coverageFormats = ["json", "markdown", "junit", "html"] as const;
export type CoverageFormat = (typeof coverageFormats)[number];

/** A report as text, and its media type. */
export function formatCoverage(
  report: CoverageReport,
  format: CoverageFormat,
): { readonly text: string; readonly type: string } {
  switch (format) {
    case "json":
      return { text: JSON.stringify(report), type: "application/json" };
    case "markdown":
      return { text: markdown(report), type: "text/markdown; charset=utf-8" };
    case "junit":
      return { text: junit(report), type: "application/xml; charset=utf-8" };
    case "html":
      return { text: html(report), type: "text/html; charset=utf-8" };
  }
}

function percent({ points, met }: CoverageTotal): string {
  return points === 0 ? "–" : `${Math.floor((met / points) * 100)} %`;
}

function share(total: CoverageTotal): string {
  return `${total.met} of ${total.points} (${percent(total)})`;
}

/** What an operation is called by. */
function pathOf(id: (typeof operationIds)[number]): string {
  return `${operations[id].method} ${operations[id].path.replace(/:([a-z]+)/g, "{$1}")}`;
}

function stateOf({ times, excluded }: PointCoverage): "met" | "not met" | "excluded" {
  if (excluded) return "excluded";
  return times > 0 ? "met" : "not met";
}

function markdown({ total, by_provenance, by_operation, points }: CoverageReport): string {
  const rows = (cells: readonly (readonly unknown[])[]) =>
    cells.map((row) => `| ${row.join(" | ")} |`).join("\n");
  return `# Contract coverage

${share(total)} contract points were met.

${rows([
  ["Provenance", "Met"],
  ["---", "---"],
  ...Object.entries(by_provenance).map(([provenance, each]) => [provenance, share(each)]),
])}

${rows([
  ["Operation", "Met"],
  ["---", "---"],
  ...operationIds.map((id) => [`\`${pathOf(id)}\``, share(by_operation[id])]),
])}

${rows([
  ["Point", "Status", "Provenance", "Spec", "Met", "First by"],
  ["---", "---", "---", "---", "---", "---"],
  ...points.map((point) => [
    `\`${point.id}\``,
    point.status,
    point.provenance,
    point.spec,
    point.excluded ? "excluded" : point.times,
    point.first ? `request ${point.first.request_id}` : "",
  ]),
])}
`;
}

/** A point is a test case: one that was not met failed, one that is excluded was skipped. */
function junit({ total, points }: CoverageReport): string {
  const outcomes = {
    met: () => "/>",
    excluded: () => "><skipped/></testcase>",
    "not met": ({ status, title, spec }: PointCoverage) =>
      `><failure message="${text(`${status} ${title} (${spec}): no request met it`)}"/></testcase>`,
  };
  const cases = points.map((point) => {
    const name = `name="${text(point.id)}" classname="card-sandbox.${point.provenance}"`;
    return `    <testcase ${name}${outcomes[stateOf(point)](point)}`;
  });
  const skipped = points.length - total.points;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="contract coverage" tests="${points.length}" failures="${total.points - total.met}" skipped="${skipped}">
${cases.join("\n")}
  </testsuite>
</testsuites>
`;
}

/** One page that needs nothing from outside. */
function html({ total, by_provenance, by_operation, points }: CoverageReport): string {
  const row = (cells: readonly unknown[], kind = "") =>
    `<tr${kind && ` class="${kind.replace(" ", "-")}"`}>${cells.map((cell) => `<td>${text(String(cell))}</td>`).join("")}</tr>`;
  const table = (caption: string, head: readonly string[], rows: readonly string[]) =>
    `<table><caption>${caption}</caption><thead><tr>${head.map((cell) => `<th scope="col">${cell}</th>`).join("")}</tr></thead><tbody>${rows.join("\n")}</tbody></table>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Contract coverage</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1.5rem 0; width: 100%; }
caption { font-weight: 600; text-align: left; }
th, td { border-bottom: 1px solid color-mix(in srgb, currentcolor 25%, transparent); padding: .25rem .5rem; text-align: left; }
.met td:first-child::before { content: "✓ "; }
.not-met td:first-child::before { content: "✗ "; }
.excluded { opacity: .6; }
</style>
</head>
<body>
<h1>Contract coverage</h1>
<p>${share(total)} contract points were met.</p>
${table(
  "By provenance",
  ["Provenance", "Met"],
  Object.entries(by_provenance).map(([provenance, each]) => row([provenance, share(each)])),
)}
${table(
  "By operation",
  ["Operation", "Met"],
  operationIds.map((id) => row([pathOf(id), share(by_operation[id])])),
)}
${table(
  "Contract points",
  ["Point", "Status", "Provenance", "Spec", "What", "Times", "First by"],
  points.map((point) =>
    row(
      [
        point.id,
        point.status,
        point.provenance,
        point.spec,
        point.title,
        point.excluded ? "excluded" : point.times,
        point.first ? `request ${point.first.request_id}: ${point.first.method} ${point.first.path}` : "",
      ],
      stateOf(point),
    ),
  ),
)}
</body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as XML and HTML take it; characters that XML cannot hold are left out. */
function text(raw: string): string {
  return raw
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
