import { type OperationId, operationIds, operations, shownPath } from "../../contract/operations.ts";
import type { ContractPointId } from "../../contract/points.ts";
import {
  type CoverageReport,
  type CoverageTotal,
  type FirstRequest,
  type PointCoverage,
  percent,
} from "../coverage.ts";
import {
  type Formatted,
  formatted,
  markdownPage,
  markdownTable,
  type ReportFormat,
  timesText,
} from "./formatted.ts";
import { htmlPage, htmlTable } from "./html.ts";
import { type JunitSuite, junit } from "./junit.ts";

export function formatCoverage(report: CoverageReport, format: ReportFormat): Formatted {
  return formatted(format, {
    json: () => JSON.stringify(report),
    markdown: () => markdownPage("# Contract coverage", ...coverageMarkdown(report)),
    junit: () => junit([coverageSuite(report, (point) => ({ failure: `not met: ${point}` }))]),
    html: () => htmlPage("Contract coverage", coverageHtml(report)),
  });
}

function metInTotal({ total }: CoverageReport): string {
  return `${total.met} of ${total.points} contract points met (${percent(total)}).`;
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
      ["Contract point", "Status", "Provenance", "Spec", "Requests", "First request"],
      points.map((point) => [
        `\`${point.id}\``,
        point.status,
        point.provenance,
        point.spec,
        point.excluded ? "excluded" : point.times,
        point.first?.request_id ?? "",
      ]),
    ),
  ];
}

/**
 * Each contract point is a test case; an excluded point is skipped.
 * @param notMet - the outcome of a point that was not met; `point` is its status, title and spec section
 */
export function coverageSuite(
  { points }: CoverageReport,
  notMet: (point: string, id: ContractPointId) => { readonly failure: string } | { readonly skipped: string },
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
      "Contract points by provenance",
      ["Provenance", "Met"],
      Object.entries(by_provenance).map(([provenance, each]) => [provenance, share(each)]),
    ),
    htmlTable(
      "Contract points by operation",
      ["Operation", "Met"],
      operationIds.map((id) => [pathOf(id), share(by_operation[id])]),
    ),
    notMet.length === 0
      ? ""
      : htmlTable(
          "Specified contract points not met",
          ["Contract point", "Status", "Spec", "Description"],
          notMet.map(({ id, status, spec, title }) => [id, status, spec, title]),
        ),
    `<details>
<summary>All ${points.length} contract points</summary>
${htmlTable(
  "Contract points",
  ["Contract point", "Met", "Status", "Provenance", "Spec", "Description", "First request"],
  points.map((point) => [
    point.id,
    stateOf(point) === "met" ? `met, ${timesText(point.times)}` : stateOf(point),
    point.status,
    point.provenance,
    point.spec,
    point.title,
    point.first ? firstText(point.first) : "",
  ]),
)}
</details>`,
  ];
}

/** `4: GET /developer/cards`, in a merged report with its source. */
function firstText({ request_id, method, path, source }: FirstRequest): string {
  return `${request_id}: ${method} ${path}${source === undefined ? "" : ` (${source})`}`;
}

export function share(total: CoverageTotal): string {
  return `${total.met} of ${total.points} (${percent(total)})`;
}

/** For example `GET /developer/cards/{id}`. */
export function pathOf(id: OperationId): string {
  return `${operations[id].method} ${shownPath(operations[id])}`;
}

function stateOf({ times, excluded }: PointCoverage): "met" | "not met" | "excluded" {
  if (excluded) return "excluded";
  return times > 0 ? "met" : "not met";
}

export function specifiedNotMet({ points }: CoverageReport): PointCoverage[] {
  return points.filter((point) => point.provenance === "specified" && stateOf(point) === "not met");
}

/** The operations whose requests met at least one point. */
export function operationsTouched({ by_operation }: CoverageReport): OperationId[] {
  return operationIds.filter((id) => by_operation[id].met > 0);
}
