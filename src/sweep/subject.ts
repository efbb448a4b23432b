import type { Sandbox } from "../api.ts";
import type { Dialect } from "../contract/dialect.ts";
import type { MakeObserver } from "../http/observer.ts";

/** How one run of a client ended. */
export interface Exit {
  /**
   * - `passed`, `failed`: by its exit code, or because its promise was fulfilled or rejected;
   * - `crashed`: a signal ended it;
   * - `stopped`: it took longer than `limitMs`, or `stop` was aborted.
   */
  readonly outcome: "passed" | "failed" | "crashed" | "stopped";
  /** Such as `exit code 1`, `signal SIGSEGV` or the message of an error. */
  readonly message: string;
  /** The end of its output; null if it has none. */
  readonly output: string | null;
}

/** One run of a client on a fresh sandbox. */
export interface Attempt {
  /** The observer of the sandbox. */
  readonly observer: MakeObserver;
  /** The dialect of the sandbox; undefined: that of its options. */
  readonly dialect?: Dialect | undefined;
  /** Record the run to this file; undefined: do not record it. */
  readonly tape?: string | undefined;
  /** End the client after this many milliseconds; undefined: no limit. */
  readonly limitMs: number | undefined;
  /** End the client when this is aborted. */
  readonly stop: AbortSignal;
  /** Call it when the client has ended, before the sandbox is closed. */
  readonly ended: (sandbox: Pick<Sandbox, "drain" | "findings" | "webhooks">) => Promise<void>;
}

/** The files for the tapes of cells. */
export interface Tapes {
  /** The path for the tape of a cell; each cell has another. */
  pathOf(cellId: string): string;
  remove(path: string): void;
}

/** The client under test, which runs many times. */
export interface Subject {
  /** The program without its arguments, or the name of the test. */
  readonly name: string;
  /** Where to keep the tapes of failing cells; undefined: nothing is recorded. */
  readonly tapes?: Tapes | undefined;
  /** How to run one cell again: a command, or an option. */
  repeat(cellId: string): string;
  /** Runs the client once, on a sandbox of its own. */
  run(attempt: Attempt): Promise<Exit>;
}
