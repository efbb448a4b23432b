import type { CoverageReport } from "../coverage.ts";
import type { FindingsReport } from "../findings/finding.ts";
import type { SuiteReport, UnusedScenario } from "../suite.ts";
import { operationsTouched, pathOf, share, specifiedNotMet } from "./coverage.ts";
import { escapeControls } from "./escape.ts";
import { findingTotals, placeOf, timesSeen } from "./findings.ts";
import { unusedScenarioText } from "./suite.ts";

const shownPoints = 10;
const shownUnused = 10;

/** The report on standard error at the end of a run; the verdict comes last. */
export function terminalReport(report: SuiteReport): string {
  const { coverage, findings, unfired, checks, exit_code } = report;
  const failed = checks.filter(({ passed }) => !passed);
  const sections = [
    coverageLines(coverage),
    notMetLines(coverage),
    findingLines(findings),
    unusedLines(unfired),
    failed.length === 0
      ? ["card-sandbox: passed"]
      : [
          `card-sandbox: failed, exit code ${exit_code}`,
          ...failed.map(({ name, message }) => `  ✗ ${name}: ${message}`),
        ],
  ];
  return `\n${sections.map((lines) => lines.map(escapeControls).join("\n")).join("\n\n")}\n`;
}

function coverageLines(coverage: CoverageReport): string[] {
  const { total, by_provenance, by_operation } = coverage;
  const touched = operationsTouched(coverage).map((id) => [pathOf(id), share(by_operation[id])] as const);
  const rows = [
    ["Contract points met", share(total)] as const,
    ...Object.entries(by_provenance).map(([name, each]) => [`  ${name}`, share(each)] as const),
    ...(touched.length === 0 ? [] : [["Operations", ""] as const]),
    ...touched.map(([path, each]) => [`  ${path}`, each] as const),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, each]) => `${name.padEnd(width)}  ${each}`.trimEnd());
}

function notMetLines(coverage: CoverageReport): string[] {
  const points = specifiedNotMet(coverage);
  if (points.length === 0) return ["Specified points not met: none"];
  const shown = points.slice(0, shownPoints);
  const width = Math.max(...shown.map(({ id }) => id.length));
  const more = points.length - shown.length;
  return [
    `Specified points not met: ${points.length}`,
    ...shown.map(({ id, status, title }) => `  ${id.padEnd(width)}  ${status}  ${title}`),
    ...(more > 0 ? [`  and ${more} more: --report FILE.html shows them all`] : []),
  ];
}

function findingLines(report: FindingsReport): string[] {
  return [
    `Findings: ${findingTotals(report)}`,
    ...report.findings.flatMap(({ id, severity, title, times, occurrences: [first], mend }) => [
      `  ${severity.padEnd(8)}  ${id}  ${title} (${timesSeen({ times })})`,
      ...(first ? [`    seen: ${first.seen} (${placeOf(first)})`] : []),
      `    mend: ${mend}`,
    ]),
    ...(report.findings.length > 0
      ? [
          "  A request that is wrong on purpose says so by the header Sandbox-Test: negative, and is left out.",
        ]
      : []),
  ];
}

function unusedLines(unused: readonly UnusedScenario[]): string[] {
  if (unused.length === 0) return ["Armed scenarios that never fired: none"];
  const more = unused.length - shownUnused;
  return [
    `Armed scenarios that never fired: ${unused.length}`,
    ...unused.slice(0, shownUnused).map((each) => `  ${unusedScenarioText(each)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
