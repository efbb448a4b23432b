import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { isRunning, temporaryFolder } from "../../support/command-line.ts";
import { careless, reported, strict, sweepOf } from "../../support/sweep.ts";

test("finds the card that a retry duplicates, and repeats the cell with the same verdict", async () => {
  const options = [
    "--seed",
    "7",
    "--admin-token",
    "correct-horse",
    "--only",
    "lost-response,orderPhysicalCard",
  ];
  const { exitCode, output, report, verdicts, file } = await reported(options, careless);
  expect(exitCode).toBe(1);
  expect(output.stdout).toBe("");
  expect(verdicts).toEqual({ "orderPhysicalCard#1:lost-response": "damaged" });
  expect(output.stderr).toMatch(
    /^Reference run: 2 calls, 2 operations, [0-9.]+ s\. .* = 1 cell\.\n1\/1 cells, 1 damaged\n/,
  );
  expect(output.stderr).toContain("2 cards for one order");
  const [cell] = report?.cells ?? [];
  expect(cell?.repeat).toMatch(
    /^card-sandbox sweep --cell orderPhysicalCard#1:lost-response --seed 7 -- \S*node /,
  );

  const repeated = await reported(["--cell", cell?.id ?? "", "--jobs", "2"], careless);
  expect([repeated.exitCode, repeated.verdicts]).toEqual([1, verdicts]);

  const accepted = await reported(
    ["--baseline", file, "--only", "orderPhysicalCard,lost-response"],
    careless,
  );
  expect(accepted.exitCode).toBe(0);
  expect(accepted.report?.accepted).toEqual([cell?.id]);
});

test("a client that never gives up hangs, and no process of it is left", async () => {
  const code = `${careless.replace("process.exit(1)", "")} `;
  const { exitCode, verdicts } = await reported(["--only", "silent-response", "--patience", "500ms"], code);
  expect(exitCode).toBe(1);
  expect(verdicts).toEqual({
    "exchangeSandboxKey#1:silent-response": "hung",
    "orderPhysicalCard#1:silent-response": "hung",
  });
});

test("a client that a signal ends has crashed, and one that fails notices the fault", async () => {
  const code = strict.replace("process.exit(4)", 'process.kill(process.pid, "SIGKILL")');
  const options = ["--only", "orderPhysicalCard,rate-limited"];
  const crashed = await reported(options, code);
  expect([crashed.exitCode, Object.values(crashed.verdicts)]).toEqual([1, ["crashed"]]);
  const failed = await reported(options, strict);
  expect([failed.exitCode, Object.values(failed.verdicts)]).toEqual([0, ["failed"]]);
  expect((await reported([...options, "--fail-on", "failed"], strict)).exitCode).toBe(1);
});

test("a call that a later run does not make is not reached", async () => {
  const marker = JSON.stringify(join(temporaryFolder(), "runs"));
  const code = `
    const fs = await import("node:fs");
    fs.appendFileSync(${marker}, "x");
    await exchange();
    if (fs.readFileSync(${marker}).length < 3) await exchange();`;
  const { exitCode, verdicts } = await reported(["--cell", "exchangeSandboxKey#2:rate-limited"], code);
  expect([exitCode, Object.values(verdicts)]).toEqual([0, ["not_reached"]]);
});

test("after the budget, no cell starts", async () => {
  const slow = `await new Promise((resolve) => setTimeout(resolve, 500)); ${strict}`;
  // About thirty cells of half a second each.
  const { report } = await reported(["--budget", "8s", "--only", "orderPhysicalCard"], slow);
  expect(report).toMatchObject({ problem: null, not_run_reason: "the budget was used up" });
  expect(report?.cells.length).toBeGreaterThan(0);
  expect(report?.not_run.length).toBeGreaterThan(0);
});

test("a budget that ends before the runs without faults is a problem", async () => {
  const { exitCode, report } = await reported(["--budget", "1ms", "--only", "rate-limited"], strict);
  expect(exitCode).toBe(1);
  expect(report).toMatchObject({ cells: [], problem: expect.stringContaining("--budget") });
});

test("two jobs give the same cells as one", async () => {
  const options = ["--only", "rate-limited,unauthorized,lost-response"];
  const one = await reported(options, careless);
  const two = await reported([...options, "--jobs", "2"], careless);
  expect(two.verdicts).toEqual(one.verdicts);
  expect(Object.keys(two.verdicts).length).toBeGreaterThan(3);
});

test("a report that can no longer be written gives exit code 3", async () => {
  const folder = join(temporaryFolder(), "reports");
  mkdirSync(folder);
  const remove = `(await import("node:fs")).rmSync(${JSON.stringify(folder)}, { recursive: true, force: true });`;
  const { output, ended } = sweepOf(
    ["--report", join(folder, "report.html"), "--cell", "exchangeSandboxKey#1:rate-limited"],
    `${remove} await exchange()`,
  );
  const { code } = await ended;
  expect(output.stderr).toContain("cannot be written: ENOENT");
  expect(code).toBe(3);
});

test("--inspect runs the client of a cell under a debugger, with the streams of this process", async () => {
  const options = ["--cell", "orderPhysicalCard#1:lost-response", "--inspect"];
  const started = sweepOf(options, `console.log("started");${careless}`);
  const [, address = ""] = await untilPrinted(
    started.child.stderr,
    /Debugger listening on ws:\/\/(127\.0\.0\.1:[0-9]+)/,
  );
  expect(started.output.stdout).toBe("");
  const inspector = spawn(process.execPath, ["inspect", address]);
  onTestFinished(() => void inspector.kill("SIGKILL"));
  await untilPrinted(inspector.stdout, /debug> $/);
  inspector.stdin.write("cont\n");
  await untilPrinted(started.child.stderr, /Waiting for the debugger to disconnect/);
  inspector.kill("SIGKILL");
  expect((await started.ended).code).toBe(1);
  expect(started.output.stdout).toBe("started\nTypeError: fetch failed\n");
  expect(started.output.stderr).toContain("1 cell: 1 damaged");
});

/** Reads a stream until its text matches. */
async function untilPrinted(stream: Readable | null, pattern: RegExp): Promise<RegExpExecArray> {
  for (let text = ""; stream; ) {
    const [chunk] = await once(stream, "data");
    text += chunk;
    const match = pattern.exec(text);
    if (match) return match;
  }
  throw new Error("there is no stream");
}

describe("a signal", () => {
  /** Prints the process id of the client of the first cell, which waits for a response. */
  async function untilWaiting(options: readonly string[]) {
    const pidFile = join(temporaryFolder(), "pid");
    const code = `
      const fs = await import("node:fs");
      process.on("SIGTERM", () => {});
      fs.appendFileSync(${JSON.stringify(pidFile)}, process.pid + "\\n");
      await exchange();
      process.exit(0)`;
    const started = sweepOf(["--patience", "60s", "--only", "silent-response", ...options], code);
    for (;;) {
      const pids = existsSync(pidFile) ? readFileSync(pidFile, "utf8").trim().split("\n") : [];
      if (pids.length === 3) return { ...started, pid: Number(pids[2]) };
      await new Promise((later) => setTimeout(later, 20));
    }
  }

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends the command, and the report says what is known", async (signal, expected) => {
    const file = join(temporaryFolder(), "report.json");
    const { child, ended, output, pid } = await untilWaiting(["--report", file]);
    child.kill(signal);
    expect(await ended).toEqual({ code: expected, signal: null });
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      exit_code: expected,
      not_run: ["exchangeSandboxKey#1:silent-response"],
      not_run_reason: "interrupted",
    });
    expect(output.stderr).toContain(`exit code ${expected}`);
    expect(isRunning(pid)).toBe(false);
  });

  test("a second one ends the sweep at once", async () => {
    const { child, ended, output, pid } = await untilWaiting([]);
    child.kill("SIGINT");
    await new Promise((later) => setTimeout(later, 300));
    child.kill("SIGINT");
    expect(await ended).toEqual({ code: 130, signal: null });
    expect(output.stderr).not.toContain("exit code 130");
    expect(isRunning(pid)).toBe(false);
  });
});
