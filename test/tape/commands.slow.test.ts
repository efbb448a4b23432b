import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { SuiteReport } from "../../src/journal/suite.ts";
import { readTape } from "../../src/node/tape/tape-file.ts";
import { cli, runProgram, startCommandLine, temporaryFolder, whenReady } from "../support/command-line.ts";
import { exec } from "../support/suite.ts";
import { differencesOf } from "../support/taped.ts";

test.each(["SIGINT", "SIGTERM"] as const)(
  "start --tape names the tape, and completes it when %s ends the process",
  async (signal) => {
    const file = join(temporaryFolder(), "a.tape");
    const started = await startCommandLine(["--tape", file]);
    expect(started.output.stdout).toContain(`\nTape              ${file}\n`);
    expect((await started.order(randomUUID())).status).toBe(201);
    started.child.kill(signal);
    expect(await started.ended).toMatchObject({ code: 0 });
    const tape = readTape(file);
    expect(tape.isComplete).toBe(true);
    expect(tape.events.filter((event) => event.do === "request")).toHaveLength(2);
    expect(await differencesOf(tape)).toEqual([]);
  },
);

test("a tape that a killed process leaves has what entered more than a second before", async () => {
  const file = join(temporaryFolder(), "a.tape");
  const started = await startCommandLine([], { CARD_SANDBOX_TAPE: file });
  await started.order(randomUUID());
  const requests = () => {
    const { events } = readTape(file);
    return events.filter((event) => event.do === "request").length;
  };
  await vi.waitUntil(() => requests() === 2, { timeout: 5000 });
  started.child.kill("SIGKILL");
  await started.ended;
  expect(readTape(file).isComplete).toBe(false);
  expect(await differencesOf(readTape(file))).toEqual([]);
});

test.skipIf(process.platform === "win32")(
  "on a full disk, the log says once that the recording has ended, and the sandbox goes on",
  async () => {
    const file = join(temporaryFolder(), "a.tape");
    const line = 'ulimit -f 8; exec "$@"';
    const args = ["-c", line, "bash", process.execPath, cli, "--port", "0", "--tape", file];
    const started = await whenReady(runProgram("bash", args));
    const order = async () => (await started.order(randomUUID())).status;
    await vi.waitUntil(
      async () => {
        await Promise.all([order(), order(), order()]);
        return started.output.stderr !== "";
      },
      { timeout: 20_000 },
    );
    expect(await order()).toBeLessThan(500);
    started.child.kill("SIGTERM");
    expect(await started.ended).toMatchObject({ code: 0 });
    expect(started.output.stderr).toMatch(
      /^card-sandbox: tape: the recording has ended, because \S+a\.tape cannot be written: EFBIG.*\n$/,
    );
    expect(await differencesOf(readTape(file))).toEqual([]);
  },
);

test("exec --tape FOLDER/ makes a file in it, which the report names", async () => {
  const folder = join(temporaryFolder(), "tapes/");
  const report = join(temporaryFolder(), "report.json");
  const { ended, output } = exec(
    ["--tape", folder, "--report", report],
    "await order(); process.exitCode = 1;",
  );
  expect(await ended, output.stderr).toMatchObject({ code: 1 });
  const { tape = "", gates } = JSON.parse(readFileSync(report, "utf8")) as SuiteReport;
  expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([join(process.cwd(), tape)]);
  expect(gates[0]?.replay).toBe(`card-sandbox replay ${tape} --until 2`);
  expect(readTape(tape).isComplete).toBe(true);
});
