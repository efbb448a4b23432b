import type { Load } from "./load.ts";
import type { Measured } from "./rounds.ts";
import type { Start } from "./starts.ts";
import { markdownTable, median } from "./statistics.ts";
import type { TestCost } from "./test-run.ts";

/** All figures of a run; empty lists for rows that were not chosen. */
export interface Figures {
  readonly measured: readonly Measured[];
  readonly starts: readonly Start[];
  readonly testCosts: readonly TestCost[];
}

/** A limit for a figure. A run that misses one fails only with `--strict`: machines differ. */
interface Goal {
  readonly title: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly unit: string;
  /** The figure of this checkout; NaN if it was not measured, or if there were problems. */
  figure(figures: Figures): number;
}

const perSecond = (load: Load) => load.perSecond;
const cpuUs = (load: Load) => load.cpuUs;
const compare =
  (row: string, base: string, figure = perSecond) =>
  ({ measured }: Figures) =>
    pairedRatio(loadsOf(measured, row), loadsOf(measured, base), figure);
/** This checkout compared with the first other build. */
const compareBuilds =
  (row: string, figure: (load: Load) => number) =>
  ({ measured }: Figures) => {
    const before = measured.find(({ build }) => build !== undefined && build !== "this")?.build;
    if (before === undefined) return Number.NaN;
    return pairedRatio(loadsOf(measured, row), loadsOf(measured, row, before), figure);
  };
const testCost =
  (name: TestCost["name"], figure: (cost: TestCost, all: readonly TestCost[]) => number) =>
  ({ testCosts }: Figures) => {
    const own = testCosts.find((cost) => cost.name === name && cost.build === "this");
    return own ? figure(own, testCosts) : Number.NaN;
  };
const bareTimes = (cost: TestCost, all: readonly TestCost[]) => timesBare(all, cost);
const milliseconds = ({ ms }: TestCost) => median(ms);
const latency =
  (row: string, figure: (load: Load) => number) =>
  ({ measured }: Figures) =>
    median(loadsOf(measured, row).map(figure));
const startRatio =
  (figure: (start: Start) => readonly number[], onlyNode?: number) =>
  ({ starts }: Figures) => {
    const node = onlyNode ?? starts[0]?.node;
    const onNode = starts.filter((start) => start.node === node);
    const own = onNode.find(({ build }) => build === "this");
    const base = onNode.find(({ build }) => build === undefined);
    return own && base ? median(figure(own)) / median(figure(base)) : Number.NaN;
  };

/** A comparison of two runs of the same build can differ so much from 1. */
const noise = 0.05;

const goals: readonly Goal[] = [
  {
    title: "import and first `createSandbox()`",
    atMost: 2,
    unit: "× a bare process",
    figure: testCost("load", bareTimes),
  },
  {
    title: "`exec --allow-no-requests -- true`",
    atMost: 2.3,
    unit: "× a bare process",
    figure: testCost("exec", bareTimes),
  },
  {
    title: "a sandbox in each of 100 Vitest files",
    atMost: 1.2,
    unit: "× a bare process",
    figure: testCost("vitest", bareTimes),
  },
  { title: "a further sandbox", atMost: 2, unit: "ms", figure: testCost("sandbox", milliseconds) },
  {
    title: "memory of a further sandbox",
    atMost: 450,
    unit: "KB",
    figure: testCost("sandbox", ({ kb = [] }) => median(kb)),
  },
  {
    title: "the first isolated company",
    atMost: 15,
    unit: "ms",
    figure: testCost("first company", milliseconds),
  },
  { title: "a further isolated company", atMost: 1, unit: "ms", figure: testCost("company", milliseconds) },
  {
    title: "orders in memory",
    atLeast: 1 - noise,
    unit: "× those of the other build",
    figure: compareBuilds("order", perSecond),
  },
  {
    title: "p99 of an order in memory",
    atMost: 1 + noise,
    unit: "× that of the other build",
    figure: compareBuilds("order", ({ p99Ms }) => p99Ms),
  },
  {
    title: "processor time of a page of 20 of 100 cards",
    atMost: 0.6,
    unit: "× that of the other build",
    figure: compareBuilds("list", cpuUs),
  },
  {
    title: "orders in memory",
    atLeast: 0.16,
    unit: "of baseline A",
    figure: compare("order", "baseline-a"),
  },
  {
    title: "orders with `--tape`",
    atLeast: 0.9,
    unit: "× those without",
    figure: compare("order-taped", "order"),
  },
  {
    title: "p99 of an order in memory",
    atMost: 4,
    unit: "ms",
    figure: latency("order", ({ p99Ms }) => p99Ms),
  },
  {
    title: "orders on a file",
    atLeast: 0.12,
    unit: "of baseline A",
    figure: compare("order-file", "baseline-a"),
  },
  {
    title: "processor time of an order on a file, with many cards",
    atMost: 1.5,
    unit: "× that of one with few",
    figure: compare("order-large-file", "order-file", cpuUs),
  },
  {
    title: "orders with `--durability full`",
    atLeast: 4,
    unit: "× those committed one by one",
    figure: compare("order-durable", "order-ungrouped"),
  },
  {
    title: "replays",
    atLeast: 0.25,
    unit: "of baseline A",
    figure: compare("replay", "baseline-a"),
  },
  { title: "orders in memory", atLeast: 6, unit: "× Prism", figure: compare("order", "prism") },
  { title: "orders in memory", atLeast: 1, unit: "× emulate", figure: compare("order", "emulate") },
  { title: "start on Node 20", atMost: 1.8, unit: "× baseline A", figure: startRatio(({ ms }) => ms, 20) },
  { title: "start on Node 24", atMost: 1.6, unit: "× baseline A", figure: startRatio(({ ms }) => ms, 24) },
  {
    title: "memory after the start",
    atMost: 1.4,
    unit: "× baseline A",
    figure: startRatio(({ residentMib }) => residentMib),
  },
  {
    title: "p50 of a reset of the default world",
    atMost: 1,
    unit: "ms",
    figure: latency("reset", ({ p50Ms }) => p50Ms),
  },
];

/** Each goal with its figure, rounded as in the table, and its outcome. */
export function checkGoals(figures: Figures) {
  return goals.map(({ title, atLeast, atMost, unit, figure }) => {
    const limit = atLeast === undefined ? `≤ ${atMost} ${unit}` : `≥ ${atLeast} ${unit}`;
    const value = figure(figures);
    if (Number.isNaN(value)) return { title, limit, shown: "", outcome: "not measured" };
    const shown = value.toPrecision(3);
    const isMet = Number(shown) >= (atLeast ?? 0) && Number(shown) <= (atMost ?? Infinity);
    return { title, limit, shown, outcome: isMet ? "met" : "missed" };
  });
}

/** Whether a goal was measured and missed. */
export function missesGoal(figures: Figures): boolean {
  return checkGoals(figures).some(({ outcome }) => outcome === "missed");
}

/** Empty if no goal was measured. */
export function goalsTable(figures: Figures): string {
  const checked = checkGoals(figures);
  if (checked.every(({ outcome }) => outcome === "not measured")) return "";
  return markdownTable(
    ["Figure", "Goal", "Measured", "Outcome"],
    checked.map(({ title, limit, shown, outcome }) => [title, limit, shown, outcome]),
  );
}

/** The rounds of a row of a build or of another server; none if there were problems. */
function loadsOf(measured: readonly Measured[], name: string, of = "this"): readonly Load[] {
  const found = measured.find(({ row, build = of }) => row === name && build === of);
  return found?.loads.every(({ problems }) => problems.length === 0) ? found.loads : [];
}

/** A cost in relation to that of a bare process. */
export function timesBare(all: readonly TestCost[], { ms, bareMs }: TestCost): number {
  return median(ms) / median(bareMs ?? all.find(({ name }) => name === "bare")?.ms ?? []);
}

/** The median of the ratios within each round, whose two loads ran shortly after each other. */
export function pairedRatio(
  loads: readonly Load[],
  base: readonly Load[],
  figure: (load: Load) => number,
): number {
  return median(loads.flatMap((load, round) => (base[round] ? [figure(load) / figure(base[round])] : [])));
}
