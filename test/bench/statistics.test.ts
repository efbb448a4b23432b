import { expect, test } from "vitest";
import { median, quantile, spread } from "../../bench/statistics.ts";

test.each([
  { values: [3], is: 3 },
  { values: [9, 1, 5], is: 5 },
  { values: [4, 1, 3, 2], is: 2.5 },
  { values: [10, 9, 100], is: 10 },
])("the median of $values is $is", ({ values, is }) => {
  expect(median(values)).toBe(is);
});

test("the median of nothing is no number", () => {
  expect(median([])).toBeNaN();
});

test("a quantile is a value that was measured", () => {
  const sorted = Array.from({ length: 200 }, (_, i) => i);
  expect([quantile(sorted, 0.5), quantile(sorted, 0.99), quantile(sorted, 1)]).toEqual([100, 198, 199]);
});

test("a spread tells how far rounds lay apart", () => {
  expect(spread([30, 10, 20])).toEqual({ median: 20, min: 10, max: 30 });
});
