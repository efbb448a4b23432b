import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { growth, type Stretch } from "./measures.ts";

const stretch = (rssMiB: number, p99Ms = 10, descriptors = 40, liveMiB = 40): Stretch => ({
  requests: 1000,
  p50Ms: 1,
  p99Ms,
  maxMs: 50,
  cpuMs: 2,
  rssMiB,
  liveMiB,
  descriptors,
});

test.each([
  [
    "accepts memory that stays after the warm-up",
    [50, 80, 100, 100, 100, 114].map((rss) => stretch(rss)),
    [],
  ],
  ["accepts one peak among three", [1, 1, 1, 100, 100, 100, 100, 400, 100].map((rss) => stretch(rss)), []],
  [
    "reports growing memory",
    [100, 100, 110, 110, 130, 130].map((rss) => stretch(rss)),
    ["resident memory in MiB rose from 110.0 to 130.0, and 126.5 is allowed"],
  ],
  [
    "reports a growing heap",
    [40, 40, 45].map((live) => stretch(100, 10, 40, live)),
    ["live heap in MiB rose from 40.0 to 45.0, and 44.0 is allowed"],
  ],
  ["accepts latency within the slack", [1, 1, 21].map((p99) => stretch(100, p99)), []],
  [
    "reports growing latency",
    [50, 50, 76].map((p99) => stretch(100, p99)),
    ["p99 latency in ms rose from 50.0 to 76.0, and 75.0 is allowed"],
  ],
  [
    "reports growing processor time",
    [2, 2, 2.7].map((cpuMs) => ({ ...stretch(100), cpuMs })),
    ["processor time per request in ms rose from 2.0 to 2.7, and 2.6 is allowed"],
  ],
  [
    "reports descriptors that pile up",
    [40, 40, 105].map((n) => stretch(100, 10, n)),
    ["open descriptors rose from 40.0 to 105.0, and 104.0 is allowed"],
  ],
  [
    "reports a missing figure",
    [1, 2, Number.NaN].map((rss) => stretch(rss)),
    ["resident memory in MiB rose from 2.0 to NaN, and 2.3 is allowed"],
  ],
  [
    "reports a soak of two stretches",
    [stretch(1), stretch(1)],
    ["too short to judge: a soak takes at least three stretches"],
  ],
])("%s", (_, stretches, expected) => expect(growth(stretches)).toEqual(expected));

test.each([
  [["--help"], 0, "Exit codes: 0 flat"],
  [["--minutes", "0"], 2, "'--minutes <number>'"],
  [["--store", "disk"], 2, "Allowed choices are file, memory, both"],
])("the soak with %j exits with %i", (options, code, text) => {
  const soak = new URL("./soak.ts", import.meta.url).pathname;
  const run = spawnSync(process.execPath, ["--import", "tsx", soak, ...options], { encoding: "utf8" });
  expect(run.status, run.stderr).toBe(code);
  expect(run.stdout + run.stderr).toContain(text);
});
