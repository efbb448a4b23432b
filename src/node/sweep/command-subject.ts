import { basename } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { shellWords } from "../../journal/formats/escape.ts";
import type { Attempt, Exit, Subject, Tapes } from "../../sweep/subject.ts";
import type { Waits } from "../../tape/tape.ts";
import { clientVariables } from "../client-variables.ts";
import { type StartOptions, start } from "../start-sandbox.ts";
import type { CommandRuns } from "./command-runs.ts";
import type { ReadInputs } from "./inputs.ts";

/** The command under test, and how to run it. */
export interface SweptCommand {
  /** The command of `card-sandbox` that runs it, such as `sweep`. */
  readonly name: string;
  /** The program and its arguments. */
  readonly words: readonly string[];
  /** The options of each sandbox. */
  readonly options: StartOptions;
  /** The contents of their files, for one sandbox. */
  readonly inputs: ReadInputs;
  readonly waits: Waits | undefined;
  /** The options that a cell needs to run again, as words. */
  readonly repeatOptions: readonly string[];
  readonly tapes: Tapes | undefined;
  /** Whether the next run is under a debugger, with the streams of this process. */
  readonly isInspected: () => boolean;
}

/** A command under test: each run starts a fresh sandbox in this process, and the command with its variables. */
export class CommandSubject implements Subject {
  readonly name: string;
  readonly tapes: Tapes | undefined;
  readonly #command: SweptCommand;
  readonly #runs: CommandRuns;

  constructor(command: SweptCommand, runs: CommandRuns) {
    this.name = command.words[0] ?? "";
    this.tapes = command.tapes;
    this.#command = command;
    this.#runs = runs;
  }

  repeat(cellId: string): string {
    const { name, repeatOptions, words } = this.#command;
    return shellWords(["card-sandbox", name, "--cell", cellId, ...repeatOptions, "--", ...words]);
  }

  async run(attempt: Attempt): Promise<Exit> {
    const { words, options, inputs, waits, isInspected } = this.#command;
    const { dialect, observer, tape } = attempt;
    const sandbox = await start(
      { ...options, tape },
      { lightGlobals: true, drainMs: 0, inputs: inputs(dialect), observer, waits },
    );
    try {
      const adminToken = options.adminToken ?? sandbox.generatedAdminToken;
      const variables = clientVariables({ ...sandbox, adminToken }, sandbox.world().companies);
      const env = { ...process.env, ...variables };
      const exit = isInspected()
        ? await this.#runs.run(words, { ...env, ...debugVariables(this.name, env) }, attempt, "inherit")
        : await this.#runs.run(words, env, attempt, "captured");
      await sentRequests();
      await attempt.ended(sandbox);
      return exit;
    } finally {
      await sandbox.close();
    }
  }
}

/**
 * Waits until the sandbox has handled the requests that the command sent before it exited. They have arrived at this
 * machine, so that a few turns of the event loop suffice: to accept a connection, to read from it, to handle a batch.
 */
async function sentRequests(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await nextTurn();
}

/**
 * Makes each Node process wait for a debugger, on a free port that it prints. npm, npx and pnpm have a variable for the
 * processes that they start, so that they do not wait themselves.
 */
function debugVariables(program: string, { NODE_OPTIONS = "" }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const name = /^(npm|npx|pnpm)(\.\w+)?$/.test(basename(program))
    ? "npm_config_node_options"
    : "NODE_OPTIONS";
  return { [name]: `${NODE_OPTIONS} --inspect-brk=127.0.0.1:0`.trim() };
}
