import { Writable } from "node:stream";
import { WriteStream } from "node:tty";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Exchange } from "../../src/journal/exchange.ts";
import { controlDefect } from "../../src/journal/exchange.ts";
import { type Paint, terminalReport } from "../../src/journal/formats/terminal.ts";
import { suiteReport } from "../../src/journal/suite.ts";
import { painter } from "../../src/node/colors.ts";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { requestLog } from "../../src/node/request-log.ts";
import { run } from "../support/command-line.ts";

const mark: Paint = (style, text) => `<${style}>${text}</${style}>`;

/** Painted text on a stream with these variables and no others: Node also looks at CI, COLORTERM, TMUX and more. */
function painted(isTerminal: boolean, env: NodeJS.ProcessEnv): string {
  for (const name of Object.keys(process.env)) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries({ TERM: "xterm-256color", ...env })) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { getColorDepth } = WriteStream.prototype;
  const stream = Object.assign(new Writable(), isTerminal ? { isTTY: true, getColorDepth } : {});
  return painter(stream as unknown as NodeJS.WriteStream)("red", "text");
}

describe("color", () => {
  const red = "\u001b[31mtext\u001b[39m";
  test.each<[string, boolean, NodeJS.ProcessEnv, string]>([
    ["is used at a terminal", true, {}, red],
    ["is not used in a pipe or a file", false, {}, "text"],
    ["is not used at a terminal with NO_COLOR", true, { NO_COLOR: "1" }, "text"],
    ["is not used at a terminal that shows none", true, { TERM: "dumb" }, "text"],
    ["is used in a pipe with FORCE_COLOR", false, { FORCE_COLOR: "1" }, red],
    ["is not used at a terminal with FORCE_COLOR=0", true, { FORCE_COLOR: "0" }, "text"],
  ])("%s", (_what, isTerminal, env, text) => {
    expect(painted(isTerminal, env)).toBe(text);
  });

  test("marks the prefix of an error, and only with FORCE_COLOR if standard error is no terminal", async () => {
    for (const [env, prefix] of [
      [{}, "card-sandbox:"],
      [{ FORCE_COLOR: "1" }, "\u001b[31mcard-sandbox:\u001b[39m"],
    ] as const) {
      const { ended, output } = run(["--prot", "1"], env);
      expect((await ended).code).toBe(2);
      expect(output.stderr).toBe(
        `${prefix} --prot: unknown option. Did you mean --port? List the options with --help.\n`,
      );
    }
  });
});

describe("the request log with colors", () => {
  const logged = (format: "pretty" | "json", exchange: Partial<Exchange>) => {
    let log = "";
    const observe = requestLog(
      format,
      (line) => {
        log += line;
      },
      mark,
    );
    observe?.({
      ...controlDefect(new Error("broken\u001b[2J"), "GET", "/x", 0),
      defect: undefined,
      ...exchange,
    });
    return log;
  };

  test.each([
    [201, "green"],
    [304, "cyan"],
    [422, "yellow"],
    [503, "red"],
    [undefined, "red"],
  ])("shows status %s in %s", (status, style) => {
    const text = status ?? "---";
    expect(logged("pretty", { status })).toMatch(
      new RegExp(
        `^<dim>[0-9:.]+</dim> <${style}>${text}</${style}> GET /x gateway.internal_error - <dim>0.0 ms</dim>\n$`,
      ),
    );
  });

  test("shows the scenario that fired and an internal error, escaped", () => {
    const log = logged("pretty", {
      scenario: "lost-response",
      fault: "response.reset",
      defect: new Error("\u001b"),
    });
    expect(log).toContain("<cyan> (lost-response: response.reset)</cyan>");
    expect(log).toContain("<red>(internal error of the sandbox: Error: \\u001b)</red>");
    expect(log).not.toContain("\u001b");
  });

  test("has none as JSON", () => {
    expect(JSON.parse(logged("json", { status: 503 }))).toMatchObject({ status: 503, path: "/x" });
  });
});

test("the report of exec shows headings, severities and the verdict with colors", async () => {
  const sandbox = createSandbox();
  onTestFinished(() => sandbox.close());
  sandbox.scenario("conflict");
  const headers = { Authorization: "Bearer sk_sandbox_northwind_owner" };
  await sandbox.fetch("http://sandbox/developer/cards", { headers });
  await sandbox.fetch("http://sandbox/developer/cards?pin=4821&api_key=sk_sandbox_northwind_owner");
  const results = { ...sandbox.report({ final: true }), commands: [], sources: [] };
  const gates = {
    minCoverage: undefined,
    require: [],
    failOn: undefined,
    baseline: undefined,
    allowUnused: false,
    allowNoRequests: false,
  };
  const failed = suiteReport(gates, results);
  const report = terminalReport(failed, mark);
  expect(report).toMatch(/^<bold>Contract points met +[0-9].*<\/bold>$/m);
  expect(report).toMatch(/^<bold>Findings: .*<\/bold>$/m);
  expect(report).toMatch(/^<cyan> {2}info +AUTH-1<\/cyan> {2}/m);
  expect(report).toMatch(/^<(red|yellow)> {2}(critical|high|warn) +[A-Z]+-[0-9]+<\/\1> {2}/m);
  expect(report).toContain("<red>card-sandbox: failed, exit code 1</red>\n<red>  ✗ unused scenarios</red>: ");
  const passed = suiteReport({ ...gates, allowUnused: true }, results);
  expect(terminalReport(passed, mark)).toContain("<green>card-sandbox: passed</green>\n");
  expect(terminalReport(failed)).toBe(report.replace(/<\/?(bold|red|green|yellow|cyan)>/g, ""));
});
