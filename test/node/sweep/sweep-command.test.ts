import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { outcomeOf, run, temporaryFolder } from "../../support/command-line.ts";
import { reported, strict, sweepOf } from "../../support/sweep.ts";

describe("a usage error", () => {
  test.each<[string, readonly string[], string]>([
    ["no command", [], "command: is required. Example: card-sandbox sweep -- npm test"],
    ["a database", ["--db", "cards.db"], "--db: cannot be used here"],
    ["--watch", ["--watch", "--scenarios", "."], "--watch: cannot be used here"],
    ["a port for several sandboxes", ["--port", "4242", "--jobs", "2"], "--port: must be 0 with --jobs 2"],
    ["no jobs", ["--jobs", "0"], '--jobs: must be at least 1, but is "0"'],
    ["a third fault", ["--depth", "3"], '--depth: must be one of 1, 2, but is "3"'],
    ["a budget without a unit", ["--budget", "90"], "--budget: must be a time such as 500ms, 90s, 10m or 1h"],
    ["no patience", ["--patience", "0s"], "--patience: must be a time such as"],
    ["longer waits", ["--time-scale", "2"], '--time-scale: must be a number from 0 to 1, but is "2"'],
    ["a debugger for all cells", ["--inspect"], "--inspect: requires --cell ID"],
    ["a report of an unknown format", ["--report", "report.pdf"], "--report: must end in one of .md, .json"],
    ["a missing baseline", ["--baseline", "nowhere.json"], '--baseline: cannot read "nowhere.json"'],
  ])("is %s", async (_title, options, message) => {
    const words = options.length === 0 ? [] : ["--", process.execPath];
    const { code, stderr } = await outcomeOf(["sweep", ...options, ...words]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`card-sandbox: ${message}`)]);
    expect(stderr.trimEnd()).not.toContain("\n");
  });

  test("is a baseline that is another report", async () => {
    const file = join(temporaryFolder(), "report.json");
    writeFileSync(file, '{"exit_code":0}');
    const { code, stderr } = await outcomeOf(["sweep", "--baseline", file, "--", process.execPath]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("is not a report of a sweep")]);
  });

  test("is an operation that the client does not call, or an unknown cell", async () => {
    for (const options of [
      ["--only", "lost"],
      ["--cell", "orderPhysicalCard#9:lost-response"],
    ]) {
      const { exitCode, output, report } = await reported(options, strict);
      expect([exitCode, report]).toEqual([2, undefined]);
      expect(output.stderr).toContain(`card-sandbox: ${options[0]}: `);
    }
  });
});

describe("the reference run", () => {
  test("must not fail", async () => {
    const { exitCode, output, report } = await reported(
      [],
      "await exchange(); console.log('no luck'); process.exit(3)",
    );
    expect([exitCode, report?.exit_code]).toEqual([1, 1]);
    expect(output.stderr).toContain("exit code 3");
    expect(output.stderr).toContain("no luck");
  });

  test("must make calls", async () => {
    const { exitCode, output } = await reported([], "");
    expect(exitCode).toBe(1);
    expect(output.stderr).toContain("sweepTest");
  });

  test("must start", async () => {
    const { output, ended } = run(["sweep", "--", "no-such-program"]);
    expect((await ended).code).toBe(3);
    expect(output.stderr).toMatch(/^card-sandbox: cannot start the command "no-such-program": .*\n$/);
  });
});

test("--list prints the cells to standard output, and runs none", async () => {
  const { output, ended } = sweepOf(["--list", "--only", "rate-limited"], strict);
  expect((await ended).code).toBe(0);
  expect(output.stdout).toBe("exchangeSandboxKey#1:rate-limited\norderPhysicalCard#1:rate-limited\n");
});

test("--list names the unstable calls, whose cells it leaves out", async () => {
  const marker = JSON.stringify(join(temporaryFolder(), "ran"));
  const isFirst = `if (!fs.existsSync(${marker})) { fs.writeFileSync(${marker}, ""); await exchange(); }`;
  const { output, ended } = sweepOf(
    ["--list", "--only", "rate-limited"],
    `const fs = await import("node:fs"); ${strict} ${isFirst}`,
  );
  expect((await ended).code).toBe(0);
  expect(output.stdout).toBe("exchangeSandboxKey#1:rate-limited\norderPhysicalCard#1:rate-limited\n");
  expect(output.stderr).toContain(
    "card-sandbox: unstable calls, whose cells are listed only with --unstable: exchangeSandboxKey#2\n",
  );
});
