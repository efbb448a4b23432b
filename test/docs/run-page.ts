import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type Block, type Page, root } from "./pages.ts";

/** The base URL in the documentation; a test has another port. */
const documented = "http://127.0.0.1:4242";

/** The folder and the shell of a reader who goes through a page from its top. */
export interface Reader {
  /** An empty folder, but for `node_modules`. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Runs the blocks of a page in their order: writes its files, starts its sandboxes, runs its commands, and compares
 * what they print.
 * @param isRun - which blocks to run; the output of a block that does not run is skipped too
 */
export async function runPage(page: Page, reader: Reader, isRun: (block: Block) => boolean): Promise<void> {
  let server: Server | undefined;
  let printed: string | undefined;
  onTestFinished(() => server?.stop());
  for (const block of page.blocks) {
    const here = (text: string) => text.replaceAll(documented, server?.url ?? documented);
    if (isOutput(block)) {
      if (printed !== undefined) compareOutput(block, printed);
      continue;
    }
    printed = undefined;
    if (!isRun(block)) continue;
    if (block.title !== undefined) {
      const file = join(reader.folder, block.title);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${here(block.code)}\n`);
    } else if (block.isServer) {
      await server?.stop();
      server = await startServer(block.code, reader);
      printed = there(server.printed, server);
    } else {
      const { code, output } = await runCommands(here(block.code), reader);
      expect(code, `${block.code}\nprinted:\n${output}`).toBe(block.exit);
      printed = there(output, server);
    }
  }
}

/** Output follows its commands; it is not a file. */
function isOutput({ language, title }: Block): boolean {
  return title === undefined && (language === "text" || language === "json");
}

function there(output: string, server: Server | undefined): string {
  return server === undefined ? output : output.replaceAll(server.url, documented);
}

function compareOutput({ language, code }: Block, printed: string): void {
  if (language === "json") {
    expect(JSON.parse(printed), printed).toEqual(withWildcards(JSON.parse(code)));
    return;
  }
  const lines = code.trim().split("\n");
  const pattern = lines
    .map((line) => (line.trim() === "…" ? "(?:.*\n)*?" : `${wildcards(line)}[ ]*\n`))
    .join("");
  // HTTP ends the lines of headers with a carriage return, which a terminal does not show.
  const actual = `${printed.replaceAll("\r\n", "\n").trim()}\n`;
  if (!new RegExp(`^${pattern}$`).test(actual)) expect(actual).toBe(`${code.trim()}\n`);
}

/** A string with an ellipsis stands for every string that matches it. */
function withWildcards(value: unknown): unknown {
  if (typeof value === "string" && value.includes("…")) {
    return expect.stringMatching(new RegExp(`^${wildcards(value)}$`));
  }
  if (Array.isArray(value)) return value.map(withWildcards);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withWildcards(each)]));
}

function wildcards(text: string): string {
  return text
    .split("…")
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join("[^\\n]*");
}

interface Server {
  readonly url: string;
  readonly printed: string;
  stop(): Promise<void>;
}

/** Starts the sandbox of a block on a free port, and waits until it is ready. */
async function startServer(code: string, { folder, env }: Reader): Promise<Server> {
  // A reader in a clone starts with `npm ci`. Here it would delete the modules that this test runs with.
  const script = code.replace(/^npm ci$/m, "true");
  const cwd = script === code ? folder : root;
  const child = spawn("bash", ["-euc", script], {
    cwd,
    detached: true,
    env: { ...env, CARD_SANDBOX_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  let stopped = false;
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  }
  const stop = async () => {
    // The whole group: npm's own child too.
    if (!stopped && child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    stopped = true;
    await closed;
  };
  const over = closed.then(() => {
    stopped = true;
    throw new Error(`${code} ended before it was ready:\n${printed}`);
  });
  over.catch(() => {});
  while (!printed.includes("Ready.\n")) await Promise.race([once(child.stdout, "data"), over]);
  return { url: /https?:\/\/127\.0\.0\.1:[0-9]+/.exec(printed)?.[0] ?? documented, printed, stop };
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Runs commands in bash, with the variables, functions and folder that earlier commands of the page left. */
async function runCommands(
  code: string,
  { folder, env }: Reader,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const state = join(folder, ".shell-state");
  const script = `set -a; if [ -f '${state}' ]; then . '${state}'; cd "$PWD"; fi
trap "{ export -p; declare -f; } > '${state}'" EXIT
${code}\n`;
  const child = spawn("bash", ["-eu", "-o", "pipefail", "-c", script], {
    cwd: folder,
    detached: true,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A process that the page leaves in the background serves its later blocks, and ends with the test.
  onTestFinished(() => endGroup(child.pid));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [exitCode] = await once(child, "close");
  return { code: exitCode, output };
}

/**
 * Makes a reader who has this build of the package installed, with the packages that a project of theirs would have.
 * `npx` is a script here: it runs what is installed, as the real one, and takes a second less.
 */
export function readerWithThisBuild(folder: string): Reader {
  const modules = join(folder, "node_modules");
  const bin = join(modules, ".bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(root, join(modules, "card-sandbox"));
  symlinkSync(join(root, "dist/node/cli.js"), join(bin, "card-sandbox"));
  for (const name of ["vitest", "standardwebhooks", "typescript", "@modelcontextprotocol"]) {
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  for (const name of ["vitest", "tsc"]) symlinkSync(join(root, "node_modules/.bin", name), join(bin, name));
  writeFileSync(join(bin, "npx"), `#!/bin/sh\nname=$1; shift; exec "${bin}/$name" "$@"\n`, { mode: 0o755 });
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  return { folder, env: { ...plainEnvironment(), PATH: `${bin}:${process.env.PATH}` } };
}

/** The environment without the variables of a sandbox, of this test run, or of its colors. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const isPlain = (name: string) =>
    !/^(CARD_SANDBOX_|PORT$|VITEST|TEST$|NODE_ENV$|FORCE_COLOR$|npm_)/.test(name);
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => isPlain(name))),
    NO_COLOR: "1",
  };
}
