import type { CoverageReport } from "../coverage.ts";
import type { FindingsReport, Severity } from "../findings/finding.ts";
import type { SuiteReport, UnusedScenario } from "../suite.ts";
import { operationsTouched, pathOf, share, specifiedNotMet } from "./coverage.ts";
import { escapeControls } from "./escape.ts";
import { findingTotals, placeOf } from "./findings.ts";
import { timesText } from "./formatted.ts";
import { baselineRemarks, unusedScenarioText } from "./suite.ts";

const maxPoints = 10;
const maxUnused = 10;

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Adds a style to text, if its terminal shows styles. */
export type Paint = (style: Style, text: string) => string;

/** A line, or its parts, of which some have a style. */
type Line = string | readonly (string | readonly [Style, string])[];

/** The report on standard error at the end of a run; the verdict comes last. */
export function terminalReport(report: SuiteReport, paint: Paint = (_style, text) => text): string {
  const { coverage, findings, unused_scenarios, gates, exit_code } = report;
  const failed = gates.filter(({ passed }) => !passed);
  const sections = [
    coverageLines(coverage),
    notMetLines(coverage),
    [...findingLines(findings), ...baselineLines(report)],
    unusedLines(unused_scenarios),
    failed.length === 0
      ? [[["green", "card-sandbox: passed"]]]
      : [
          [["red", `card-sandbox: failed, exit code ${exit_code}`]],
          ...failed.map(({ name, message }): Line => [["red", `  ✗ ${name}`], `: ${message}`]),
        ],
  ] satisfies (readonly Line[])[];
  const textOf = (line: Line) =>
    (typeof line === "string" ? [line] : line)
      .map((part) =>
        typeof part === "string" ? escapeControls(part) : paint(part[0], escapeControls(part[1])),
      )
      .join("");
  return `\n${sections.map((lines) => lines.map(textOf).join("\n")).join("\n\n")}\n`;
}

const severityStyles: Readonly<Record<Severity, Style>> = {
  critical: "red",
  high: "red",
  warn: "yellow",
  info: "cyan",
};

const heading = (text: string): Line => [["bold", text]];

function coverageLines(coverage: CoverageReport): Line[] {
  const { total, by_provenance, by_operation } = coverage;
  const touched = operationsTouched(coverage).map((id) => [pathOf(id), share(by_operation[id])] as const);
  const rows = [
    ["Contract points met", share(total)] as const,
    ...Object.entries(by_provenance).map(([name, each]) => [`  ${name}`, share(each)] as const),
    ...(touched.length === 0 ? [] : [["Operations", ""] as const]),
    ...touched.map(([path, each]) => [`  ${path}`, each] as const),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, each]) => {
    const line = `${name.padEnd(width)}  ${each}`.trimEnd();
    return name.startsWith(" ") ? line : heading(line);
  });
}

function notMetLines(coverage: CoverageReport): Line[] {
  const points = specifiedNotMet(coverage);
  if (points.length === 0) return [heading("Specified contract points not met: none")];
  const shown = points.slice(0, maxPoints);
  const width = Math.max(...shown.map(({ id }) => id.length));
  const more = points.length - shown.length;
  return [
    heading(`Specified contract points not met: ${points.length}`),
    ...shown.map(({ id, status, title }) => `  ${id.padEnd(width)}  ${status}  ${title}`),
    ...(more > 0 ? [`  and ${more} more (add --report FILE.html to see all)`] : []),
  ];
}

function findingLines(report: FindingsReport): Line[] {
  return [
    heading(`Findings: ${findingTotals(report)}`),
    ...report.findings.flatMap(({ id, severity, title, times, occurrences: [first], fix }): Line[] => [
      [[severityStyles[severity], `  ${severity.padEnd(8)}  ${id}`], `  ${title} (${timesText(times)})`],
      ...(first ? [`    observed: ${first.observed} (${placeOf(first)})`] : []),
      ...(first?.replay === undefined ? [] : [`    replay: ${first.replay}`]),
      `    fix: ${fix}`,
    ]),
    ...(report.findings.length > 0
      ? [
          "  Send the header Sandbox-Test: negative with requests that are wrong on purpose: findings ignore them.",
        ]
      : []),
  ];
}

function baselineLines(report: SuiteReport): Line[] {
  return baselineRemarks(report).flatMap(([title, names]): Line[] => {
    const more = names.length - maxUnused;
    return [
      `  ${title}:`,
      ...names.slice(0, maxUnused).map((name) => `    ${name}`),
      ...(more > 0 ? [`    and ${more} more`] : []),
    ];
  });
}

function unusedLines(unused: readonly UnusedScenario[]): Line[] {
  if (unused.length === 0) return [heading("Unused scenarios: none")];
  const more = unused.length - maxUnused;
  return [
    heading(`Unused scenarios (armed but never fired): ${unused.length}`),
    ...unused.slice(0, maxUnused).map((each) => `  ${unusedScenarioText(each)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
