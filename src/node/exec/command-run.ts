import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { CouldNotRun, quoted } from "../../rules/errors.ts";
import { type CommandTree, commandTree } from "../platform.ts";
import { onSignals } from "../signals.ts";

/**
 * Runs a command without a shell, with the streams of this process. Passes signals on to the command and its
 * processes, and ends them all at the second signal. Ends the processes that the command leaves running, except
 * on Windows.
 * @returns its exit code, or 128 plus the number of the signal that ended it, as a shell does
 * @throws CouldNotRun if it cannot be started
 */
export async function runCommand(words: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [program = "", ...args] = words;
  const tree = await commandTree(spawn);
  let leader: number | undefined;
  forwardSignals(tree, () => leader);
  try {
    const child = tree.spawn(program, args, env, "inherit");
    leader = child.pid;
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    if (leader) await tree.endRest(leader);
    return signal === null ? (code ?? 0) : 128 + constants.signals[signal];
  } catch (error) {
    throw startingFailure(program, error as NodeJS.ErrnoException);
  }
}

function forwardSignals(tree: CommandTree, leader: () => number | undefined): void {
  let isSecond = false;
  onSignals(tree.signals, (signal) => {
    const pid = leader();
    if (pid !== undefined) {
      if (isSecond) tree.kill(pid);
      else tree.signal(pid, signal);
    }
    isSecond = true;
  });
}

/** The error of a command that cannot be started, with a reason for the user. */
export function startingFailure(program: string, error: NodeJS.ErrnoException): CouldNotRun {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: "it was not found, neither as a file nor on the PATH",
    EACCES: "the current user has no permission to execute it",
  };
  const why = reasons[error.code ?? ""] ?? error.message;
  return new CouldNotRun(`cannot start the command ${quoted(program)}: ${why}`, {
    cause: error,
  });
}
