import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import type { Card } from "../../src/contract/card.ts";
import type { WorldListing } from "../../src/store/world-listing.ts";
import { httpClient } from "./http-client.ts";

/** The built command line. */
export const cli = new URL("../../dist/node/cli.js", import.meta.url).pathname;

/** Makes a temporary folder, and removes it when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "card-sandbox-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Whether a process has not ended. A zombie has: some systems reap the orphans late, or never. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** The environment without variables that configure a sandbox or its colors. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(CARD_SANDBOX_.*|PORT|NO_COLOR|FORCE_COLOR|NODE_DISABLE_COLORS)$/.test(name),
    ),
  );
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Run {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<Ended>;
}

/**
 * Runs the built command line, and kills it when the test ends.
 * @param file - another script to run
 */
export function run(args: readonly string[], env: NodeJS.ProcessEnv = {}, file = cli): Run {
  return runProgram(process.execPath, [file, ...args], env);
}

/** Runs a program that starts the command line. */
export function runProgram(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Run {
  const child = spawn(program, args, {
    env: { ...plainEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  const ended = once(child, "close").then(([code, signal]): Ended => ({ code, signal }));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, output, ended };
}

export interface Started extends Run {
  readonly url: string;
  readonly liveUrl: string;
  world(): Promise<WorldListing>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  exchange(apiKey?: string): Promise<string>;
  order(key: string, token?: string): Promise<Response>;
}

/** Starts a sandbox on a free port, and waits until it prints `Ready.` */
export async function startCommandLine(
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
  file?: string,
): Promise<Started> {
  return whenReady(run(["--port", "0", ...args], env, file));
}

/** Waits until a command line that was run with a free port prints `Ready.` */
export async function whenReady(started: Run): Promise<Started> {
  await untilReady(started);
  const url = address(started, "Sandbox base URL");
  const world = async () => (await (await fetch(`${url}/_sandbox/world`)).json()) as WorldListing;
  const { post, exchange, order } = httpClient(url);
  return {
    ...started,
    url,
    liveUrl: address(started, "Live base URL"),
    world,
    post,
    exchange,
    order: async (key, token) => order((await world()).companies[0]?.accounts[0]?.id, { key, token }),
  };
}

/** @throws Error if the process ends before it prints `Ready.` */
export async function untilReady({ child, output, ended }: Run): Promise<void> {
  const over = ended.then(({ code }) => {
    throw new Error(`exit code ${code} before it was ready: ${output.stderr}`);
  });
  over.catch(() => {});
  while (!output.stdout.endsWith("Ready.\n")) {
    await Promise.race([once(child.stdout ?? child, "data"), over]);
  }
}

function address({ output }: Run, label: string): string {
  const found = new RegExp(`^${label} +(\\S+)$`, "m").exec(output.stdout)?.[1];
  if (!found) throw new Error(`no ${label} among the start-up lines:\n${output.stdout}`);
  return found;
}

/** A port that is in use until the test ends. */
export async function takenPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((bound) => server.listen(0, "127.0.0.1", bound));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((bound) => server.listen(0, "127.0.0.1", bound));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

export async function cardIn(response: Response): Promise<Card> {
  return (await response.json()) as Card;
}

/**
 * Runs the command line in this process, which takes a tenth of the time of another process, for commands that only
 * print. One at a time: it replaces the output, the environment and the exit code of this process meanwhile.
 */
export async function outcomeOf(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { runCommandLine } = await import("../../src/node/command-line.ts");
  const output = { stdout: "", stderr: "" };
  const capture = (name: keyof typeof output) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      output[name] += text;
      return true;
    });
  const outputs = [capture("stdout"), capture("stderr")];
  const signals = (["SIGTERM", "SIGINT"] as const).map((name) => ({ name, before: process.listeners(name) }));
  const { exitCode, env: ownEnv } = process;
  process.exitCode = undefined;
  process.env = { ...plainEnvironment(), ...env };
  try {
    await runCommandLine(args);
    return { code: process.exitCode ?? 0, ...output };
  } finally {
    process.env = ownEnv;
    process.exitCode = exitCode;
    for (const each of outputs) each.mockRestore();
    for (const { name, before } of signals) {
      for (const listener of process.listeners(name)) {
        if (!before.includes(listener)) process.off(name, listener);
      }
    }
  }
}
