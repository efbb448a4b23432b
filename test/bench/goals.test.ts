import { expect, test } from "vitest";
import { benchmarksPage, type Findings } from "../../bench/document.ts";
import { goalsTable, holdGoals, missesGoal } from "../../bench/goals.ts";
import type { Measured } from "../../bench/rounds.ts";

const nothing: Findings = { measured: [], sized: [], skipped: [], starts: [], memory: [], resets: [] };
const even = (ms: number) => ({ median: ms, min: ms, max: ms });

/** A row with a round for each figure. */
function row(name: string, perSecond: readonly number[], more: { cpuUs?: number; wrong?: string[] } = {}) {
  const loads = perSecond.map((each) => ({
    perSecond: each,
    p50Ms: 1,
    p99Ms: 4,
    cpuUs: more.cpuUs,
    loadShare: 0.5,
    wrong: more.wrong ?? [],
  }));
  const build = name.startsWith("floor") || ["prism", "emulate"].includes(name) ? {} : { build: "this" };
  return { row: name, title: name, ...build, connections: 10, loads } as unknown as Measured;
}

const floor = row("floor-a", [40_000, 50_000, 60_000]);

/** A run in which every goal is just met. */
const met: Findings = {
  ...nothing,
  measured: [
    floor,
    row("order", [6400, 8000, 9600]),
    row("order-file", [4800, 6000, 7200]),
    row("order-durable", [4000, 8000, 6000]),
    row("order-ungrouped", [1000, 2000, 1500]),
    row("replay", [10_000, 12_500, 15_000]),
    row("prism", [1000, 1333, 1600]),
    row("emulate", [6400, 8000, 9600]),
  ],
  sized: ["in memory", "on a file"].flatMap((storage) => [
    row(`${storage} 1000`, [1], { cpuUs: 100 }),
    row(`${storage} 200000`, [1], { cpuUs: 150 }),
  ]),
  starts: [
    { title: "A: `node:http` alone", ms: even(80), cpuMs: undefined, residentMib: undefined },
    { title: "card-sandbox", ms: even(120), cpuMs: undefined, residentMib: undefined },
  ],
  memory: [
    { title: "A: `node:http` alone", orders: 1, atStart: 50, afterOrders: 60, wrong: [] },
    { title: "card-sandbox", orders: 1, atStart: 70, afterOrders: 90, wrong: [] },
  ],
  resets: [{ title: "reset of the default world", ms: even(1) }],
};

const outcomes = (findings: Findings) =>
  Object.fromEntries(holdGoals(findings).map(({ goal, outcome }) => [goal.title, outcome]));
const replaced = (name: string, other: Measured) =>
  met.measured.map((each) => (each.row === name ? other : each));

test("goals that are just met are met, and strictness has nothing to say", () => {
  expect(new Set(Object.values(outcomes(met)))).toEqual(new Set(["met"]));
  expect(missesGoal(met)).toBe(false);
});

test.each<[string, Partial<Findings>, readonly string[]]>([
  [
    "slower orders",
    { measured: replaced("order", row("order", [6300, 7900, 9500])) },
    ["orders in memory", "orders in memory beside Prism's", "orders in memory beside what emulate does"],
  ],
  [
    "slower files",
    { measured: replaced("order-file", row("order-file", [4700, 5900, 7100])) },
    ["orders on a file"],
  ],
  [
    "a group commit that gains less",
    { measured: replaced("order-durable", row("order-durable", [3900, 7900, 5900])) },
    ["orders with `--durability full`, beside each committed by itself"],
  ],
  [
    "slower replays",
    { measured: replaced("replay", row("replay", [9900, 12_400, 14_900])) },
    ["the same order again"],
  ],
  [
    "dearer orders among many cards",
    {
      sized: met.sized.map((each) =>
        each.row === "on a file 200000" ? row(each.row, [1], { cpuUs: 151 }) : each,
      ),
    },
    ["processor time of an order on a file, at 200,000 cards beside 1,000"],
  ],
  [
    "a slower start",
    { starts: met.starts.map((each) => (each.title === "card-sandbox" ? { ...each, ms: even(121) } : each)) },
    ["the start"],
  ],
  [
    "more memory",
    { memory: met.memory.map((each) => (each.title === "card-sandbox" ? { ...each, atStart: 71 } : each)) },
    ["memory after the start"],
  ],
  [
    "a slower reset",
    { resets: [{ title: "reset of the default world", ms: even(1.01) }] },
    ["reset of the default world"],
  ],
])("%s: that goal is missed, and no other", (_, worse, missed) => {
  const found = outcomes({ ...met, ...worse });
  expect(Object.keys(found).filter((title) => found[title] !== "met")).toEqual(missed);
  expect(missed.map((title) => found[title])).toEqual(missed.map(() => "missed"));
  expect(missesGoal({ ...met, ...worse })).toBe(true);
});

test("a ratio is the median of each round's own, and p99 that of the rounds", () => {
  const order = row("order", [20_000, 5000, 6000]);
  const slow = { ...order, loads: order.loads.map((load, n) => ({ ...load, p99Ms: [3, 9, 5][n] ?? 0 })) };
  const [orders, p99] = holdGoals({ ...nothing, measured: [floor, slow] });
  expect([orders?.shown, p99?.shown, p99?.outcome]).toEqual(["0.100", "5.00", "missed"]);
});

test("what was not measured, or was answered wrongly, neither meets a goal nor misses it", () => {
  expect(new Set(Object.values(outcomes(nothing)))).toEqual(new Set(["not measured"]));
  expect(goalsTable(nothing)).toBeUndefined();
  const wrong = row("order", [1, 1, 1], { wrong: ["1 × 500 in place of 201"] });
  const found = outcomes({ ...met, measured: replaced("order", wrong) });
  expect([found["orders in memory"], found["orders on a file"]]).toEqual(["not measured", "met"]);
});

test("of several builds this checkout is held to the goals", () => {
  const other = { ...row("order", [100, 100, 100]), build: "before" };
  const named = <Row extends { readonly title: string }>(rows: readonly Row[], title: string) =>
    rows.flatMap((each) =>
      each.title === title
        ? [
            { ...each, title: `${title} (before)`, ms: even(999), atStart: 999 },
            { ...each, title: `${title} (this)` },
          ]
        : [each],
    );
  const compared = {
    ...met,
    measured: [other, ...met.measured],
    starts: named(met.starts, "card-sandbox"),
    memory: named(met.memory, "card-sandbox"),
    resets: named(met.resets, "reset of the default world"),
  };
  expect(new Set(Object.values(outcomes(compared)))).toEqual(new Set(["met"]));
});

test("the page says of each goal what it is, what was measured, and what became of it", () => {
  const about = {
    machine: ["- machine: made up"],
    command: "npm run bench",
    rounds: 3,
    seconds: 1,
    compared: false,
  };
  const page = benchmarksPage(
    { ...nothing, resets: [{ title: "reset of the default world", ms: even(2.04) }] },
    about,
  );
  expect(page).toContain("## Goals\n\n| What | Goal | Measured | Outcome |\n| --- | --: | --: | --: |\n");
  expect(page).toContain("| reset of the default world | ≤ 1 ms | 2.04 | missed |\n");
  expect(page).toContain("| orders in memory | ≥ 0.16 of floor A |  | not measured |\n");
  expect(benchmarksPage(nothing, about)).not.toContain("Goals");
});
