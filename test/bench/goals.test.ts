import { expect, test } from "vitest";
import { checkGoals, type Figures, goalsTable, missesGoal } from "../../bench/goals.ts";
import type { Measured } from "../../bench/rounds.ts";
import { median, quantile } from "../../bench/statistics.ts";
import type { TestCost } from "../../bench/test-run.ts";

const nothing: Figures = { measured: [], starts: [], testCosts: [] };

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

const start = (build: string | undefined, ms: number, mib: number, node = 20) => ({
  title: "start",
  node,
  ms: [ms],
  cpuMs: [ms],
  residentMib: [mib],
  ...(build !== undefined && { build }),
});

const cost = (name: TestCost["name"], ms: number, more: Partial<TestCost> = {}): TestCost => ({
  name,
  title: name,
  build: "this",
  ms: [ms],
  ...more,
});

/** A run that just meets every goal. */
const good: Figures = {
  measured: [
    row("baseline-a", [40_000, 50_000, 60_000]),
    { ...row("order", [6736, 8421, 10_105], { p99Ms: 3.81 }), build: "before" },
    row("order", [6400, 8000, 9600]),
    { ...row("list", [1, 1, 1], { cpuUs: 200 }), build: "before" },
    row("list", [1, 1, 1], { cpuUs: 120 }),
    row("order-taped", [5760, 7200, 8640]),
    row("order-file", [4800, 6000, 7200]),
    row("order-large-file", [1, 1, 1], { cpuUs: 150 }),
    row("order-durable", [4000, 8000, 6000]),
    row("order-ungrouped", [1000, 2000, 1500]),
    row("replay", [10_000, 12_500, 15_000]),
    row("prism", [1000, 1333, 1600]),
    row("emulate", [6400, 8000, 9600]),
    row("reset", [1]),
  ],
  starts: [
    start(undefined, 80, 50),
    start("this", 144, 70),
    start(undefined, 50, 50, 24),
    start("this", 80, 90, 24),
  ],
  testCosts: [
    { name: "bare", title: "bare", ms: [50] },
    cost("load", 100),
    cost("exec", 115),
    cost("sandbox", 2, { kb: [450] }),
    cost("first company", 15),
    cost("company", 1),
    cost("vitest", 48, { bareMs: [40] }),
  ],
};

const withRow = (other: Measured): Figures => ({
  ...good,
  measured: good.measured.map((each) => (each.row === other.row && each.build !== "before" ? other : each)),
});
const withStart = (other: Figures["starts"][0]): Figures => ({
  ...good,
  starts: good.starts.map((each) => (each.build === other.build && each.node === other.node ? other : each)),
});
const withCost = (other: TestCost): Figures => ({
  ...good,
  testCosts: good.testCosts.map((each) => (each.name === other.name ? other : each)),
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
      "orders in memory ≥ 0.95 × those of the other build",
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
    "slow responses to some orders",
    withRow(row("order", [6400, 8000, 9600], { p99Ms: 4.05 })),
    ["p99 of an order in memory ≤ 1.05 × that of the other build", "p99 of an order in memory ≤ 4 ms"],
  ],
  [
    "slower pages",
    withRow(row("list", [1, 1, 1], { cpuUs: 121 })),
    ["processor time of a page of 20 of 100 cards ≤ 0.6 × that of the other build"],
  ],
  ["a slower start", withStart(start("this", 145, 70)), ["start on Node 20 ≤ 1.8 × baseline A"]],
  ["a slower start elsewhere", withStart(start("this", 81, 90, 24)), ["start on Node 24 ≤ 1.6 × baseline A"]],
  ["more memory", withStart(start("this", 144, 71)), ["memory after the start ≤ 1.4 × baseline A"]],
  [
    "a slower import",
    withCost(cost("load", 101)),
    ["import and first `createSandbox()` ≤ 2 × a bare process"],
  ],
  [
    "a slower exec",
    withCost(cost("exec", 116)),
    ["`exec --allow-no-requests -- true` ≤ 2.3 × a bare process"],
  ],
  [
    "slower Vitest files",
    withCost(cost("vitest", 49, { bareMs: [40] })),
    ["a sandbox in each of 100 Vitest files ≤ 1.2 × a bare process"],
  ],
  ["slower sandboxes", withCost(cost("sandbox", 2.01, { kb: [450] })), ["a further sandbox ≤ 2 ms"]],
  ["larger sandboxes", withCost(cost("sandbox", 2, { kb: [451] })), ["memory of a further sandbox ≤ 450 KB"]],
  ["a slower first company", withCost(cost("first company", 15.1)), ["the first isolated company ≤ 15 ms"]],
  ["slower companies", withCost(cost("company", 1.01)), ["a further isolated company ≤ 1 ms"]],
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
  const orders = checkGoals(withRow(row("order", [20_000, 5000, 6000])));
  expect(orders.find(({ limit }) => limit === "≥ 0.16 of baseline A")?.shown).toBe("0.100");
});

test("a goal without figures, or with unexpected responses, is not measured", () => {
  expect(goalsWith(nothing, "not measured")).toHaveLength(checkGoals(nothing).length);
  expect(goalsTable(nothing)).toBe("");
  const wrong = withRow(row("replay", [1, 1, 1], { problems: ["1 × 500 instead of 201"] }));
  expect(goalsWith(wrong, "not measured")).toEqual(["replays ≥ 0.25 of baseline A"]);
});

test("a goal that compares builds is not measured without another build", () => {
  const alone = { ...good, measured: good.measured.filter(({ build }) => build !== "before") };
  expect(goalsWith(alone, "not measured")).toEqual([
    "orders in memory ≥ 0.95 × those of the other build",
    "p99 of an order in memory ≤ 1.05 × that of the other build",
    "processor time of a page of 20 of 100 cards ≤ 0.6 × that of the other build",
  ]);
});

test("only this checkout is compared with the goals", () => {
  const other = { ...row("replay", [100, 100, 100]), build: "before" };
  const figures = {
    ...good,
    measured: [other, ...good.measured],
    starts: [start("before", 999, 999), ...good.starts],
    testCosts: [cost("load", 999, { build: "before" }), ...good.testCosts],
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
