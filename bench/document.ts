import { goalsTable } from "./goals.ts";
import type { Memory } from "./memory.ts";
import { markdownTable, roundsTable, whole } from "./report.ts";
import type { Reset } from "./resets.ts";
import type { Measured } from "./rounds.ts";
import type { Skipped } from "./servers.ts";
import type { Start } from "./starts.ts";
import { median } from "./statistics.ts";

/** Everything that was measured; empty lists for what was not chosen. */
export interface Findings {
  readonly measured: readonly Measured[];
  readonly sized: readonly Measured[];
  readonly skipped: readonly Skipped[];
  readonly starts: readonly Start[];
  readonly memory: readonly Memory[];
  readonly resets: readonly Reset[];
}

export interface About {
  readonly machine: readonly string[];
  readonly command: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly compared: boolean;
}

/** The page of all figures, with what they are worth. */
export function benchmarksPage(findings: Findings, about: About): string {
  const { measured, sized, skipped, starts, memory, resets } = findings;
  const floor = measured.find(({ row }) => row === "floor-a");
  const goals = goalsTable(findings);
  return [
    "# Benchmarks\n",
    "What the sandbox costs beside a bare server, measured in one run by `npm run bench`, which wrote this page.\n",
    `${[...about.machine, `- \`${about.command}\``].join("\n")}\n`,
    ...(goals ? ["## Goals\n", goals] : []),
    ...(measured.length > 0
      ? ["## Requests\n", roundsTable(measured, skipped, about.compared), howToRead(about, floor)]
      : []),
    ...(sized.length > 0
      ? ["## An order, the more cards there are\n", roundsTable(sized, [], about.compared)]
      : []),
    ...(starts.length > 0 ? ["## From `exec` to the first 200\n", startsTable(starts)] : []),
    ...(memory.length > 0 ? ["## Memory\n", memoryTable(memory)] : []),
    ...(resets.length > 0 ? ["## Putting the world back\n", resetsTable(resets)] : []),
  ].join("\n");
}

function howToRead({ rounds, seconds }: About, floor: Measured | undefined): string {
  const share = floor && median(floor.loads.map(({ loadShare }) => loadShare));
  return [
    `Each row is the median of ${rounds} rounds of ${seconds} s, which take turns with the other rows; min–max says how far`,
    "they lay apart, and so what the median is worth. Ratios are medians of each round's own. Every connection waits for",
    "its answer before it sends again; every order has a key of its own; every answer had the expected status, or the row",
    "says what was wrong. The server's processor time tells more than requests a second where the machine has other",
    `things to do, or where the load is the limit: at floor A the load took ${whole((share ?? Number.NaN) * 100)} % of its core.`,
    "",
  ].join("\n");
}

function startsTable(starts: readonly Start[]): string {
  const floor = starts.find(({ title }) => title.startsWith("A:"));
  const of = (value: number | undefined, base: number | undefined) =>
    value === undefined || base === undefined ? "" : (value / base).toFixed(2);
  return markdownTable(
    ["What", "ms", "min–max", "× floor A", "processor ms", "× floor A", "resident MiB", "× floor A"],
    starts.map(({ title, ms, cpuMs, residentMib }) => [
      title,
      whole(ms.median),
      `${whole(ms.min)}–${whole(ms.max)}`,
      of(ms.median, floor?.ms.median),
      cpuMs ? whole(cpuMs.median) : "",
      of(cpuMs?.median, floor?.cpuMs?.median),
      residentMib ? whole(residentMib.median) : "",
      of(residentMib?.median, floor?.residentMib?.median),
    ]),
  );
}

function memoryTable(memory: readonly Memory[]): string {
  const mib = (value: number | undefined) => (value === undefined ? "" : whole(value));
  return markdownTable(
    ["What", "MiB after the start", "MiB after the orders"],
    memory.map(({ title, atStart, afterOrders, wrong, orders }) => [
      `${title}, ${whole(orders)} orders${wrong.length > 0 ? ` **wrong**: ${wrong.join("; ")}` : ""}`,
      mib(atStart),
      mib(afterOrders),
    ]),
  );
}

function resetsTable(resets: readonly Reset[]): string {
  return markdownTable(
    ["What", "ms", "min–max"],
    resets.map(({ title, ms }) => [title, ms.median.toFixed(1), `${ms.min.toFixed(1)}–${ms.max.toFixed(1)}`]),
  );
}

/** Whether anything was answered otherwise than it is meant to be. */
export function isWrong({ measured, sized, memory }: Findings): boolean {
  const loads = [...measured, ...sized].flatMap(({ loads }) => loads);
  return [...loads, ...memory].some(({ wrong }) => wrong.length > 0);
}
