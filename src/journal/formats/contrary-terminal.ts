import type { ContraryReport } from "../contrary-report.ts";
import { alternativeText, cellLines, defaultOf, dependenciesText, groupsOf } from "./contrary-story.ts";
import { line, outputOf, remarksOf, totalsText } from "./sweep-story.ts";
import type { Paint } from "./terminal.ts";

const mostItems = 10;
const mostOutput = 8;

/** The report at the end of `contrary`; the result comes last. */
export function contraryTerminalReport(
  report: ContraryReport,
  paint: Paint = (_style, text) => text,
): string {
  const { problem, exit_code } = report;
  const sections = [
    ...groupsOf(report).map(({ by, heading, items }) => [
      paint(by === "damage" ? "red" : "yellow", heading),
      ...items.flatMap(({ dependency, cells }, i) => [
        ...(i > 0 ? [""] : []),
        `  ${paint("bold", line(dependency.summary))}`,
        `    ${defaultOf(dependency)}`,
        ...cells.flatMap((cell) => [
          `    ${alternativeText(cell)}`,
          // The first line of the failure is enough here: the other formats have the end of the output.
          ...cellLines({ ...cell, output: null }, 0).map((each) => `      ${each}`),
        ]),
      ]),
    ]),
    ...remarksOf(report, mostItems).map(({ title, items, more }) => [
      paint("bold", title),
      ...items.map((item) => `  ${item}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ]),
    [
      ...(problem === null
        ? [`${totalsText(report)}.`, `${dependenciesText(report)}.`]
        : [...outputOf(report, mostOutput).map((each) => `| ${each}`), line(problem, 2000)]),
      exit_code === 0
        ? paint("green", "card-sandbox: passed")
        : paint("red", `card-sandbox: failed, exit code ${exit_code}`),
    ],
  ];
  return `\n${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}
