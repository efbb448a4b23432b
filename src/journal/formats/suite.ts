import type { Severity } from "../findings/finding.ts";
import type { Gates, SuiteReport, UnusedScenario } from "../suite.ts";
import { coverageHtml, coverageMarkdown, coverageSuite } from "./coverage.ts";
import { escapeMarkdown, escapeMarkup } from "./escape.ts";
import { findingsHtml, findingsMarkdown, findingsSuite } from "./findings.ts";
import { type Formatted, formatted, markdownPage, type ReportFormat, timesText } from "./formatted.ts";
import { htmlBadge, htmlPage, htmlText } from "./html.ts";
import { type JunitSuite, junit } from "./junit.ts";

const title = "card-sandbox test report";

/**
 * Formats the report of a run.
 * @param gates - only these make a JUnit test case fail
 */
export function formatSuite(report: SuiteReport, gates: Gates, format: ReportFormat): Formatted {
  return formatted(format, {
    json: () => `${JSON.stringify(report, null, 2)}\n`,
    markdown: () => markdown(report),
    junit: () => junit(suites(report, gates)),
    html: () => htmlPage(title, html(report)),
  });
}

function verdict({ exit_code }: SuiteReport): string {
  return exit_code === 0 ? "Passed" : "Failed";
}

function markdown(report: SuiteReport): string {
  const { gates, unused_scenarios, findings, coverage } = report;
  return markdownPage(
    `# ${title}`,
    `${verdict(report)}, exit code ${report.exit_code}.`,
    "## Gates",
    gates
      .map(({ name, passed, message }) => {
        return `- ${passed ? "passed" : "**failed**"}: ${escapeMarkdown(name)}: ${escapeMarkdown(message)}`;
      })
      .join("\n"),
    "## Findings",
    ...findingsMarkdown(findings, "###"),
    ...baselineRemarks(report).map(
      ([title, names]) => `${title}:\n\n${names.map((name) => `- ${escapeMarkdown(name)}`).join("\n")}`,
    ),
    ...(unused_scenarios.length === 0 ? [] : ["## Unused scenarios"]),
    unused_scenarios.map((each) => `- ${escapeMarkdown(unusedScenarioText(each))}`).join("\n"),
    "## Contract coverage",
    ...coverageMarkdown(coverage),
  );
}

function suites(
  { gates, findings, coverage, accepted }: SuiteReport,
  { require, failOn }: { readonly require: Gates["require"]; readonly failOn: Severity | undefined },
): JunitSuite[] {
  const gateCases: JunitSuite = {
    name: "gates",
    cases: gates.map(({ name, passed, message }) => ({
      name,
      classname: "gates",
      ...(passed ? {} : { failure: message }),
    })),
  };
  const required = new Set(require);
  const notMet = coverageSuite(coverage, (point, id) =>
    required.has(id) ? { failure: `required, but not met: ${point}` } : { skipped: `not met: ${point}` },
  );
  return [gateCases, findingsSuite(findings, failOn, accepted), notMet];
}

function html(report: SuiteReport): string[] {
  const { gates, findings, unused_scenarios, coverage, exit_code } = report;
  const items = gates.map(({ name, passed, message }) => {
    const badge = passed ? htmlBadge("passed") : htmlBadge("failed");
    return `<li>${badge}<code>${htmlText(name)}</code>: ${htmlText(message)}</li>`;
  });
  return [
    `<p>${htmlBadge(verdict(report), exit_code === 0 ? "passed" : "failed")}exit code ${exit_code}</p>`,
    "<h2>Gates</h2>",
    `<ul>${items.join("\n")}</ul>`,
    "<h2>Findings</h2>",
    ...findingsHtml(findings, "h3"),
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
