import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { inspectFile } from "../../src/node/database/file.ts";
import { type CommandTree, commandTree } from "../../src/node/platform.ts";
import { run, temporaryFolder } from "../support/command-line.ts";

/** A script that waits until a signal ends it. */
const waits = ["--eval", "setInterval(() => {}, 1000)"];

const missing = "no-such-program";

function started(tree: CommandTree): { readonly child: ChildProcess; readonly pid: number } {
  const child = tree.spawn(process.execPath, waits, process.env, "inherit");
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, pid: child.pid ?? 0 };
}

function isGroup(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

/** `spawn`, with a recorder in place of taskkill, which only Windows has. */
function withTaskkill(code: number | undefined) {
  const calls: (readonly string[])[] = [];
  const fake = ((program: string, args: readonly string[], options: object) => {
    expect(program).toBe("taskkill");
    calls.push(args);
    return code === undefined
      ? spawn(missing, args, options)
      : spawn(process.execPath, ["--eval", `process.exit(${code})`], options);
  }) as typeof spawn;
  return { calls, fake };
}

describe.each(["linux", "win32"] as const)("a command on %s", (platform) => {
  test("that does not exist is an error", async () => {
    const tree = await commandTree(spawn, platform);
    const child = tree.spawn(missing, [], process.env, "inherit");
    await expect(once(child, "exit")).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("gets its words and its environment without a shell", async () => {
    const tree = await commandTree(spawn, platform);
    const code = "process.exit(process.argv[1] === '$HOME \"x\"' && process.env.ONLY === '1' ? 7 : 0)";
    const child = tree.spawn(process.execPath, ["--eval", code, '$HOME "x"'], { ONLY: "1" }, "inherit");
    expect(await once(child, "exit")).toEqual([7, null]);
  });
});

test.each(["linux", "win32"] as const)(
  "a captured command on %s has no input, and pipes",
  async (platform) => {
    const tree = await commandTree(spawn, platform);
    const code = "process.stdin.on('end', () => console.log('ended')).resume()";
    const child = tree.spawn(process.execPath, ["--eval", code], process.env, "captured");
    expect(await once(child.stdout ?? child, "data")).toEqual([Buffer.from("ended\n")]);
    expect(child.stdin).toBe(null);
  },
);

test("a command is ended with its process group elsewhere, and by taskkill on Windows", async () => {
  const posix = await commandTree(spawn, "linux");
  const { child, pid } = started(posix);
  const ended = once(child, "exit");
  await posix.end(pid);
  expect(await ended).toEqual([null, "SIGTERM"]);

  const { calls, fake } = withTaskkill(0);
  await (await commandTree(fake, "win32")).end(4242);
  expect(calls).toEqual([["/pid", "4242", "/t", "/f"]]);
});

test("elsewhere a command has its own process group, which receives the signals", async () => {
  const tree = await commandTree(spawn, "linux");
  expect(tree.signals).toEqual(["SIGINT", "SIGTERM", "SIGHUP"]);
  const first = started(tree);
  expect(isGroup(first.pid)).toBe(true);
  const ended = once(first.child, "exit");
  tree.signal(first.pid, "SIGHUP");
  expect(await ended).toEqual([null, "SIGHUP"]);
  await tree.endRest(first.pid);

  const second = started(tree);
  const killed = once(second.child, "exit");
  tree.kill(second.pid);
  expect(await killed).toEqual([null, "SIGKILL"]);
});

test("on Windows a command stays at the console, which sends it the signals", async () => {
  const { calls, fake } = withTaskkill(0);
  const tree = await commandTree(fake, "win32");
  expect(tree.signals).toEqual(["SIGINT", "SIGBREAK", "SIGHUP"]);
  const { child, pid } = started(tree);
  expect(isGroup(pid)).toBe(false);
  tree.signal(pid, "SIGINT");
  await tree.endRest(pid);
  expect(process.kill(pid, 0)).toBe(true);
  expect(child.signalCode).toBe(null);
  expect(calls).toEqual([]);
});

test("on Windows, taskkill ends a command with its processes", async () => {
  const { calls, fake } = withTaskkill(0);
  const tree = await commandTree(fake, "win32");
  tree.kill(4242);
  expect(calls).toEqual([["/pid", "4242", "/t", "/f"]]);
});

test.each([
  ["is missing", undefined],
  ["fails", 1],
])("on Windows, if taskkill %s, the command itself is ended", async (_why, code) => {
  const { fake } = withTaskkill(code);
  const tree = await commandTree(fake, "win32");
  const { child, pid } = started(tree);
  const ended = once(child, "exit");
  tree.kill(pid);
  expect(await ended).toEqual([null, "SIGKILL"]);
});

test("exec starts npm.cmd by the command processor of Windows, and passes on its exit code", async () => {
  const folder = temporaryFolder();
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o755 });
    return join(folder, name);
  };
  file("npm.cmd", "@echo off\r\n");
  // better-sqlite3 13 chooses its binary by the platform, so this one is loaded before.
  const engine = JSON.stringify(createRequire(import.meta.url).resolve("better-sqlite3"));
  const windows = `
    new (require(${engine}))(":memory:").close();
    Object.defineProperty(process, "platform", { value: "win32" });`;
  const { output, ended } = run(["exec", "--allow-no-requests", "--", "npm", "test", "a b&c", '"d"'], {
    NODE_OPTIONS: `--require ${file("windows.cjs", windows)}`,
    comspec: file("cmd", '#!/bin/sh\nprintf "%s\\n" "$@"\nexit 7\n'),
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    PATHEXT: ".EXE;.CMD",
  });
  expect((await ended).code).toBe(7);
  expect(output.stdout).toBe('/d\n/s\n/c\n"npm ^"test^" ^"a^ b^&c^" ^"\\^"d\\^"^""\n');
});

test("on Windows, a database must not be a symbolic link, because its log would be another", () => {
  const folder = temporaryFolder();
  const [file, link] = [join(folder, "cards.db"), join(folder, "link.db")];
  symlinkSync(file, link);
  const message = `${link} is a symbolic link, but SQLite on Windows keeps a separate log for each name. Use the name of the file itself.`;
  expect(() => inspectFile(link, "win32")).toThrow(message);
  writeFileSync(file, "");
  expect(() => inspectFile(link, "win32")).toThrow(message);
  expect(inspectFile(file, "win32")).toEqual({ path: file, isNew: true, hasLog: false });
  expect(inspectFile(link, "linux")).toMatchObject({ isNew: true });
});
