import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";

const startTimeoutMs = 60_000;
const stopTimeoutMs = 5000;

/** A server in its own process. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

interface StartOptions {
  readonly cwd?: string;
  /** Matches the output of a server that listens; the first group is its base URL. */
  readonly ready?: RegExp;
  /** Opens a channel for messages, which costs the server time and memory. */
  readonly ipc?: boolean;
}

/** Stands before each command that starts a server. */
let serverPrefix: readonly string[] = [];

/**
 * Pins this process and the servers that it starts to different cores, so that making the load takes no time from
 * the servers.
 * @returns a description for the page
 */
export function divideCores(): string {
  const [server, load] = allowedCores();
  if (server === undefined || load === undefined) {
    return "server and load unpinned: that takes taskset and two cores";
  }
  const { status } = spawnSync("taskset", ["-a", "-c", "-p", String(load), String(process.pid)]);
  if (status !== 0) return "server and load unpinned: taskset failed";
  serverPrefix = ["taskset", "-c", String(server)];
  return `server pinned to core ${server}, load to core ${load}, of ${cpus().length}`;
}

function allowedCores(): number[] {
  const { status, stdout } = spawnSync("taskset", ["-c", "-p", String(process.pid)], { encoding: "utf8" });
  if (status !== 0) return [];
  // Such as `pid 4711's current affinity list: 0,2-5`.
  const list = stdout.trim().split(": ").at(-1) ?? "";
  return list.split(",").flatMap((part) => {
    const [from = Number.NaN, to = from] = part.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
}

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts a command that prints `… base URL  URL` and then `Ready.`
 * @throws Error with the output if the command ends before, or takes too long
 */
export async function startServer(
  command: readonly string[],
  { cwd, ready = /base URL +(\S+)[\s\S]*Ready\.\n/, ipc = false }: StartOptions = {},
): Promise<Server> {
  const [file = "", ...args] = [...serverPrefix, ...command];
  // Nothing in the environment may configure a sandbox.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(CARD_SANDBOX_.*|PORT|NODE_OPTIONS)$/.test(name)),
  );
  const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe", ipc ? "ipc" : "ignore"] });
  running.add(child);
  const closed = once(child, "close").finally(() => running.delete(child));
  const stop = async () => {
    child.kill("SIGTERM");
    const timeout = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
    await closed;
    clearTimeout(timeout);
  };
  const timeout = setTimeout(() => child.kill("SIGKILL"), startTimeoutMs);
  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    const read = (text: string) => {
      if (output.length < 100_000) output += text;
      const found = ready.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.setEncoding("utf8").on("data", read);
    child.stderr?.setEncoding("utf8").on("data", read);
    closed.then(
      () => reject(new Error(`${command.join(" ")} ended before it listened:\n${output}`)),
      (error: Error) => reject(new Error(`${file} cannot be run: ${error.message}`)),
    );
  }).finally(() => clearTimeout(timeout));
  return { url, pid: child.pid ?? 0, process: child, stop };
}

/** The processor time of all threads of a process, in milliseconds; NaN outside Linux. */
export function cpuMsOf(pid: number): number {
  try {
    let ns = 0;
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      ns += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
    }
    return ns / 1e6;
  } catch {
    return Number.NaN;
  }
}

/** The processor time of the ended children of this process and of theirs, in whole ticks of 10 ms; NaN outside Linux. */
export function childrenCpuMs(): number {
  try {
    // The fields after the name, which stands in parentheses: the 14th and 15th are cutime and cstime.
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return Number.NaN;
  }
}

/** The resident memory of a process, in MiB; NaN outside Linux. */
export function residentMibOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}
