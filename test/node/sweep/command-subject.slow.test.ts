import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { CommandRuns } from "../../../src/node/sweep/command-runs.ts";
import { CommandSubject, type SweptCommand } from "../../../src/node/sweep/command-subject.ts";
import { inputsOf } from "../../../src/node/sweep/inputs.ts";
import type { Attempt, Exit } from "../../../src/sweep/subject.ts";
import { isRunning, temporaryFolder } from "../../support/command-line.ts";
import { suiteOf } from "../../support/suite.ts";

const node = (code: string) => [process.execPath, "--eval", code];

async function subjectOf(words: readonly string[], more: Partial<SweptCommand> = {}) {
  const runs = await CommandRuns.open();
  onTestFinished(() => runs.killAll());
  return new CommandSubject(
    {
      name: "sweep",
      words,
      options: { port: 0 },
      inputs: inputsOf(more.options ?? {}),
      waits: undefined,
      tapes: undefined,
      repeatOptions: [],
      isInspected: () => false,
      ...more,
    },
    runs,
  );
}

/** Runs a client once; `calls` are the operations that reached the sandbox. */
async function runOnce(subject: CommandSubject, attempt: Partial<Attempt> = {}) {
  const calls: string[] = [];
  const exit = await subject.run({
    observer: () => ({
      begin: ({ operation }) => {
        calls.push(operation);
        return { ended: () => {} };
      },
      delivered: () => {},
    }),
    limitMs: undefined,
    stop: new AbortController().signal,
    ended: async () => {},
    ...attempt,
  });
  return { exit, calls };
}

async function exitOf(words: readonly string[], attempt?: Partial<Attempt>): Promise<Exit> {
  return (await runOnce(await subjectOf(words), attempt)).exit;
}

/** The process id of the first process that runs `connect`. */
async function meetingPoint() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return {
    connect: `process.getBuiltinModule("node:net").connect(${port}, "127.0.0.1").write(String(process.pid));`,
    met: once(server, "connection").then(async ([socket]) => {
      const [pid] = await once(socket, "data");
      return Number(pid);
    }),
  };
}

test("each run has a fresh sandbox, whose variables the command gets", async () => {
  const subject = await subjectOf(
    suiteOf("const answer = await order(); console.log(answer.status, (await answer.json()).id)"),
  );
  const [first, second] = [await runOnce(subject), await runOnce(subject)];
  expect(first.exit).toEqual({
    outcome: "passed",
    message: "exit code 0",
    output: expect.stringMatching(/^201 /),
  });
  expect(first.calls).toEqual(["exchangeSandboxKey", "orderPhysicalCard"]);
  expect(second).toEqual(first);
});

test.each<[string, string, Exit["outcome"], string]>([
  ["passes with exit code 0", "", "passed", "exit code 0"],
  ["fails with another one", "process.exit(3)", "failed", "exit code 3"],
  ["crashes by a signal", "process.kill(process.pid, 'SIGTERM')", "crashed", "signal SIGTERM"],
  ["crashes if a shell reports a crash", "process.exit(139)", "crashed", "signal SIGSEGV"],
  ["fails with the exit code of another signal", "process.exit(143)", "failed", "exit code 143"],
])("a command %s", async (_title, code, outcome, message) => {
  expect(await exitOf(node(code))).toEqual({ outcome, message, output: null });
});

test("a command that has passed in time is not stopped, even if a process that it leaves takes longer", async () => {
  const exit = await exitOf(["sh", "-c", "trap '' TERM; sleep 60 & exit 0"], { limitMs: 1500 });
  expect(exit.outcome).toBe("passed");
});

test("keeps the end of the output, without colors", async () => {
  const write = "fs.writeSync(1, '£'.repeat(200_000)); fs.writeSync(2, '\\u001b[31mred\\u001b[39m')";
  const { output } = await exitOf(node(write));
  expect(output).toMatch(/^£+red$/);
  expect(Buffer.byteLength(output ?? "")).toBeLessThanOrEqual(64 * 1024);
  expect(Buffer.byteLength(output ?? "")).toBeGreaterThan(63 * 1024);
});

test("a command has no input", async () => {
  const code = "process.stdin.on('end', () => console.log('ended')).resume()";
  expect((await exitOf(node(code))).output).toBe("ended\n");
});

test("a command that cannot be started is an error", async () => {
  await expect(exitOf(["no-such-program"])).rejects.toThrow(
    'cannot start the command "no-such-program": it was not found, neither as a file nor on the PATH',
  );
});

describe("no process is left", () => {
  test("of a command that has exited", async () => {
    const { outcome, output } = await exitOf(["sh", "-c", "sleep 60 & echo $!"]);
    expect(outcome).toBe("passed");
    expect(isRunning(Number(output))).toBe(false);
  });

  test("of a command that takes longer than its limit", async () => {
    const exit = await exitOf(["sh", "-c", "sleep 60 & echo $!; wait"], { limitMs: 1000 });
    expect(exit).toMatchObject({ outcome: "stopped", message: "time limit" });
    expect(isRunning(Number(exit.output))).toBe(false);
  });

  test("of a command that is interrupted while it waits for a response", async () => {
    const { connect, met } = await meetingPoint();
    const stop = new AbortController();
    const code = `await arm("issuer-slow"); setTimeout(() => { ${connect} }, 100); await order()`;
    const running = exitOf(suiteOf(code), { stop: stop.signal });
    const pid = await met;
    stop.abort();
    expect(await running).toEqual({ outcome: "stopped", message: "interrupted", output: null });
    expect(isRunning(pid)).toBe(false);
  });

  test("if the sweep is interrupted before the command starts", async () => {
    const marker = join(temporaryFolder(), "ran");
    const code = `fs.writeFileSync(${JSON.stringify(marker)}, "")`;
    expect(await exitOf(node(code), { stop: AbortSignal.abort() })).toMatchObject({ outcome: "stopped" });
    expect(existsSync(marker)).toBe(false);
  });
});

test("the sandbox is still open when the end of the command is reported", async () => {
  let findings: number | undefined;
  await exitOf(suiteOf(`await order("a"); await order("a", { name: "another" })`), {
    ended: async (sandbox) => {
      findings = sandbox.findings({ final: true }).findings.length;
    },
  });
  expect(findings).toBeGreaterThan(0);
});

test("the files of the options are read once", async () => {
  const fixtures = join(temporaryFolder(), "world.yaml");
  writeFileSync(fixtures, "companies:\n  - { slug: solo, name: Solo Ltd, country_code: IE }\n");
  const subject = await subjectOf(node("process.exit(process.env.CARD_SANDBOX_API_KEY ? 1 : 0)"), {
    options: { port: 0, fixtures },
  });
  writeFileSync(fixtures, "not: fixtures");
  expect((await runOnce(subject)).exit.outcome).toBe("passed");
  await expect(subjectOf([], { options: { fixtures } })).rejects.toThrow("world.yaml");
});

test("the command that repeats a cell is quoted for a shell, only where it must be", async () => {
  const subject = await subjectOf(["npm", "run", "it's", "a b"], { repeatOptions: ["--seed", "7"] });
  expect(subject.repeat("orderPhysicalCard#3:lost-response")).toBe(
    "card-sandbox sweep --cell orderPhysicalCard#3:lost-response --seed 7 -- npm run 'it'\\''s' 'a b'",
  );
});

test("the command that repeats a cell is one line, also with a script of several lines", async () => {
  const subject = await subjectOf(["node", "-e", "// a  comment\n\tconsole.log('\\n')"]);
  expect(subject.repeat("listCards#1:conflict")).toBe(
    String.raw`card-sandbox sweep --cell listCards#1:conflict -- node -e $'// a  comment\n\tconsole.log(\'\\n\')'`,
  );
});
