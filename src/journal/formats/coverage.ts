import { operationIds } from "../../contract/operations.ts";
import type { PointId } from "../../contract/points.ts";
import type { CoverageReport, PointCoverage } from "../coverage.ts";
import { pathOf, share, specifiedNotMet, stateOf } from "./coverage-words.ts";
import { type Formatted, formatted, type ReportFormat } from "./formatted.ts";
import { htmlPage, htmlTable } from "./html.ts";
import { type JunitSuite, junit } from "./junit.ts";
import { markdownPage, markdownTable } from "./markdown.ts";

/** Which contract points were met, alone. */
export function formatCoverage(report: CoverageReport, format: ReportFormat): Formatted {
  return formatted(format, {
    json: () => JSON.stringify(report),
    markdown: () => markdownPage("# Contract coverage", ...coverageMarkdown(report)),
    junit: () => junit([coverageSuite(report, (said) => ({ failure: `${said}: no request met it` }))]),
    html: () => htmlPage("Contract coverage", coverageHtml(report)),
  });
}

function metInTotal({ total }: CoverageReport): string {
  return `${share(total)} contract points were met.`;
}

export function coverageMarkdown(report: CoverageReport): string[] {
  const { by_provenance, by_operation, points } = report;
  return [
    metInTotal(report),
    markdownTable(
      ["Provenance", "Met"],
      Object.entries(by_provenance).map(([provenance, each]) => [provenance, share(each)]),
    ),
    markdownTable(
      ["Operation", "Met"],
      operationIds.map((id) => [`\`${pathOf(id)}\``, share(by_operation[id])]),
    ),
    markdownTable(
      ["Point", "Status", "Provenance", "Spec", "Met", "First by"],
      points.map((point) => [
        `\`${point.id}\``,
        point.status,
        point.provenance,
        point.spec,
        point.excluded ? "excluded" : point.times,
        point.first ? `request ${point.first.request_id}` : "",
      ]),
    ),
  ];
}

/**
 * A point is a test case: one that is excluded was skipped.
 * @param notMet - what becomes of one that was not met, told by its status, its title and its section
 */
export function coverageSuite(
  { points }: CoverageReport,
  notMet: (said: string, id: PointId) => { readonly failure: string } | { readonly skipped: string },
): JunitSuite {
  const outcome = (point: PointCoverage) => {
    const state = stateOf(point);
    if (state === "met") return {};
    if (state === "excluded") return { skipped: "" };
    return notMet(`${point.status} ${point.title} (${point.spec})`, point.id);
  };
  return {
    name: "contract coverage",
    cases: points.map((point) => ({ name: point.id, classname: point.provenance, ...outcome(point) })),
  };
}

export function coverageHtml(report: CoverageReport): string[] {
  const { by_provenance, by_operation, points } = report;
  const notMet = specifiedNotMet(report);
  return [
    `<p>${metInTotal(report)}</p>`,
    htmlTable(
      "By provenance",
      ["Provenance", "Met"],
      Object.entries(by_provenance).map(([provenance, each]) => [provenance, share(each)]),
    ),
    htmlTable(
      "By operation",
      ["Operation", "Met"],
      operationIds.map((id) => [pathOf(id), share(by_operation[id])]),
    ),
    notMet.length === 0
      ? ""
      : htmlTable(
          "Specified, and not met",
          ["Point", "Status", "Spec", "What"],
          notMet.map(({ id, status, spec, title }) => [id, status, spec, title]),
        ),
    `<details>
<summary>All ${points.length} contract points</summary>
${htmlTable(
  "Contract points",
  ["Point", "Met", "Status", "Provenance", "Spec", "What", "First by"],
  points.map((point) => [
    point.id,
    stateOf(point) === "met" ? `met, ${timesOf(point.times)}` : stateOf(point),
    point.status,
    point.provenance,
    point.spec,
    point.title,
    point.first ? `request ${point.first.request_id}: ${point.first.method} ${point.first.path}` : "",
  ]),
)}
</details>`,
  ];
}

function timesOf(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
