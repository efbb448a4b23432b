import { expect, test } from "vitest";
import { checkGoals, type Figures, goalsTable, missesGoal } from "../../bench/goals.ts";
import type { Measured } from "../../bench/rounds.ts";
import { median, quantile } from "../../bench/statistics.ts";

const nothing: Figures = { measured: [], starts: [] };

/** A row with one round per figure. */
function row(name: string, perSecond: readonly number[], more: Partial<Measured["loads"][0]> = {}): Measured {
  const loads = perSecond.map((each) => ({
    perSecond: each,
    p50Ms: 1,
    p99Ms: 4,
    cpuUs: 100,
    problems: [],
    ...more,
  }));
  const isSandbox = !name.startsWith("baseline") && !["prism", "emulate"].includes(name);
  return { row: name, title: name, connections: 10, status: 201, loads, ...(isSandbox && { build: "this" }) };
}

const start = (build: string | undefined, ms: number, mib: number) => ({
  title: "start",
  ms: [ms],
  cpuMs: [ms],
  residentMib: [mib],
  ...(build !== undefined && { build }),
});

/** A run that just meets every goal. */
const good: Figures = {
  measured: [
    row("baseline-a", [40_000, 50_000, 60_000]),
    row("order", [6400, 8000, 9600]),
    row("order-file", [4800, 6000, 7200]),
    row("order-large-file", [1, 1, 1], { cpuUs: 150 }),
    row("order-durable", [4000, 8000, 6000]),
    row("order-ungrouped", [1000, 2000, 1500]),
    row("replay", [10_000, 12_500, 15_000]),
    row("prism", [1000, 1333, 1600]),
    row("emulate", [6400, 8000, 9600]),
    row("reset", [1]),
  ],
  starts: [start(undefined, 80, 50), start("this", 120, 70)],
};

const withRow = (other: Measured): Figures => ({
  ...good,
  measured: good.measured.map((each) => (each.row === other.row ? other : each)),
});
const goalsWith = (figures: Figures, outcome: string) =>
  checkGoals(figures)
    .filter((goal) => goal.outcome === outcome)
    .map(({ title, limit }) => `${title} ${limit}`);

test("figures that just meet the goals meet them", () => {
  expect(goalsWith(good, "met")).toHaveLength(checkGoals(good).length);
  expect(missesGoal(good)).toBe(false);
});

test.each<[string, Figures, readonly string[]]>([
  [
    "slower orders",
    withRow(row("order", [6300, 7900, 9500])),
    [
      "orders in memory ≥ 0.16 of baseline A",
      "orders in memory ≥ 6 × Prism",
      "orders in memory ≥ 1 × emulate",
    ],
  ],
  ["slower files", withRow(row("order-file", [4700, 5900, 7100])), ["orders on a file ≥ 0.12 of baseline A"]],
  [
    "dearer orders among many cards",
    withRow(row("order-large-file", [1, 1, 1], { cpuUs: 151 })),
    ["processor time of an order on a file, with many cards ≤ 1.5 × that of one with few"],
  ],
  [
    "batches that gain less",
    withRow(row("order-durable", [3900, 7900, 5900])),
    ["orders with `--durability full` ≥ 4 × those committed one by one"],
  ],
  ["slower replays", withRow(row("replay", [9900, 12_400, 14_900])), ["replays ≥ 0.25 of baseline A"]],
  [
    "a slower start",
    { ...good, starts: [start(undefined, 80, 50), start("this", 121, 70)] },
    ["start ≤ 1.5 × baseline A"],
  ],
  [
    "more memory",
    { ...good, starts: [start(undefined, 80, 50), start("this", 120, 71)] },
    ["memory after the start ≤ 1.4 × baseline A"],
  ],
  [
    "a slower reset",
    withRow(row("reset", [1], { p50Ms: 1.01 })),
    ["p50 of a reset of the default world ≤ 1 ms"],
  ],
])("%s miss only the goals for them", (_, figures, missed) => {
  expect(goalsWith(figures, "missed")).toEqual(missed);
  expect(goalsWith(figures, "not measured")).toEqual([]);
  expect(missesGoal(figures)).toBe(true);
});

test("a ratio is the median of the ratios within each round", () => {
  const [orders] = checkGoals(withRow(row("order", [20_000, 5000, 6000])));
  expect(orders?.shown).toBe("0.100");
});

test("a goal without figures, or with unexpected responses, is not measured", () => {
  expect(goalsWith(nothing, "not measured")).toHaveLength(checkGoals(nothing).length);
  expect(goalsTable(nothing)).toBe("");
  const wrong = withRow(row("replay", [1, 1, 1], { problems: ["1 × 500 instead of 201"] }));
  expect(goalsWith(wrong, "not measured")).toEqual(["replays ≥ 0.25 of baseline A"]);
});

test("only this checkout is compared with the goals", () => {
  const other = { ...row("order", [100, 100, 100]), build: "before" };
  const figures = {
    measured: [other, ...good.measured],
    starts: [start("before", 999, 999), ...good.starts],
  };
  expect(goalsWith(figures, "met")).toHaveLength(checkGoals(figures).length);
});

test.each([
  { values: [3], is: 3 },
  { values: [9, 1, 5], is: 5 },
  { values: [4, 1, 3, 2], is: 2.5 },
  { values: [10, 9, 100], is: 10 },
  { values: [], is: Number.NaN },
])("the median of $values is $is", ({ values, is }) => {
  expect(median(values)).toBe(is);
});

test("a quantile is one of the values", () => {
  const sorted = Array.from({ length: 200 }, (_, i) => i);
  expect([quantile(sorted, 0.5), quantile(sorted, 0.99), quantile(sorted, 1)]).toEqual([100, 198, 199]);
});
