import type { ChildProcess, StdioOptions, spawn as spawnProcess } from "node:child_process";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

// All code that depends on the operating system. The Windows branches have unit tests, which run elsewhere.

type Spawn = typeof spawnProcess;

/** How a command gets its input and where its output goes: the streams of this process, or no input and pipes. */
export type CommandStreams = "inherit" | "captured";

/** How `exec` and `sweep` run a command, and how they signal and end the processes of the command. */
export interface CommandTree {
  /** The signals to pass on. */
  readonly signals: readonly NodeJS.Signals[];
  /** Starts a command without a shell. */
  spawn(
    program: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    streams: CommandStreams,
  ): ChildProcess;
  /** Passes on a signal that this process received. */
  signal(leader: number, signal: NodeJS.Signals): void;
  /** Ends the command and all its processes immediately. */
  kill(leader: number): void;
  /** Ends the processes that the command left running when it exited. */
  endRest(leader: number): Promise<void>;
  /** Ends the command and all its processes; they have time to clean up. */
  end(leader: number): Promise<void>;
}

/** @param spawn - is passed so that a start, which runs no command, does not load `node:child_process` */
export async function commandTree(spawn: Spawn, platform = process.platform): Promise<CommandTree> {
  return platform === "win32" ? windowsTree(spawn) : posixTree(spawn);
}

const stdio = {
  inherit: "inherit",
  captured: ["ignore", "pipe", "pipe"],
} satisfies Record<CommandStreams, StdioOptions>;

/** How long the processes of a command may take to end after SIGTERM, in milliseconds. */
const graceMs = 2000;

/** The command has its own session and process group. */
function posixTree(spawn: Spawn): CommandTree {
  const end = async (leader: number) => {
    if (!signalGroup(leader, "SIGTERM")) return;
    for (let waitedMs = 0; waitedMs < graceMs; waitedMs += 20) {
      await wait(20);
      if (!isAlive(leader)) return;
    }
    signalGroup(leader, "SIGKILL");
  };
  return {
    signals: ["SIGINT", "SIGTERM", "SIGHUP"],
    // In its own session, it can still use the terminal, but it receives neither Ctrl-Z nor the signal for a
    // new window size.
    spawn: (program, args, env, streams) =>
      spawn(program, args, { env, stdio: stdio[streams], detached: true }),
    signal: signalGroup,
    kill: (leader) => void signalGroup(leader, "SIGKILL"),
    endRest: end,
    end,
  };
}

/** @returns whether the group still has a process */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

/**
 * Whether the group has a process that is not a zombie. The zombies of a container without an init process remain, and
 * some init processes take seconds to reap them.
 */
function isAlive(leader: number): boolean {
  if (!signalGroup(leader, 0)) return false;
  try {
    return readdirSync("/proc").some((name) => /^[0-9]/.test(name) && isMember(name, leader));
  } catch {
    return true;
  }
}

/** @returns whether the process is in the group and not a zombie, as in proc(5) */
function isMember(pid: string, leader: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return group === String(leader) && state !== "Z";
  } catch {
    return false;
  }
}

/**
 * Windows has no process groups, and no signals between processes: the console sends Ctrl-C, Ctrl-Break and its
 * own end to each of its processes, so the command receives them too. A detached command would have another
 * console.
 */
async function windowsTree(spawn: Spawn): Promise<CommandTree> {
  // Node refuses to start npm.cmd and other batch files without a shell, because of their quoting.
  const { default: crossSpawn } = await import("cross-spawn");
  const kill = (leader: number) => {
    const taskkill = spawn("taskkill", ["/pid", String(leader), "/t", "/f"], { stdio: "ignore" });
    taskkill.on("error", () => endProcess(leader));
    taskkill.on("exit", (code) => code !== 0 && endProcess(leader));
  };
  return {
    signals: ["SIGINT", "SIGBREAK", "SIGHUP"],
    spawn: (program, args, env, streams) => crossSpawn(program, args, { env, stdio: stdio[streams] }),
    signal: () => {},
    kill,
    // taskkill finds the processes of a command through the command, which has exited.
    endRest: async () => {},
    end: async (leader) => kill(leader),
  };
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has exited.
  }
}

/** Whether SQLite keeps a separate log for this name of a database: on Windows, it does not follow symbolic links. */
export function hasLogOfItsOwn(file: string, platform = process.platform): boolean {
  return platform === "win32" && lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
