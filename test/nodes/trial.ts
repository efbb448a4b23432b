import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** How long a step may take on a busy machine. */
const stepMinutes = 30;

export class StepFailed extends Error {
  readonly printed: string;
  readonly code: number | null;

  constructor(step: string, printed: string, code: number | null = null) {
    super(`${step} failed`);
    this.printed = printed;
    this.code = code;
  }
}

/** Installs the newest Node of a line from the registry, and returns the folder of its binary. */
export async function installNode(line: string, scratch: string): Promise<string> {
  const folder = join(scratch, `node-${line}`);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const args = ["install", `node@${line}`, "--no-audit", "--no-fund"];
  await new Trial(folder).run(`npm install node@${line}`, "npm", args);
  return join(folder, "node_modules", "node", "bin");
}

/** Installs a package manager from the registry, and returns the folder of its commands. */
export async function installManager(spec: string, scratch: string): Promise<string> {
  const folder = join(scratch, spec.replace(/\W/g, "-"));
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const args = ["install", spec, "--ignore-scripts", "--no-audit", "--no-fund"];
  await new Trial(folder).run(`npm install ${spec}`, "npm", args);
  return join(folder, "node_modules", ".bin");
}

/** A folder in which commands run, with the given Node first on the path. */
export class Trial {
  readonly #env: NodeJS.ProcessEnv;
  readonly folder: string;

  /** @param bins - folders to put on the path; the last one is that of Node, by default this machine's */
  constructor(folder: string, bins: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    this.folder = folder;
    const node = bins.at(-1);
    // Node's own headers, to compile an engine: this machine may be set to those of another Node.
    const headers = node && join(node, "..", "node_modules", `node-${process.platform}-${process.arch}`);
    this.#env = {
      ...process.env,
      ...env,
      PATH: [...bins, process.env.PATH].join(delimiter),
      ...(headers && existsSync(join(headers, "include", "node")) && { npm_config_nodedir: headers }),
    };
  }

  /** Runs a command in a process group of its own, which ends with it. */
  async run(step: string, file: string, args: readonly string[]): Promise<string> {
    const child = spawn(file, args, {
      cwd: this.folder,
      env: this.#env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
    }
    const end = () => endGroup(child);
    const tooLong = setTimeout(end, stepMinutes * 60_000);
    process.prependOnceListener("exit", end);
    const [code] = await once(child, "close");
    clearTimeout(tooLong);
    process.off("exit", end);
    if (code !== 0) throw new StepFailed(`${step} (${code ?? "ended"})`, printed, code);
    return printed.trim();
  }
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid) process.kill(-pid, "SIGKILL");
  } catch {
    // It has just ended by itself.
  }
}

/** Prints rows in columns. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  for (const row of rows) {
    const cells = row.map((cell, column) => cell.padEnd(width(column)));
    process.stdout.write(`${cells.join("  ").trimEnd()}\n`);
  }
}
