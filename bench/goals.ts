import type { Findings } from "./document.ts";
import type { Load } from "./load.ts";
import { markdownTable, paired } from "./report.ts";
import type { Measured } from "./rounds.ts";
import { median } from "./statistics.ts";

/** What a figure has to come to. A run that misses one says so, and fails by `--strict` alone: machines differ. */
export interface Goal {
  readonly title: string;
  readonly aim: { readonly atLeast: number } | { readonly atMost: number };
  readonly unit: string;
  /** Of this checkout; undefined where it was not measured, or was answered wrongly. */
  figure(findings: Findings): number | undefined;
}

const perSecond = (load: Load) => load.perSecond;
const cpuUs = (load: Load) => load.cpuUs ?? Number.NaN;

const goals: readonly Goal[] = [
  {
    title: "orders in memory",
    aim: { atLeast: 0.16 },
    unit: "of floor A",
    figure: ({ measured }) => ratioOf(measured, "order", "floor-a", perSecond),
  },
  {
    title: "an order in memory, p99",
    aim: { atMost: 4 },
    unit: "ms",
    figure: ({ measured }) => {
      const row = rightRow(measured, "order");
      return row && median(row.loads.map(({ p99Ms }) => p99Ms));
    },
  },
  {
    title: "orders on a file",
    aim: { atLeast: 0.12 },
    unit: "of floor A",
    figure: ({ measured }) => ratioOf(measured, "order-file", "floor-a", perSecond),
  },
  {
    title: "orders with `--durability full`, beside each committed by itself",
    aim: { atLeast: 4 },
    unit: "×",
    figure: ({ measured }) => ratioOf(measured, "order-durable", "order-ungrouped", perSecond),
  },
  {
    title: "the same order again",
    aim: { atLeast: 0.25 },
    unit: "of floor A",
    figure: ({ measured }) => ratioOf(measured, "replay", "floor-a", perSecond),
  },
  {
    title: "orders in memory beside Prism's",
    aim: { atLeast: 6 },
    unit: "×",
    figure: ({ measured }) => ratioOf(measured, "order", "prism", perSecond),
  },
  {
    title: "orders in memory beside what emulate does",
    aim: { atLeast: 1 },
    unit: "×",
    figure: ({ measured }) => ratioOf(measured, "order", "emulate", perSecond),
  },
  ...(["in memory", "on a file"] as const).map(
    (storage): Goal => ({
      title: `processor time of an order ${storage}, at 200,000 cards beside 1,000`,
      aim: { atMost: 1.5 },
      unit: "×",
      figure: ({ sized }) => ratioOf(sized, `${storage} 200000`, `${storage} 1000`, cpuUs),
    }),
  ),
  {
    title: "the start",
    aim: { atMost: 1.5 },
    unit: "× floor A",
    figure: ({ starts }) => quotient(ofThis(starts, "card-sandbox")?.ms.median, floorOf(starts)?.ms.median),
  },
  {
    title: "memory after the start",
    aim: { atMost: 1.4 },
    unit: "× floor A",
    figure: ({ memory }) => quotient(ofThis(memory, "card-sandbox")?.atStart, floorOf(memory)?.atStart),
  },
  {
    title: "reset of the default world",
    aim: { atMost: 1 },
    unit: "ms",
    figure: ({ resets }) => ofThis(resets, "reset of the default world")?.ms.median,
  },
];

export interface Held {
  readonly goal: Goal;
  /** As it is shown, which is what decides. */
  readonly shown: string;
  readonly outcome: "met" | "missed" | "not measured";
}

/** Holds every goal to what was measured. */
export function holdGoals(findings: Findings): Held[] {
  return goals.map((goal) => {
    const figure = goal.figure(findings) ?? Number.NaN;
    if (Number.isNaN(figure)) return { goal, shown: "", outcome: "not measured" };
    const shown = figure.toPrecision(3);
    const { aim } = goal;
    const isMet = "atLeast" in aim ? Number(shown) >= aim.atLeast : Number(shown) <= aim.atMost;
    return { goal, shown, outcome: isMet ? "met" : "missed" };
  });
}

/** Whether any goal was measured, and missed. */
export function missesGoal(findings: Findings): boolean {
  return holdGoals(findings).some(({ outcome }) => outcome === "missed");
}

/** Every goal, its figure and what became of it; undefined where none was measured. */
export function goalsTable(findings: Findings): string | undefined {
  const held = holdGoals(findings);
  if (held.every(({ outcome }) => outcome === "not measured")) return undefined;
  return markdownTable(
    ["What", "Goal", "Measured", "Outcome"],
    held.map(({ goal: { title, aim, unit }, shown, outcome }) => [
      title,
      `${"atLeast" in aim ? `≥ ${aim.atLeast}` : `≤ ${aim.atMost}`} ${unit}`,
      shown,
      outcome,
    ]),
  );
}

/** A row of this checkout, or one that is of none; undefined where any answer to it was wrong. */
function rightRow(measured: readonly Measured[], name: string): Measured | undefined {
  const found = measured.find(({ row, build = "this" }) => row === name && build === "this");
  return found?.loads.every(({ wrong }) => wrong.length === 0) ? found : undefined;
}

function ratioOf(
  measured: readonly Measured[],
  name: string,
  besides: string,
  figure: (load: Load) => number,
): number | undefined {
  const [row, other] = [rightRow(measured, name), rightRow(measured, besides)];
  return row && other && paired(row.loads, other.loads, figure);
}

interface Titled {
  readonly title: string;
}

/** Where other builds are measured too, titles name the build. */
function ofThis<Row extends Titled>(rows: readonly Row[], title: string): Row | undefined {
  return rows.find((row) => row.title === title || row.title === `${title} (this)`);
}

function floorOf<Row extends Titled>(rows: readonly Row[]): Row | undefined {
  return rows.find(({ title }) => title.startsWith("A:"));
}

function quotient(value: number | undefined, base: number | undefined): number | undefined {
  return value === undefined || base === undefined ? undefined : value / base;
}
