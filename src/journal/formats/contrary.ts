import { breaks, type ContraryReport } from "../contrary-report.ts";
import { isFailing } from "../sweep-report.ts";
import {
  alternativeText,
  cellLines,
  type DependencyGroup,
  defaultOf,
  dependenciesText,
  groupsOf,
} from "./contrary-story.ts";
import { escapeMarkdown, escapeMarkup } from "./escape.ts";
import { type Formatted, formatted, markdownPage, markdownTable, type ReportFormat } from "./formatted.ts";
import { htmlBadge, htmlPage, htmlTable, htmlText } from "./html.ts";
import { type JunitCase, junit } from "./junit.ts";
import { markWords, symbols } from "./sweep-grid.ts";
import { outputHtml, remarkHtml, sweepStyle } from "./sweep-html.ts";
import { line, outputOf, referenceText, remarksOf, totalsText } from "./sweep-story.ts";

const mostItems = 50;
const mostOutput = 10;

/** Formats the report of `contrary`. */
export function formatContrary(report: ContraryReport, format: ReportFormat): Formatted {
  const title = `Assumptions that ${line(report.client)} depends on`;
  return formatted(format, {
    json: () => `${JSON.stringify(withoutOutput(report), null, 2)}\n`,
    markdown: () => markdown(report, title),
    junit: () => junit([{ name: "contrary", cases: junitCases(report) }]),
    html: () => htmlPage(title, html(report), sweepStyle),
  });
}

/** As in the report of a sweep: two runs of a client give the same JSON but for durations. */
function withoutOutput(report: ContraryReport): ContraryReport {
  return { ...report, output: null, cells: report.cells.map((cell) => ({ ...cell, output: null })) };
}

function resultText(report: ContraryReport): string {
  const { problem } = report;
  return problem === null ? `${dependenciesText(report)}. ${totalsText(report)}.` : line(problem, 2000);
}

function markdown(report: ContraryReport, title: string): string {
  const { exit_code } = report;
  return markdownPage(
    `# ${escapeMarkdown(title)}`,
    `**${exit_code === 0 ? "Passed" : "Failed"}**, exit code ${exit_code}. ${escapeMarkdown(resultText(report))}`,
    referenceText(report),
    codeBlock(outputOf(report, mostOutput)),
    ...groupsOf(report).flatMap(({ heading, items }) => [
      `## ${escapeMarkdown(heading)}`,
      ...items.flatMap(({ dependency, cells }) => [
        `### ${escapeMarkdown(line(dependency.summary))}`,
        `${escapeMarkdown(defaultOf(dependency))}.`,
        ...cells.flatMap((cell) => [
          escapeMarkdown(alternativeText(cell)),
          codeBlock(cellLines(cell, mostOutput)),
        ]),
      ]),
    ]),
    ...(report.cells.length === 0
      ? []
      : ["## All alternatives", markdownTable(head, rowsOf(report, escapeMarkdown))]),
    ...remarksOf(report, mostItems).map(({ title, items, more }) =>
      [
        `**${escapeMarkdown(title)}**`,
        "",
        ...items.map((item) => `- ${escapeMarkdown(item)}`),
        ...(more > 0 ? [`- and ${more} more`] : []),
      ].join("\n"),
    ),
  );
}

const head = ["Behavior", "Alternative", "Verdict", "Reason"];

function rowsOf({ cells }: ContraryReport, escaped: (text: string) => string = (text) => text): string[][] {
  return cells.map(({ behaviour, alternative, verdict, reason }) =>
    [line(behaviour), line(alternative), `${symbols[verdict]} ${markWords(verdict)}`, line(reason)].map(
      escaped,
    ),
  );
}

/** Indented: no text can end the block. */
function codeBlock(lines: readonly string[]): string {
  return lines.map((each) => `    ${each}`).join("\n");
}

function html(report: ContraryReport): string[] {
  const { exit_code } = report;
  const badge = htmlBadge(
    exit_code === 0 ? "Passed" : "Failed",
    exit_code === 0 ? "passed good" : "critical bad",
  );
  return [
    `<p>${badge} exit code ${exit_code}. ${escapeMarkup(resultText(report))}</p>`,
    `<p>${escapeMarkup(referenceText(report))}</p>`,
    outputHtml(outputOf(report, mostOutput)),
    ...groupsOf(report).map(groupHtml),
    report.cells.length === 0 ? "" : htmlTable("All alternatives", head, rowsOf(report)),
    ...remarksOf(report, mostItems).map(remarkHtml),
  ];
}

function groupHtml({ by, heading, items }: DependencyGroup): string {
  const details = items.map(({ dependency, cells }) => {
    const parts = cells.map(
      (cell) =>
        `<p>${htmlText(alternativeText(cell))}</p>\n<pre tabindex="0">${escapeMarkup(cellLines(cell, mostOutput).join("\n"))}</pre>`,
    );
    return `<details class="sweep-cell ${by === "damage" ? "damaged" : "failed"}" open>
<summary>${htmlText(line(dependency.summary))}</summary>
<p>${htmlText(defaultOf(dependency))}</p>
${parts.join("\n")}
</details>`;
  });
  return `<section>\n<h2>${escapeMarkup(heading)}</h2>\n${details.join("\n")}\n</section>`;
}

function junitCases(report: ContraryReport): JunitCase[] {
  const { problem, cells, not_run, not_run_reason, fail_on } = report;
  const isAccepted = new Set(report.accepted);
  return [
    {
      name: "reference run",
      classname: "contrary",
      ...(problem !== null && {
        failure: line(problem, 2000),
        details: outputOf(report, mostOutput).join("\n"),
      }),
    },
    ...cells.map((cell): JunitCase => {
      const start = { name: line(cell.id), classname: `contrary.${line(cell.behaviour)}` };
      const message = `${alternativeText(cell)}: ${line(cell.reason)}`;
      if (isAccepted.has(cell.id)) return { ...start, skipped: `accepted by the baseline: ${message}` };
      if (isFailing(cell, fail_on)) {
        return { ...start, failure: message, details: cellLines(cell, mostOutput).join("\n") };
      }
      // A dependency that fails nothing is still shown.
      return breaks(cell) || cell.verdict === "not_reached" ? { ...start, skipped: message } : start;
    }),
    ...not_run.map(
      (id): JunitCase => ({
        name: line(id),
        classname: "contrary",
        skipped: not_run_reason === null ? "not run" : `not run: ${line(not_run_reason)}`,
      }),
    ),
  ];
}
