import type { Severity } from "../findings/finding.ts";
import type { GateResult, Gates, SuiteReport, UnusedScenario } from "../suite.ts";
import { coverageHtml, coverageMarkdown, coverageSuite } from "./coverage.ts";
import { escapeMarkdown, escapeMarkup } from "./escape.ts";
import {
  type Evidence,
  evidenceHtml,
  evidenceJson,
  evidenceLines,
  evidenceMarkdown,
  replayLines,
} from "./evidence.ts";
import {
  findingsHtml,
  findingsJson,
  findingsLeftOut,
  findingsMarkdown,
  findingsSuite,
  leftOut,
} from "./findings.ts";
import { type Formatted, formatted, markdownPage, type ReportFormat, timesText } from "./formatted.ts";
import { htmlBadge, htmlNote, htmlPage, htmlText } from "./html.ts";
import { type JunitSuite, junit } from "./junit.ts";
import { fitted, largestMarkdown, type Room } from "./room.ts";

const title = "card-sandbox test report";

/**
 * Formats the report of a run.
 * @param gates - only these make a JUnit test case fail
 */
export function formatSuite(report: SuiteReport, gates: Gates, format: ReportFormat): Formatted {
  return formatted(format, {
    json: () => fitted((room) => `${JSON.stringify(json(report, room), null, 2)}\n`),
    markdown: () => fitted((room) => markdown(report, room), largestMarkdown),
    junit: () => fitted((room) => junit(suites(report, gates, room), findingsLeftOut(room))),
    html: () => fitted((room) => htmlPage(title, html(report, room))),
  });
}

/** The reports and sandboxes that were judged together; empty for one run. */
function sourcesText({ sources }: SuiteReport): string {
  return sources.length === 0 ? "" : `Of: ${sources.join(", ")}`;
}

function verdict({ exit_code }: SuiteReport): string {
  return exit_code === 0 ? "Passed" : "Failed";
}

function json(report: SuiteReport, room: Room): SuiteReport {
  const gates = report.gates.map((gate) =>
    gate.evidence ? { ...gate, evidence: evidenceJson(gate.evidence, room) } : gate,
  );
  const whole = { ...report, gates, findings: findingsJson(report.findings, room) };
  return { ...whole, ...leftOut(room) };
}

function evidenceOf({ evidence = [], replay }: GateResult): Evidence {
  return { requests: evidence, replay };
}

function markdown(report: SuiteReport, room: Room): string {
  const { gates, unused_scenarios, findings, coverage } = report;
  return markdownPage(
    `# ${title}`,
    `${verdict(report)}, exit code ${report.exit_code}.`,
    escapeMarkdown(sourcesText(report)),
    "## Gates",
    gates
      .map(({ name, passed, message, replay }) => {
        const text = [message, ...replayLines(replay)].map(escapeMarkdown).join(". ");
        return `- ${passed ? "passed" : "**failed**"}: ${escapeMarkdown(name)}: ${text}`;
      })
      .join("\n"),
    ...gates.flatMap(({ name, evidence = [] }) => {
      const blocks = evidenceMarkdown(evidence, room);
      return blocks === "" ? [] : [`Requests of ${escapeMarkdown(name)}:`, blocks];
    }),
    "## Findings",
    ...findingsMarkdown(findings, "###", room),
    ...baselineRemarks(report).map(
      ([title, names]) => `${title}:\n\n${names.map((name) => `- ${escapeMarkdown(name)}`).join("\n")}`,
    ),
    ...(unused_scenarios.length === 0 ? [] : ["## Unused scenarios"]),
    unused_scenarios.map((each) => `- ${escapeMarkdown(unusedScenarioText(each))}`).join("\n"),
    "## Contract coverage",
    ...coverageMarkdown(coverage),
    findingsLeftOut(room),
  );
}

function suites(
  { gates, findings, coverage, accepted }: SuiteReport,
  { require, failOn }: { readonly require: Gates["require"]; readonly failOn: Severity | undefined },
  room: Room,
): JunitSuite[] {
  const gateCases: JunitSuite = {
    name: "gates",
    cases: gates.map((gate) => ({
      name: gate.name,
      classname: "gates",
      ...(!gate.passed && {
        failure: gate.message,
        details: evidenceLines(evidenceOf(gate), room).join("\n"),
      }),
    })),
  };
  const required = new Set(require);
  const notMet = coverageSuite(coverage, (point, id) =>
    required.has(id) ? { failure: `required, but not met: ${point}` } : { skipped: `not met: ${point}` },
  );
  return [gateCases, findingsSuite(findings, failOn, accepted, room), notMet];
}

function html(report: SuiteReport, room: Room): string[] {
  const { gates, findings, unused_scenarios, coverage, exit_code } = report;
  const items = gates.map((gate) => {
    const badge = gate.passed ? htmlBadge("passed") : htmlBadge("failed");
    return `<li>${badge}<code>${htmlText(gate.name)}</code>: ${htmlText(gate.message)}${evidenceHtml(evidenceOf(gate), room)}</li>`;
  });
  return [
    `<p>${htmlBadge(verdict(report), exit_code === 0 ? "passed" : "failed")}exit code ${exit_code}</p>`,
    report.sources.length === 0 ? "" : `<p>${htmlText(sourcesText(report))}</p>`,
    "<h2>Gates</h2>",
    `<ul>${items.join("\n")}</ul>`,
    "<h2>Findings</h2>",
    ...findingsHtml(findings, "h3", room),
    ...baselineRemarks(report).map(
      ([title, names]) =>
        `<p>${title}:</p>\n<ul>${names.map((name) => `<li>${escapeMarkup(name)}</li>`).join("")}</ul>`,
    ),
    ...(unused_scenarios.length === 0
      ? []
      : [
          "<h2>Unused scenarios</h2>",
          `<ul>${unused_scenarios.map((each) => `<li>${escapeMarkup(unusedScenarioText(each))}</li>`).join("\n")}</ul>`,
        ]),
    "<h2>Contract coverage</h2>",
    ...coverageHtml(coverage),
    htmlNote(findingsLeftOut(room)),
  ];
}

/** How the findings differ from the baseline. */
export function baselineRemarks({
  accepted,
  no_longer,
}: Pick<SuiteReport, "accepted" | "no_longer">): (readonly [title: string, names: readonly string[]])[] {
  return [
    ["Accepted by the baseline", accepted] as const,
    ["In the baseline, but no longer so; write it again with --write-baseline", no_longer] as const,
  ].filter(([, names]) => names.length > 0);
}

/** An unused scenario and its arming: `conflict, armed for company northwind, on freezeCard` */
export function unusedScenarioText({ name, company, operation, times, api_key_id }: UnusedScenario): string {
  return [
    name,
    company === null ? "armed for all companies" : `armed for company ${company}`,
    ...(operation === null ? [] : [`on ${operation}`]),
    ...(api_key_id === null ? [] : [`for API key ${api_key_id}`]),
    ...(times === null ? [] : [timesText(times)]),
  ].join(", ");
}
