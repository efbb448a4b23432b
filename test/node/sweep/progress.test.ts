import { expect, test } from "vitest";
import { plain } from "../../../src/node/colors.ts";
import { ProgressLines } from "../../../src/node/sweep/progress.ts";

const none = { hung: 0, crashed: 0, damaged: 0, failed: 0, survived: 0, not_reached: 0 };

/** Shows each count of cells that have run, one per second, of which 2 are damaged and 1 hung at the end. */
function shown(
  counts: readonly number[],
  { isRedrawn, columns = 80, total = 141 }: { isRedrawn: boolean; columns?: number; total?: number },
) {
  const written: string[] = [];
  let nowMs = 0;
  const stream = { columns, write: (text: string) => written.push(text) > 0 };
  const progress = new ProgressLines(stream, plain, isRedrawn, () => nowMs);
  for (const done of counts) {
    nowMs = 1000 * done;
    const totals = done > 90 ? { ...none, damaged: 2, hung: 1 } : none;
    const reference = { calls: 24, operations: 3, duration_ms: 1930 };
    progress.show({ reference, done, total, faults: 11, totals, latest: undefined });
  }
  progress.clear();
  return written.join("");
}

const referenceLine =
  "Reference run: 24 calls, 3 operations, 1.9 s. 24 calls × up to 11 faults = 141 cells.\n";

test("a terminal has one line, which is redrawn with a bar and the remaining time", () => {
  const lines = shown([0, 96, 141], { isRedrawn: true }).split("\r\u001b[K");
  expect(lines).toEqual([
    "Reference run, twice without faults …",
    referenceLine,
    "[----------------------] 0/141",
    "[###############-------] 96/141  1 hung  2 damaged  ETA 0:45",
    "[######################] 141/141  1 hung  2 damaged",
    "",
  ]);
});

test("a narrow terminal has no bar, and a line that cannot wrap", () => {
  expect(shown([0, 96], { isRedrawn: true, columns: 50 })).toContain("K96/141  1 hung  2 damaged  ETA 0:45");
  expect(shown([0, 96], { isRedrawn: true, columns: 20 })).toMatch(/K96\/141\r/);
});

test("elsewhere there is at most a line for each tenth of the cells", () => {
  const lines = shown([...Array(142).keys()], { isRedrawn: false }).split("\n");
  expect(lines).toHaveLength(12);
  expect(lines.slice(0, 3)).toEqual([referenceLine.trimEnd(), "15/141 cells", "29/141 cells"]);
  expect(lines.slice(-2)).toEqual(["141/141 cells, 1 hung, 2 damaged", ""]);
});

test("without cells there is only the line of the reference run", () => {
  expect(shown([0], { isRedrawn: false, total: 0 })).toMatch(/= 0 cells\.\n$/);
});
