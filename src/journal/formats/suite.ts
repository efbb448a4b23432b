import type { Severity } from "../findings/finding.ts";
import type { Gates, SuiteReport, UnusedScenario } from "../suite.ts";
import { coverageHtml, coverageMarkdown, coverageSuite } from "./coverage.ts";
import { escapeMarkdown, escapeMarkup } from "./escape.ts";
import { findingsHtml, findingsMarkdown, findingsSuite } from "./findings.ts";
import { type Formatted, formatted, markdownPage, type ReportFormat } from "./formatted.ts";
import { htmlBadge, htmlPage, htmlText } from "./html.ts";
import { type JunitSuite, junit } from "./junit.ts";

const title = "Contract test against card-sandbox";

/**
 * Writes the whole report of a run.
 * @param gates - JUnit's test cases fail only because of these
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
  const { checks, unfired, findings, coverage } = report;
  return markdownPage(
    `# ${title}`,
    `${verdict(report)}, exit code ${report.exit_code}.`,
    checks
      .map(({ name, passed, message }) => {
        return `- ${passed ? "passed" : "**failed**"}: ${escapeMarkdown(name)}: ${escapeMarkdown(message)}`;
      })
      .join("\n"),
    "## Findings",
    ...findingsMarkdown(findings, "###"),
    ...(unfired.length === 0 ? [] : ["## Armed scenarios that never fired"]),
    unfired.map((each) => `- ${escapeMarkdown(unusedScenarioText(each))}`).join("\n"),
    "## Contract coverage",
    ...coverageMarkdown(coverage),
  );
}

function suites(
  { checks, findings, coverage }: SuiteReport,
  { require, failOn }: { readonly require: Gates["require"]; readonly failOn: Severity | undefined },
): JunitSuite[] {
  const gateCases: JunitSuite = {
    name: "checks",
    cases: checks.map(({ name, passed, message }) => ({
      name,
      classname: "checks",
      ...(passed ? {} : { failure: message }),
    })),
  };
  const required = new Set(require);
  const notMet = coverageSuite(coverage, (point, id) =>
    required.has(id)
      ? { failure: `${point}: it is required, and no request met it` }
      : { skipped: `${point}: no request met it` },
  );
  return [gateCases, findingsSuite(findings, failOn), notMet];
}

function html(report: SuiteReport): string[] {
  const { checks, findings, unfired, coverage, exit_code } = report;
  const items = checks.map(({ name, passed, message }) => {
    const badge = passed ? htmlBadge("passed") : htmlBadge("failed");
    return `<li>${badge}<code>${htmlText(name)}</code>: ${htmlText(message)}</li>`;
  });
  return [
    `<p>${htmlBadge(verdict(report), exit_code === 0 ? "passed" : "failed")}exit code ${exit_code}</p>`,
    `<ul>${items.join("\n")}</ul>`,
    "<h2>Findings</h2>",
    ...findingsHtml(findings, "h3"),
    ...(unfired.length === 0
      ? []
      : [
          "<h2>Armed scenarios that never fired</h2>",
          `<ul>${unfired.map((each) => `<li>${escapeMarkup(unusedScenarioText(each))}</li>`).join("\n")}</ul>`,
        ]),
    "<h2>Contract coverage</h2>",
    ...coverageHtml(coverage),
  ];
}

/** An unused scenario and its arming: `conflict, for northwind, on freezeCard` */
export function unusedScenarioText({ name, company, operation, times, api_key_id }: UnusedScenario): string {
  return [
    name,
    company === null ? "for all" : `for ${company}`,
    ...(operation === null ? [] : [`on ${operation}`]),
    ...(api_key_id === null ? [] : [`for the API key ${api_key_id}`]),
    ...(times === null ? [] : [times === 1 ? "once" : `${times} times`]),
  ].join(", ");
}
