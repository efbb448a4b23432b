import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { CouldNotRun } from "../../rules/errors.ts";
import { onSignals } from "../signals.ts";

const passedOn = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** How long what a command left running may take to end by itself. */
const graceMs = 2000;

/**
 * Runs a command to its end, on this process's own streams and without a shell, in a session and a process group of
 * its own. Signals go on to the group; the second one kills. Nothing that it left running in it outlives it.
 * @returns its exit code; 128 and the signal's number where one ended it, as shells have it
 * @throws CouldNotRun where it cannot be started
 */
export async function runCommand(words: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [program = "", ...args] = words;
  let child: ChildProcess | undefined;
  passSignalsOn((signal) => {
    if (child?.pid) signalGroup(child.pid, signal);
  });
  try {
    // In a session of its own it still reads from a terminal and writes to it; only job control (Ctrl-Z) and the
    // signal that the window's size has changed do not reach it.
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

/** Whether anybody is left in the group to be told. */
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
