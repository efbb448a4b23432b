import { type OperationId, operationIds, operations } from "../../contract/operations.ts";
import type { PointId } from "../../contract/points.ts";
import type { CoverageReport, CoverageTotal, PointCoverage } from "../coverage.ts";
import { type Formatted, formatted, markdownPage, markdownTable, type ReportFormat } from "./formatted.ts";
import { htmlPage, htmlTable } from "./html.ts";
import { type JunitSuite, junit } from "./junit.ts";

export function formatCoverage(report: CoverageReport, format: ReportFormat): Formatted {
  return formatted(format, {
    json: () => JSON.stringify(report),
    markdown: () => markdownPage("# Contract coverage", ...coverageMarkdown(report)),
    junit: () => junit([coverageSuite(report, (point) => ({ failure: `${point}: no request met it` }))]),
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
 * Each contract point is a test case; an excluded one is skipped.
 * @param notMet - the outcome of a point that was not met; `point` is its status, title and section
 */
export function coverageSuite(
  { points }: CoverageReport,
  notMet: (point: string, id: PointId) => { readonly failure: string } | { readonly skipped: string },
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

/** Rounded down: 100 % means that every point was met. */
function percent({ points, met }: CoverageTotal): string {
  return points === 0 ? "–" : `${Math.floor((met * 100) / points)} %`;
}

export function share(total: CoverageTotal): string {
  return `${total.met} of ${total.points} (${percent(total)})`;
}

/** Such as `GET /developer/cards/{id}`. */
export function pathOf(id: OperationId): string {
  return `${operations[id].method} ${operations[id].path.replace(/:([a-z]+)/g, "{$1}")}`;
}

function stateOf({ times, excluded }: PointCoverage): "met" | "not met" | "excluded" {
  if (excluded) return "excluded";
  return times > 0 ? "met" : "not met";
}

export function specifiedNotMet({ points }: CoverageReport): PointCoverage[] {
  return points.filter((point) => point.provenance === "specified" && stateOf(point) === "not met");
}

/** The operations of which requests met a point. */
export function operationsTouched({ by_operation }: CoverageReport): OperationId[] {
  return operationIds.filter((id) => by_operation[id].met > 0);
}
