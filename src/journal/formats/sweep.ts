import type { SweepCell, SweepReport, Verdict } from "../sweep-report.ts";
import { cellDetails, cellsLeftOut, reportJson } from "./cell-evidence.ts";
import { escapeMarkdown } from "./escape.ts";
import { evidenceLines, evidenceMarkdown, markupBytes } from "./evidence.ts";
import {
  type Formatted,
  formatted,
  markdownPage,
  markdownParts,
  markdownTable,
  type ReportFormat,
} from "./formatted.ts";
import { htmlPage } from "./html.ts";
import { type JunitCase, junit } from "./junit.ts";
import { fitted, largestMarkdown, type Room } from "./room.ts";
import { gridOf, markWords, noCell, symbols } from "./sweep-grid.ts";
import { sweepHtml, sweepStyle } from "./sweep-html.ts";
import {
  cellsByVerdict,
  detailLines,
  fails,
  line,
  outputOf,
  referenceText,
  remarksOf,
  sentenceOf,
  titleOf,
  totalsText,
  verdictHeading,
} from "./sweep-story.ts";

const mostRows = 60;
const mostItems = 20;
const mostOutput = 10;

/** Formats the report of a sweep. */
export function formatSweep(report: SweepReport, format: ReportFormat): Formatted {
  const title = `Sweep of ${line(report.client)}`;
  return formatted(format, {
    json: () => fitted((room) => reportJson(report, room)),
    markdown: () => fitted((room) => markdown(report, title, room), largestMarkdown),
    junit: () =>
      fitted((room) => {
        const suite = { name: "sweep", cases: junitCases(report, room) };
        return junit([suite], cellsLeftOut(withDetails(report), room));
      }),
    html: () => htmlPage(title, [sweepHtml(report)], sweepStyle),
  });
}

/** The cells that Markdown and JUnit show with their details: those that do not survive, even if they do not fail the sweep. */
function withDetails(report: SweepReport): SweepCell[] {
  return report.cells.filter(({ verdict }) => hasDetails(report, verdict));
}

function hasDetails(report: SweepReport, verdict: Verdict): boolean {
  return verdict === "failed" || fails(report, verdict);
}

function markdown(report: SweepReport, title: string, room: Room): string {
  const { exit_code, problem } = report;
  const grid = gridOf(report, mostRows);
  const head = [
    `# ${escapeMarkdown(title)}`,
    `**${exit_code === 0 ? "Passed" : "Failed"}**, exit code ${exit_code}. ${problem === null ? `${totalsText(report)}.` : escapeMarkdown(line(problem, 2000))}`,
    referenceText(report),
    codeBlock(outputOf(report, mostOutput)),
    ...(grid.rows.length === 0
      ? []
      : [
          markdownTable(
            ["", ...grid.columns.map(({ heading }) => escapeMarkdown(line(heading)))],
            grid.rows.map(({ name, fields }) => [
              escapeMarkdown(line(name)),
              ...fields.map((field) => (field ? symbols[field.mark] : noCell)),
            ]),
          ),
          ...(grid.moreRows > 0 ? [`And ${grid.moreRows} more rows.`] : []),
          "✓ survived, ! failed, ✗ damaged, hung or crashed, \\~ not reached, … not run, – does not apply",
        ]),
  ];
  const remarks = remarksOf(report, mostItems).map(({ title, items, more }) =>
    [
      `**${escapeMarkdown(title)}**`,
      "",
      ...items.map((item) => `- ${escapeMarkdown(item)}`),
      ...(more > 0 ? [`- and ${more} more`] : []),
    ].join("\n"),
  );
  const isAccepted = new Set(report.accepted);
  const shown = report.cells.filter(({ verdict, id }) => verdict !== "survived" && !isAccepted.has(id));
  const texts = cellDetails(shown, room, (cell, own) =>
    hasDetails(report, cell.verdict)
      ? markdownParts(
          escapeMarkdown(sentenceOf(cell)),
          codeBlock(detailLines(cell, mostOutput)),
          evidenceMarkdown(cell.evidence ?? [], own),
        )
      : `- ${escapeMarkdown(titleOf(cell))}`,
  );
  const verdictParts = cellsByVerdict(report).flatMap(([verdict, cells]) => {
    if (verdict === "survived") return [];
    const own = cells.flatMap(({ id }) => texts.get(id) ?? []);
    const more = cells.length - own.length;
    return [
      `## ${verdictHeading(verdict, cells)}`,
      own.join(hasDetails(report, verdict) ? "\n\n" : "\n"),
      more > 0 ? `${more} more: see the report as HTML or JSON.` : "",
    ];
  });
  const note = cellsLeftOut(withDetails(report), room);
  return markdownPage(...head, ...verdictParts, ...remarks, note);
}

/** Indented: no text can end the block. */
function codeBlock(lines: readonly string[]): string {
  return lines.map((each) => `    ${each}`).join("\n");
}

function junitCases(report: SweepReport, room: Room): JunitCase[] {
  const { problem, cells, not_run, not_run_reason } = report;
  const linesOf = (cell: SweepCell, own?: Room) =>
    [...detailLines(cell, mostOutput), ...evidenceLines({ requests: cell.evidence ?? [] }, own)].join("\n");
  const details = cellDetails(withDetails(report), room, linesOf, markupBytes);
  const isAccepted = new Set(report.accepted);
  return [
    {
      name: "reference run",
      classname: "sweep",
      ...(problem !== null && {
        failure: line(problem, 2000),
        details: outputOf(report, mostOutput).join("\n"),
      }),
    },
    ...cells.map((cell): JunitCase => {
      const { id, operation, verdict } = cell;
      const start = { name: line(id), classname: `sweep.${line(operation)}` };
      const message = `${markWords(verdict)}: ${sentenceOf(cell)}`;
      const own = details.get(id) ?? "";
      if (isAccepted.has(id)) {
        return { ...start, skipped: `accepted by the baseline: ${message}`, details: own };
      }
      if (verdict === "not_reached") return { ...start, skipped: message };
      if (fails(report, verdict)) return { ...start, failure: message, details: own };
      return own === "" ? start : { ...start, details: `${message}\n${own}` };
    }),
    ...not_run.map(
      (id): JunitCase => ({
        name: line(id),
        classname: "sweep",
        skipped: not_run_reason === null ? "not run" : `not run: ${line(not_run_reason)}`,
      }),
    ),
  ];
}
