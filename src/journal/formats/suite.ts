import type { Severity } from "../findings/finding.ts";
import type { Gates, SuiteReport } from "../suite.ts";
import { coverageHtml, coverageMarkdown, coverageSuite } from "./coverage.ts";
import { escapeMarkdown, escapeMarkup } from "./escape.ts";
import { findingsHtml, findingsMarkdown, findingsSuite } from "./findings.ts";
import { type Formatted, formatted, type ReportFormat } from "./formatted.ts";
import { htmlBadge, htmlPage, htmlText } from "./html.ts";
import { type JunitSuite, junit } from "./junit.ts";
import { markdownPage } from "./markdown.ts";
import { unfiredWords } from "./unfired-words.ts";

const title = "Contract test against card-sandbox";

/**
 * All that there is to tell of a suite that ran.
 * @param gates - what it was held to: JUnit has nothing fail beside that
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
    unfired.map((each) => `- ${escapeMarkdown(unfiredWords(each))}`).join("\n"),
    "## Contract coverage",
    ...coverageMarkdown(coverage),
  );
}

function suites(
  { checks, findings, coverage }: SuiteReport,
  { require, failOn }: { readonly require: Gates["require"]; readonly failOn: Severity | undefined },
): JunitSuite[] {
  const held: JunitSuite = {
    name: "checks",
    cases: checks.map(({ name, passed, message }) => ({
      name,
      classname: "checks",
      ...(passed ? {} : { failure: message }),
    })),
  };
  const required = new Set(require);
  const notMet = coverageSuite(coverage, (said, id) =>
    required.has(id)
      ? { failure: `${said}: it is required, and no request met it` }
      : { skipped: `${said}: no request met it` },
  );
  return [held, findingsSuite(findings, failOn), notMet];
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
          `<ul>${unfired.map((each) => `<li>${escapeMarkup(unfiredWords(each))}</li>`).join("\n")}</ul>`,
        ]),
    "<h2>Contract coverage</h2>",
    ...coverageHtml(coverage),
  ];
}
