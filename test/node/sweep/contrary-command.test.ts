import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ContraryReport } from "../../../src/journal/contrary-report.ts";
import { outcomeOf, run, temporaryFolder } from "../../support/command-line.ts";
import { suiteOf } from "../../support/suite.ts";

/** Repeats an order, and expects 201 again. */
const expects201 = `
const key = crypto.randomUUID();
await order(key);
const { status } = await order(key);
if (status !== 201) throw new TypeError("the replay was " + status);`;

/** Runs a client under each alternative, and reads the report. */
async function reported(options: readonly string[], code: string) {
  const file = join(temporaryFolder(), "report.json");
  const { output, ended } = run(["contrary", "--report", file, ...options, "--", ...suiteOf(code)]);
  const { code: exitCode } = await ended;
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ContraryReport) : undefined;
  return { output, exitCode, report };
}

test("reports a dependency with the first line of the failure, and exits with 0", async () => {
  const { exitCode, output, report } = await reported(["--only", "replay.status"], expects201);
  expect(exitCode).toBe(0);
  expect(output.stderr).toContain("1 alternative of 1 behavior = 1 cell.");
  expect(output.stderr).toContain("  green only if `replay.status` is 201\n");
  expect(report?.cells).toMatchObject([
    {
      id: "replay.status=200",
      verdict: "failed",
      reason: "exit code 1",
      failure: "TypeError: the replay was 200",
      repeat: expect.stringMatching(/^card-sandbox contrary --cell replay.status=200 -- /),
    },
  ]);
});

test("with --fail-on failed, a dependency fails it, also as the only cell", async () => {
  const { exitCode } = await reported(["--cell", "replay.status=200", "--fail-on", "failed"], expects201);
  expect(exitCode).toBe(1);
});

test("the command must pass as it is", async () => {
  const { exitCode, output, report } = await reported(
    ["--only", "replay.status"],
    "console.log('no luck'); await exchange(); process.exit(3)",
  );
  expect([exitCode, report?.cells]).toEqual([1, []]);
  expect(output.stderr).toContain("fails with all behaviors as they are: exit code 3. Repair it first.");
  expect(output.stderr).toContain("no luck");
});

test("--list prints the alternatives, without running the command", async () => {
  // In a process of its own, which it ends.
  const { output, ended } = run(["contrary", "--list", "--only", "key.retention", "--", "no-such-program"]);
  const { code } = await ended;
  expect([code, output.stdout]).toEqual([0, "key.retention=30d\nkey.retention=24h\nkey.retention=1h\n"]);
});

test.each<[readonly string[], string]>([
  [[], "command: is required. Example: card-sandbox contrary -- npm test"],
  [
    ["--only", "replay.stats", "--", "node"],
    '--only: "replay.stats" matches no alternative. Did you mean "replay.status"?',
  ],
  [
    ["--cell", "replay.status=202", "--", "node"],
    '--cell: "replay.status=202" is no alternative that the dialect does not select already. Did you mean "replay.status=200"?',
  ],
  [["--inspect", "--", "node"], "--inspect: requires --cell ID"],
  [["--db", "cards.db", "--", "node"], "--db: cannot be used here"],
])("%j is a usage error", async (words, message) => {
  const { code, stderr } = await outcomeOf(["contrary", ...words]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`card-sandbox: ${message}`)]);
});
