import { breaks, type ContraryCell, type ContraryReport } from "../contrary-report.ts";
import { isFailing } from "../sweep-report.ts";
import { cellDetails, cellsLeftOut, reportJson } from "./cell-evidence.ts";
import {
  alternativeText,
  cellLines,
  type DependencyGroup,
  defaultOf,
  dependenciesText,
  groupsOf,
} from "./contrary-story.ts";
import { escapeMarkdown, escapeMarkup } from "./escape.ts";
import { evidenceHtml, evidenceLines, evidenceMarkdown, markupBytes } from "./evidence.ts";
import {
  type Formatted,
  formatted,
  markdownPage,
  markdownParts,
  markdownTable,
  type ReportFormat,
} from "./formatted.ts";
import { htmlBadge, htmlNote, htmlPage, htmlTable, htmlText } from "./html.ts";
import { type JunitCase, junit } from "./junit.ts";
import { fitted, largestMarkdown, type Room } from "./room.ts";
import { markWords, symbols } from "./sweep-grid.ts";
import { outputHtml, remarkHtml, sweepStyle } from "./sweep-html.ts";
import { line, outputOf, referenceText, remarksOf, totalsText } from "./sweep-story.ts";

const mostItems = 50;
const mostOutput = 10;

/** Formats the report of `contrary`. */
export function formatContrary(report: ContraryReport, format: ReportFormat): Formatted {
  const title = `Assumptions that ${line(report.client)} depends on`;
  return formatted(format, {
    json: () => fitted((room) => reportJson(report, room)),
    markdown: () => fitted((room) => markdown(report, title, room), largestMarkdown),
    junit: () =>
      fitted((room) => {
        const suite = { name: "contrary", cases: junitCases(report, room) };
        return junit([suite], cellsLeftOut(report.cells, room));
      }),
    html: () => fitted((room) => htmlPage(title, html(report, room), sweepStyle)),
  });
}

function resultText(report: ContraryReport): string {
  const { problem } = report;
  return problem === null ? `${dependenciesText(report)}. ${totalsText(report)}.` : line(problem, 2000);
}

function markdown(report: ContraryReport, title: string, room: Room): string {
  const { exit_code } = report;
  const details = cellDetails(report.cells.filter(breaks), room, (cell, own) =>
    markdownParts(codeBlock(cellLines(cell, mostOutput)), evidenceMarkdown(cell.evidence ?? [], own)),
  );
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
        ...cells.flatMap((cell) => [escapeMarkdown(alternativeText(cell)), details.get(cell.id) ?? ""]),
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
    cellsLeftOut(report.cells.filter(breaks), room),
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

function html(report: ContraryReport, room: Room): string[] {
  const { exit_code, cells } = report;
  const details = cellDetails(cells.filter(breaks), room, (cell, own) => {
    const lines = escapeMarkup(cellLines(cell, mostOutput).join("\n"));
    return `<pre tabindex="0">${lines}</pre>\n${evidenceHtml({ requests: cell.evidence ?? [] }, own)}`;
  });
  const badge = htmlBadge(
    exit_code === 0 ? "Passed" : "Failed",
    exit_code === 0 ? "passed good" : "critical bad",
  );
  return [
    `<p>${badge} exit code ${exit_code}. ${escapeMarkup(resultText(report))}</p>`,
    `<p>${escapeMarkup(referenceText(report))}</p>`,
    outputHtml(outputOf(report, mostOutput)),
    ...groupsOf(report).map((group) => groupHtml(group, details)),
    report.cells.length === 0 ? "" : htmlTable("All alternatives", head, rowsOf(report)),
    ...remarksOf(report, mostItems).map(remarkHtml),
    htmlNote(cellsLeftOut(cells.filter(breaks), room)),
  ];
}

function groupHtml({ by, heading, items }: DependencyGroup, detailsOf: ReadonlyMap<string, string>): string {
  const details = items.map(({ dependency, cells }) => {
    const parts = cells.map(
      (cell) => `<p>${htmlText(alternativeText(cell))}</p>\n${detailsOf.get(cell.id) ?? ""}`,
    );
    return `<details class="sweep-cell ${by === "damage" ? "damaged" : "failed"}" open>
<summary>${htmlText(line(dependency.summary))}</summary>
<p>${htmlText(defaultOf(dependency))}</p>
${parts.join("\n")}
</details>`;
  });
  return `<section>\n<h2>${escapeMarkup(heading)}</h2>\n${details.join("\n")}\n</section>`;
}

function junitCases(report: ContraryReport, room: Room): JunitCase[] {
  const { problem, cells, not_run, not_run_reason, fail_on } = report;
  const linesOf = (cell: ContraryCell, own?: Room) =>
    [...cellLines(cell, mostOutput), ...evidenceLines({ requests: cell.evidence ?? [] }, own)].join("\n");
  const details = cellDetails(cells.filter(breaks), room, linesOf, markupBytes);
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
      if (isAccepted.has(cell.id)) {
        const skipped = `accepted by the baseline: ${message}`;
        return { ...start, skipped, details: details.get(cell.id) ?? "" };
      }
      if (isFailing(cell, fail_on)) {
        return { ...start, failure: message, details: details.get(cell.id) ?? "" };
      }
      // A dependency that fails nothing is still shown.
      if (breaks(cell)) return { ...start, skipped: message, details: details.get(cell.id) ?? "" };
      return cell.verdict === "not_reached" ? { ...start, skipped: message } : start;
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
