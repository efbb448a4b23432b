import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { CouldNotRun } from "../../rules/errors.ts";
import { onSignals } from "../signals.ts";

const passedOn = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** How long processes that the command left behind may take to end by themselves. */
const graceMs = 2000;

/**
 * Runs a command to its end without a shell, with this process's streams, in its own session and process group. Signals
 * are forwarded to the group, the second one as SIGKILL. Processes that the command leaves in the group are ended.
 * @returns its exit code, or like a shell 128 plus the number of the signal that ended it
 * @throws CouldNotRun if it cannot be started
 */
export async function runCommand(words: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [program = "", ...args] = words;
  let child: ChildProcess | undefined;
  passSignalsOn((signal) => {
    if (child?.pid) signalGroup(child.pid, signal);
  });
  try {
    // In its own session it can still use the terminal. Only job control (Ctrl-Z) and the signal for a new window
    // size do not reach it.
    child = spawn(program, args, { env, stdio: "inherit", detached: true });
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    if (child.pid) await endGroup(child.pid);
    return signal === null ? (code ?? 0) : 128 + constants.signals[signal];
  } catch (error) {
    throw startingFailure(program, error as NodeJS.ErrnoException);
  }
}

function passSignalsOn(send: (signal: NodeJS.Signals) => void): void {
  let isSecond = false;
  onSignals(passedOn, (signal) => {
    send(isSecond ? "SIGKILL" : signal);
    isSecond = true;
  });
}

async function endGroup(leader: number): Promise<void> {
  if (!signalGroup(leader, "SIGTERM")) return;
  for (let waitedMs = 0; waitedMs < graceMs; waitedMs += 20) {
    await wait(20);
    if (!signalGroup(leader, 0)) return;
  }
  signalGroup(leader, "SIGKILL");
}

/** @returns whether the group still has a process */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

function startingFailure(program: string, error: NodeJS.ErrnoException): CouldNotRun {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: "there is no such program here, nor on the PATH",
    EACCES: "it is no program that this user may run",
  };
  const why = reasons[error.code ?? ""] ?? error.message;
  return new CouldNotRun(`the command ${JSON.stringify(program)} cannot be started: ${why}`, {
    cause: error,
  });
}
