import type { SweepReport, Verdict } from "../sweep-report.ts";
import { type GridField, gridOf, type Mark, noCell, symbols } from "./sweep-grid.ts";
import {
  cellsByVerdict,
  detailLines,
  fails,
  line,
  outputOf,
  remarksOf,
  sentenceOf,
  titleOf,
  totalsText,
  verdictHeading,
} from "./sweep-story.ts";
import type { Paint, Style } from "./terminal.ts";

const mostStories = 20;
const mostItems = 10;
const mostRows = 40;
const mostOutput = 8;

const styles: Readonly<Partial<Record<Mark, Style>>> = {
  hung: "red",
  crashed: "red",
  damaged: "red",
  failed: "yellow",
  survived: "green",
};

/**
 * The report at the end of a sweep; the verdict comes last.
 * @param width - columns of the terminal
 */
export function sweepTerminalReport(
  report: SweepReport,
  paint: Paint = (_style, text) => text,
  width = 100,
): string {
  const painted = (mark: Mark, text: string) => {
    const style = styles[mark];
    return style ? paint(style, text) : text;
  };
  const { problem, exit_code } = report;
  const sections = [
    ...gridLines(report, painted, width),
    ...verdictLines(report, painted),
    ...remarksOf(report, mostItems).map(({ title, items, more }) => [
      paint("bold", title),
      ...items.map((item) => `  ${item}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ]),
    [
      ...(problem === null
        ? [totalsText(report)]
        : [...outputOf(report, mostOutput).map((each) => `| ${each}`), line(problem, 2000)]),
      exit_code === 0
        ? paint("green", "card-sandbox: passed")
        : paint("red", `card-sandbox: failed, exit code ${exit_code}`),
    ],
  ];
  return `\n${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

type PaintMark = (mark: Mark, text: string) => string;

/** The grid, in blocks of as many columns as fit, and its legend. */
function gridLines(report: SweepReport, paint: PaintMark, width: number): string[][] {
  const grid = gridOf(report, mostRows, true);
  if (grid.rows.length === 0) return [];
  const names = grid.rows.map(({ name }) => line(name, 60));
  const nameWidth = Math.max(...names.map(({ length }) => length));
  const headings = grid.columns.map(({ heading }) => line(heading, 30));
  const blocks = blocksOf(headings, width - nameWidth).map(([from, to]) => [
    `${" ".repeat(nameWidth)}${headings
      .slice(from, to)
      .map((heading) => `  ${heading}`)
      .join("")}`,
    ...grid.rows.map(({ fields }, row) => {
      const cells = headings.slice(from, to).map((heading, i) => fieldText(fields[from + i], heading, paint));
      return `${names[row]?.padEnd(nameWidth)}${cells.join("")}`.trimEnd();
    }),
  ]);
  const legend = [
    ...(grid.moreRows > 0 ? [`and ${grid.moreRows} more rows`] : []),
    ...(grid.sumsLabels ? ["Each row sums up all labels."] : []),
    "✓ survived  ! failed  ✗ damaged, hung or crashed  ~ not reached  … not run  – does not apply",
  ];
  return [...blocks, legend];
}

/** Ranges of columns that are at most as wide as `width`, two spaces before each; at least one column each. */
function blocksOf(headings: readonly string[], width: number): [from: number, to: number][] {
  const blocks: [number, number][] = [];
  let used = 0;
  for (const [i, { length }] of headings.entries()) {
    const last = blocks.at(-1);
    used += length + 2;
    if (last && used <= width) last[1] = i + 1;
    else {
      blocks.push([i, i + 1]);
      used = length + 2;
    }
  }
  return blocks;
}

/** The symbol in the middle of its column. */
function fieldText(field: GridField | undefined, { length }: string, paint: PaintMark): string {
  const before = " ".repeat(2 + Math.floor((length - 1) / 2));
  const after = " ".repeat(Math.ceil((length - 1) / 2));
  return `${before}${field ? paint(field.mark, symbols[field.mark]) : noCell}${after}`;
}

/** The cells that fail the sweep with their stories, the others in brief. */
function verdictLines(report: SweepReport, paint: PaintMark): string[][] {
  let stories = 0;
  return cellsByVerdict(report)
    .filter(([verdict]) => verdict !== "survived")
    .map(([verdict, cells]) => {
      const heading = paint(verdict, verdictHeading(verdict, cells));
      if (!fails(report, verdict)) return [heading, ...brief(verdict, cells)];
      const shown = cells.slice(0, mostStories - stories);
      stories += shown.length;
      return [
        heading,
        ...shown.flatMap((cell, i) => [
          ...(i > 0 ? [""] : []),
          `  ${sentenceOf(cell)}`,
          ...detailLines(cell, mostOutput).map((each) => `    ${each}`),
        ]),
        ...more(cells.length - shown.length),
      ];
    });
}

function brief(verdict: Verdict, cells: ReturnType<typeof cellsByVerdict>[number][1]): string[] {
  const shown = cells.slice(0, mostItems);
  return [
    ...shown.map((cell) => `  ${verdict === "failed" ? sentenceOf(cell) : titleOf(cell)}`),
    ...more(cells.length - shown.length),
  ];
}

function more(count: number): string[] {
  return count > 0 ? [`  ${count} more: add --report FILE.html to see all`] : [];
}
