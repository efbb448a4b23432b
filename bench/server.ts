import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";

/** How long a server may take to say where it listens. */
const startSeconds = 60;

/** How much of what it prints is read. */
const mostPrinted = 100_000;

/** A server in a process of its own. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

interface StartOptions {
  readonly cwd?: string;
  /** Matches what it prints once it listens, its first group the base address. */
  readonly ready?: RegExp;
  /** Whether it is sent messages; a channel for them costs it time and memory. */
  readonly takesMessages?: boolean;
}

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts a command that says `… base address  URL` and then `Ready.`
 * @throws Error with what it printed, where it ends before or takes too long
 */
export async function startServer(
  [file = "", ...args]: readonly string[],
  { cwd, ready = /base address +(\S+)[\s\S]*Ready\.\n/, takesMessages = false }: StartOptions = {},
): Promise<Server> {
  const child = spawn(file, args, {
    cwd,
    env: plainEnvironment(),
    stdio: ["ignore", "pipe", "pipe", takesMessages ? "ipc" : "ignore"],
  });
  running.add(child);
  const closed = once(child, "close").finally(() => running.delete(child));
  const tooLong = setTimeout(() => child.kill("SIGKILL"), startSeconds * 1000);
  let printed = "";
  try {
    const url = await new Promise<string>((listening, failed) => {
      const read = (text: string) => {
        if (printed.length < mostPrinted) printed += text;
        const found = ready.exec(printed)?.[1];
        if (found !== undefined) listening(found);
      };
      child.stdout?.setEncoding("utf8").on("data", read);
      child.stderr?.setEncoding("utf8").on("data", read);
      closed.then(
        () => failed(new Error(`${[file, ...args].join(" ")} ended before it listened:\n${printed}`)),
        (error: Error) => failed(new Error(`${file} cannot be run: ${error.message}`)),
      );
    });
    const stop = async () => {
      child.kill("SIGTERM");
      const tooSlow = setTimeout(() => child.kill("SIGKILL"), 5000);
      await closed;
      clearTimeout(tooSlow);
    };
    return { url, pid: child.pid ?? 0, process: child, stop };
  } finally {
    clearTimeout(tooLong);
  }
}

/** The environment without what would configure a sandbox. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(CARD_SANDBOX_.*|PORT|NODE_OPTIONS)$/.test(name)),
  );
}

/** The processor time that a process has taken, all threads together, in milliseconds; undefined beside Linux. */
export function cpuMsOf(pid: number): number | undefined {
  try {
    let ns = 0;
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      ns += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
    }
    return ns / 1e6;
  } catch {
    return undefined;
  }
}

/** What a process has in memory, in MiB; undefined beside Linux. */
export function residentMibOf(pid: number): number | undefined {
  try {
    const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kib === undefined ? undefined : Number(kib) / 1024;
  } catch {
    return undefined;
  }
}
