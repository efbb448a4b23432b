import type { ContraryReport } from "../contrary-report.ts";
import type { SweepCell, SweepReport, Verdict } from "../sweep-report.ts";
import { isFailing, verdicts } from "../sweep-report.ts";
import { escapeControls } from "./escape.ts";
import { replayLines } from "./evidence.ts";
import { faultWords, markWords, symbols } from "./sweep-grid.ts";

/** Texts that are longer are cut: a client's error may contain a whole page. */
const longestText = 400;
/** Outcomes that are longer do not move the notes of the other requests. */
const widestOutcome = 44;
const mostRequests = 30;
const mostDifferences = 10;
const mostFields = 20;
const mostItems = 50;
const longestItem = 200;
const longestRepeat = 4000;

/** One line of text, cut if it is very long; control characters become escapes. */
export function line(text: string, longest: number = longestText): string {
  return escapeControls(cut(text, longest).replace(/\s+/g, " "));
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
}

/** The command on one line. Its spaces stay: they can be part of an argument. */
export function repeatOf({ repeat }: Pick<SweepCell, "repeat">): string {
  return escapeControls(cut(repeat, longestRepeat));
}

/** Such as `orderPhysicalCard #3, response lost`. */
export function titleOf({ call, fault }: SweepCell): string {
  return line(`${call.replace(/#(?=[0-9]+$)/, " #")}, ${faultWords(fault)}`);
}

/** The title and the reason, as a sentence. */
export function sentenceOf(cell: SweepCell): string {
  return `${titleOf(cell)}: ${line(cell.reason)}.`;
}

/** `POST orderPhysicalCard`, name of the key, outcome and note of each request. */
export function storyOf({ story }: SweepCell): readonly (readonly [string, string, string, string])[] {
  return story.slice(0, mostRequests).map(({ request, operation, key, outcome, note }) => {
    const method = request.split(" ", 1)[0] ?? "";
    return [line(`${method} ${operation}`), line(key ?? ""), line(outcome), line(note ?? "")] as const;
  });
}

/** Each card that only one of the two runs left behind. */
export function differencesOf({
  differences,
}: Pick<SweepCell, "differences">): readonly (readonly [only: string, card: string])[] {
  const told = differences.slice(0, mostDifferences).map(({ only, times, card }) => {
    const cards = `${times} ${times === 1 ? "card" : "cards"}`;
    const fields = Object.entries(card)
      .slice(0, mostFields)
      .filter(([, value]) => value !== "none" && value !== "false")
      .map(([name, value]) => [name, valuesOf(value)] as const);
    return [
      `${only === "cell" ? "+" : "−"} ${cards} only in ${only === "cell" ? "this" : "the reference"} run`,
      line(
        fields.map(([name, value]) => `${name.replaceAll("_", " ")}: ${value}`).join("; "),
        2 * longestText,
      ),
    ] as const;
  });
  const more = differences.length - told.length;
  return more > 0 ? [...told, [`and ${more} more`, ""]] : told;
}

/** An address is a JSON object of strings: its values are enough. */
function valuesOf(value: string): string {
  if (!value.startsWith("{") || value.length > 2 * longestText) return value;
  try {
    return Object.values(JSON.parse(value)).join(", ");
  } catch {
    return value;
  }
}

/** The last lines of the client's output. */
export function outputOf({ output }: { readonly output: string | null }, most: number): string[] {
  if (output === null) return [];
  const tail = output.trimEnd().slice(-most * longestText);
  return tail
    .split("\n")
    .slice(-most)
    .map((each) => escapeControls(each.replace(/\r$/, "").slice(0, longestText).replaceAll("\t", "  ")));
}

/** The cell as plain text, without its title. */
export function detailLines(cell: SweepCell, mostOutput: number): string[] {
  const story = storyOf(cell);
  const widest = (column: 0 | 1 | 2, most: number) =>
    Math.min(most, Math.max(0, ...story.map((row) => row[column].length)));
  const [requests, keys, outcomes] = [widest(0, 60), widest(1, 20), widest(2, widestOutcome)] as const;
  return [
    ...story.map(([request, key, outcome, note]) => {
      const named = key === "" ? "" : `key ${key}`;
      const start = [request.padEnd(requests), ...(keys > 0 ? [named.padEnd(keys + 4)] : [])].join("  ");
      return `${start} → ${note === "" ? outcome : `${outcome.padEnd(outcomes)}  ${note}`}`;
    }),
    ...differencesOf(cell).map(([only, card]) => (card === "" ? only : `${only}: ${card}`)),
    ...(cell.findings.length > 0 ? [`New findings: ${findingsOf(cell)}`] : []),
    ...outputOf(cell, mostOutput).map((each) => `| ${each}`.trimEnd()),
    `Repeat: ${repeatOf(cell)}`,
    ...replayLines(cell.replay),
  ];
}

export function findingsOf({ findings }: Pick<SweepCell, "findings">): string {
  return line(findings.slice(0, mostItems).join("; "), 4 * longestText);
}

/** The cells of each verdict that has some, the worst verdict first. Those that the baseline accepts are not included. */
export function cellsByVerdict({ cells, accepted }: SweepReport): [Verdict, SweepCell[]][] {
  const isAccepted = new Set(accepted);
  return verdicts
    .map((verdict): [Verdict, SweepCell[]] => [
      verdict,
      cells.filter((cell) => cell.verdict === verdict && !isAccepted.has(cell.id)),
    ])
    .filter(([, own]) => own.length > 0);
}

/** `✗ damaged (5)` */
export function verdictHeading(verdict: Verdict, cells: readonly SweepCell[]): string {
  return `${symbols[verdict]} ${markWords(verdict)} (${cells.length})`;
}

export function fails(report: SweepReport, verdict: Verdict): boolean {
  return isFailing({ verdict }, report.fail_on);
}

/** `141 cells: 5 damaged, 136 survived` */
export function totalsText({
  cells,
  totals,
  accepted,
}: Pick<SweepReport, "totals" | "accepted"> & { readonly cells: readonly unknown[] }): string {
  const counts = verdicts.filter((verdict) => totals[verdict] > 0);
  const all = cells.length === 1 ? "1 cell" : `${cells.length} cells`;
  const listed = counts.map((each) => `${totals[each]} ${markWords(each)}`);
  if (accepted.length > 0) listed.push(`${accepted.length} accepted by the baseline`);
  return listed.length === 0 ? all : `${all}: ${listed.join(", ")}`;
}

/** `Reference run: 24 calls, 3 operations, 1.9 s.` */
export function referenceText({
  reference: { calls, operations, duration_ms },
}: Pick<SweepReport, "reference">): string {
  const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;
  return `Reference run: ${count(calls, "call")}, ${count(operations, "operation")}, ${(duration_ms / 1000).toFixed(1)} s.`;
}

/** Something about the sweep as a whole that the reader should know. */
export interface Remark {
  readonly title: string;
  readonly items: readonly string[];
  /** How many more items there are. */
  readonly more: number;
}

type Remarked = Pick<
  SweepReport,
  "accepted" | "no_longer" | "left_out" | "shortened" | "not_run" | "not_run_reason"
> & {
  readonly calls?: SweepReport["calls"];
  readonly conflicting?: ContraryReport["conflicting"];
};

/** @param most - items of each remark */
export function remarksOf(report: Remarked, most: number): Remark[] {
  const { calls = [], conflicting = [], accepted, no_longer, left_out, shortened } = report;
  const { not_run, not_run_reason } = report;
  const unstable = calls.filter((call) => call.unstable !== null);
  const remark = (title: string, all: readonly string[]): Remark => ({
    title: `${line(title)} (${all.length})`,
    items: all.slice(0, most).map((each) => line(each, longestItem)),
    more: Math.max(0, all.length - most),
  });
  return [
    remark(
      "Alternatives that cannot be switched alone",
      conflicting.map(({ id, reason }) => `${id}: ${reason}`),
    ),
    remark("Accepted by the baseline", accepted),
    remark("In the baseline, but no longer so", no_longer),
    remark(
      "Unstable calls, which are swept only with --unstable",
      unstable.map((call) => `${call.id}: ${call.unstable}`),
    ),
    remark(
      "Not compared, because the two reference runs differ",
      left_out.map(({ label, fields }) => `${label}: ${fields.slice(0, mostItems).join(", ")}`),
    ),
    remark("Shortened waits", shortened),
    remark(not_run_reason === null ? "Cells not run" : `Cells not run: ${not_run_reason}`, not_run),
  ].filter(({ items }) => items.length > 0);
}
