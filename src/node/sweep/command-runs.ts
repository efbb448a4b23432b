import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import type { Attempt, Exit } from "../../sweep/subject.ts";
import { startingFailure } from "../exec/command-run.ts";
import { type CommandStreams, type CommandTree, commandTree } from "../platform.ts";

/** How much of a command's output is kept, in bytes. */
const keptOutput = 64 * 1024;

/** How long to wait for the end of the output after the command has exited: a process in another session may hold it. */
const outputMs = 200;

/** Signals of a crash, which a shell or npm reports as exit code 128 plus their number. */
const crashSignals = ["SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE", "SIGKILL"] as const;

/** From this exit code on, Windows reports an exception that ended the process. */
const firstException = 0xc000_0000;

/** Runs commands, each with its processes in a group of its own. */
export class CommandRuns {
  readonly #tree: CommandTree;
  readonly #leaders = new Set<number>();

  private constructor(tree: CommandTree) {
    this.#tree = tree;
  }

  static async open(): Promise<CommandRuns> {
    return new CommandRuns(await commandTree(spawn));
  }

  /** The signals that interrupt a sweep. */
  get signals(): CommandTree["signals"] {
    return this.#tree.signals;
  }

  /**
   * Runs a command without a shell, and ends the processes that it leaves running.
   * @throws CouldNotRun if it cannot be started
   */
  async run(
    [program = "", ...args]: readonly string[],
    env: NodeJS.ProcessEnv,
    { limitMs, stop }: Pick<Attempt, "limitMs" | "stop">,
    streams: CommandStreams,
  ): Promise<Exit> {
    if (stop.aborted) return { outcome: "stopped", message: "interrupted", output: null };
    const child = this.#tree.spawn(program, args, env, streams);
    const { pid: leader } = child;
    const output = new OutputEnd([child.stdout, child.stderr]);
    const closed = once(child, "close").catch(() => {});
    let stopped: string | undefined;
    const end = (why: string) => {
      stopped ??= why;
      if (leader !== undefined) void this.#tree.end(leader);
    };
    const limit = limitMs === undefined ? undefined : setTimeout(() => end("time limit"), limitMs);
    const onStop = () => end("interrupted");
    stop.addEventListener("abort", onStop, { once: true });
    if (leader !== undefined) this.#leaders.add(leader);
    try {
      const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
      // Its end decides: the processes that it leaves running may take longer than the limit.
      const exit =
        stopped === undefined ? exitOf(code, signal) : { outcome: "stopped" as const, message: stopped };
      if (leader !== undefined) await this.#tree.endRest(leader);
      await Promise.race([closed, wait(outputMs, undefined, { ref: false })]);
      return { ...exit, output: output.text() };
    } catch (error) {
      throw startingFailure(program, error as NodeJS.ErrnoException);
    } finally {
      clearTimeout(limit);
      stop.removeEventListener("abort", onStop);
      if (leader !== undefined) this.#leaders.delete(leader);
      child.stdout?.destroy();
      child.stderr?.destroy();
    }
  }

  /** Ends all commands and their processes immediately. */
  killAll(): void {
    for (const leader of this.#leaders) this.#tree.kill(leader);
  }
}

function exitOf(code: number | null, signal: NodeJS.Signals | null): Pick<Exit, "outcome" | "message"> {
  const by = signal ?? crashSignals.find((name) => code === 128 + constants.signals[name]);
  if (by !== undefined) return { outcome: "crashed", message: `signal ${by}` };
  const message = `exit code ${code}`;
  if (code !== null && code >= firstException) return { outcome: "crashed", message };
  return { outcome: code === 0 ? "passed" : "failed", message };
}

/** Keeps the end of the output of a command. */
class OutputEnd {
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(streams: readonly (Readable | null)[]) {
    for (const stream of streams) stream?.on("data", (chunk: Buffer) => this.#add(chunk));
  }

  #add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < 2 * keptOutput) return;
    const end = Buffer.concat(this.#chunks).subarray(-keptOutput);
    // A copy, so that the rest is not kept.
    this.#chunks = [Buffer.from(end)];
    this.#bytes = end.length;
  }

  /** The text without the sequences that color it; null: there is none. */
  text(): string | null {
    const end = Buffer.concat(this.#chunks).subarray(-keptOutput);
    // The first character may be cut.
    const start = this.#bytes > keptOutput ? end.findIndex((byte) => (byte & 0xc0) !== 0x80) : 0;
    return stripVTControlCharacters(end.subarray(start).toString("utf8")) || null;
  }
}
