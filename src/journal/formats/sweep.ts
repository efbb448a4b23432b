import type { SweepReport } from "../sweep-report.ts";
import { escapeMarkdown } from "./escape.ts";
import { type Formatted, formatted, markdownPage, markdownTable, type ReportFormat } from "./formatted.ts";
import { htmlPage } from "./html.ts";
import { type JunitCase, junit } from "./junit.ts";
import { gridOf, markWords, noCell, symbols } from "./sweep-grid.ts";
import { byteLength, sweepHtml, sweepStyle } from "./sweep-html.ts";
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

/** In bytes. The job summary of GitHub holds 1 MiB, for all steps of a job. */
const largestMarkdown = 400_000;
const mostRows = 60;
const mostItems = 20;
const mostOutput = 10;

/** Formats the report of a sweep. */
export function formatSweep(report: SweepReport, format: ReportFormat): Formatted {
  const title = `Sweep of ${line(report.client)}`;
  return formatted(format, {
    json: () => `${JSON.stringify(withoutOutput(report), null, 2)}\n`,
    markdown: () => markdown(report, title),
    junit: () => junit([{ name: "sweep", cases: junitCases(report) }]),
    html: () => htmlPage(title, [sweepHtml(report)], sweepStyle),
  });
}

/** A client's output has times, ports and process ids. Without it, two sweeps of a client give the same JSON but for durations. */
function withoutOutput(report: SweepReport): SweepReport {
  return { ...report, output: null, cells: report.cells.map((cell) => ({ ...cell, output: null })) };
}

function markdown(report: SweepReport, title: string): string {
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
  let left = largestMarkdown - [...head, ...remarks].reduce((sum, part) => sum + byteLength(part) + 2, 0);
  const verdictParts = cellsByVerdict(report).flatMap(([verdict, cells]) => {
    if (verdict === "survived") return [];
    const shown: string[] = [];
    for (const cell of cells) {
      const text = fails(report, verdict)
        ? `${escapeMarkdown(sentenceOf(cell))}\n\n${codeBlock(detailLines(cell, mostOutput))}`
        : `- ${escapeMarkdown(verdict === "failed" ? sentenceOf(cell) : titleOf(cell))}`;
      left -= byteLength(text) + 2;
      if (left < 0) break;
      shown.push(text);
    }
    const more = cells.length - shown.length;
    return [
      `## ${verdictHeading(verdict, cells)}`,
      shown.join(fails(report, verdict) ? "\n\n" : "\n"),
      more > 0 ? `${more} more: see the report as HTML or JSON.` : "",
    ];
  });
  return markdownPage(...head, ...verdictParts, ...remarks);
}

/** Indented: no text can end the block. */
function codeBlock(lines: readonly string[]): string {
  return lines.map((each) => `    ${each}`).join("\n");
}

function junitCases(report: SweepReport): JunitCase[] {
  const { problem, cells, not_run, not_run_reason } = report;
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
      if (isAccepted.has(id)) return { ...start, skipped: `accepted by the baseline: ${message}` };
      if (verdict === "not_reached") return { ...start, skipped: message };
      if (!fails(report, verdict)) return start;
      return { ...start, failure: message, details: detailLines(cell, mostOutput).join("\n") };
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
