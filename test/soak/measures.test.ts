import { expect, test } from "vitest";
import { percentile, type Stretch, unevenness } from "./measures.ts";

const stretch = (rssMiB: number, p99Ms = 10, descriptors = 40, liveMiB = 40): Stretch => ({
  requests: 1000,
  p50Ms: 1,
  p99Ms,
  mostMs: 50,
  cpuMs: 2,
  rssMiB,
  liveMiB,
  descriptors,
});

test("a percentile is one of the values", () => {
  expect(percentile([4, 1, 3, 2], 0.5)).toBe(2);
  expect(percentile([4, 1, 3, 2], 0.99)).toBe(4);
  expect(percentile([], 0.5)).toBeNaN();
});

test.each([
  ["what warms up and then stays", [50, 80, 100, 100, 100, 114].map((rss) => stretch(rss)), []],
  ["one peak among three", [1, 1, 1, 100, 100, 100, 100, 400, 100].map((rss) => stretch(rss)), []],
  [
    "memory that grows",
    [100, 100, 110, 110, 130, 130].map((rss) => stretch(rss)),
    ["resident memory in MiB rose from 110.0 to 130.0, and 126.5 is allowed"],
  ],
  [
    "what lives on and on",
    [40, 40, 45].map((live) => stretch(100, 10, 40, live)),
    ["live heap in MiB rose from 40.0 to 45.0, and 44.0 is allowed"],
  ],
  ["latency within the slack", [1, 1, 21].map((p99) => stretch(100, p99)), []],
  [
    "latency that grows",
    [50, 50, 76].map((p99) => stretch(100, p99)),
    ["p99 latency in ms rose from 50.0 to 76.0, and 75.0 is allowed"],
  ],
  [
    "work that grows",
    [2, 2, 2.7].map((cpuMs) => ({ ...stretch(100), cpuMs })),
    ["processor time a request in ms rose from 2.0 to 2.7, and 2.6 is allowed"],
  ],
  [
    "descriptors that pile up",
    [40, 40, 105].map((n) => stretch(100, 10, n)),
    ["open descriptors rose from 40.0 to 105.0, and 104.0 is allowed"],
  ],
  [
    "what was not measured",
    [1, 2, Number.NaN].map((rss) => stretch(rss)),
    ["resident memory in MiB rose from 2.0 to NaN, and 2.3 is allowed"],
  ],
  ["two stretches", [stretch(1), stretch(1)], ["too short to tell: a soak takes three stretches at least"]],
])("%s", (_, stretches, told) => expect(unevenness(stretches)).toEqual(told));
