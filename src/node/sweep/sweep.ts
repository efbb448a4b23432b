import type { CompanyClock, IsolatedCompany } from "../../control/isolated-company.ts";
import type { SweepCell, SweepReport } from "../../journal/sweep-report.ts";
import { SetupError } from "../../rules/errors.ts";
import { type Sandbox, type SandboxOptions, sandboxOptions } from "../create-sandbox.ts";
import { type OptionKinds, refuseInvalidOptions } from "../known-options.ts";

/** The fixtures of each run of a client under a sweep. */
export interface SweepFixtures {
  /** A fresh sandbox in this process: pass its `fetch` to the client. The sweep closes it after the run. */
  readonly sandbox: Sandbox;
  /** An isolated company with its `apiKey` and `accountId`. Its slug derives from the name of the sweep, unless a company of the fixtures has it. */
  readonly company: IsolatedCompany;
  /** Arms a scenario for this company. Requests on which it fires get only connection faults from the sweep. */
  readonly scenario: IsolatedCompany["scenario"];
  /** The clock of this company. */
  readonly clock: CompanyClock;
}

/**
 * Uses the client under test, and checks its results. A run passes if the returned promise is fulfilled, and fails if
 * it is rejected.
 */
export type SweepRun = (fixtures: SweepFixtures) => unknown;

/** The state of a sweep that runs. */
export interface SweepProgress {
  readonly reference: SweepReport["reference"];
  /** Cells that have run, and all cells that are known so far. */
  readonly done: number;
  readonly total: number;
  /** How many of them have each verdict. */
  readonly totals: SweepReport["totals"];
  /** The cell that has just ended; undefined before the first one. */
  readonly latest: SweepCell | undefined;
}

/** The options of `sweep()` and `sweepTest()`. Unknown options and invalid values are errors. */
export interface SweepOptions extends Omit<SandboxOptions, "db" | "durability" | "checkDatabase" | "tape"> {
  /** The name of the client in the report. Default: the name of the function; of a test, the name of the test. */
  readonly name?: string | undefined;
  /** 2: also forces a second fault on the client's next call. Default 1. */
  readonly depth?: 1 | 2 | undefined;
  /** Operations, faults and labels. A cell runs if it matches one of each kind that is given. Default: all. */
  readonly only?: readonly string[] | undefined;
  /**
   * Runs only the cell with this id, such as `orderPhysicalCard#1:lost-response`. Under a debugger, it then has no time
   * limits.
   */
  readonly cell?: string | undefined;
  /** Whether to sweep calls that the second reference run does not repeat. Default false. */
  readonly unstable?: boolean | undefined;
  /**
   * The number of cells to run at the same time. Default: the number of processor cores. The runs share the modules of
   * this process: use 1 if they change state of a module. With fake timers, it is always 1.
   */
  readonly jobs?: number | undefined;
  /** Starts no cell after this many milliseconds. Default: no limit. */
  readonly budgetMs?: number | undefined;
  /** How long a request may wait without a byte, in milliseconds; then the run is hung. Default 5000. */
  readonly patienceMs?: number | undefined;
  /**
   * Multiplies each latency, hold and `Retry-After` of a fault: a number from 0 to 1. Default: each is cut to 300 ms.
   */
  readonly timeScale?: number | undefined;
  /** The mildest verdict that fails the sweep. Default `damaged`. */
  readonly failOn?: "damaged" | "failed" | undefined;
  /** The JSON report of an earlier sweep, whose failing cells are accepted. */
  readonly baseline?: string | undefined;
  /** Files to write the report to: `.html`, `.md`, `.json` or `.xml` (JUnit). */
  readonly report?: readonly string[] | undefined;
  /** The folder for the tapes of failing cells, which `card-sandbox replay` plays. It is made if it does not exist. */
  readonly tape?: string | undefined;
  /** Interrupts the sweep: the report then lists the cells that were not run. */
  readonly stop?: AbortSignal | undefined;
  /** Called after the reference runs and after each cell. */
  readonly onProgress?: ((progress: SweepProgress) => void) | undefined;
}

const { db: _, durability: __, checkDatabase: ___, ...perSandbox } = sandboxOptions;

/** Every option with its allowed values. */
export const sweepOptions: OptionKinds<SweepOptions> = {
  name: "a string",
  depth: [1, 2],
  only: "an array of strings",
  cell: "a string",
  unstable: "true or false",
  jobs: "a positive integer",
  budgetMs: "a positive integer",
  patienceMs: "a positive integer",
  timeScale: "a number from 0 to 1",
  failOn: ["damaged", "failed"],
  baseline: "a string",
  report: "an array of strings",
  stop: "an AbortSignal",
  onProgress: "a function",
  ...perSandbox,
};

/**
 * Shows what a client leaves behind when one of its requests goes wrong. Runs it twice without faults, then once for
 * each request and each fault that can hit it, always on a fresh sandbox in this process.
 *
 * @example
 * import { sweep } from "card-sandbox";
 *
 * const report = await sweep(async ({ sandbox, company }) => {
 *   const response = await sandbox.fetch("http://sandbox/auth/v1/sandbox/token", {
 *     method: "POST",
 *     body: JSON.stringify({ api_key: company.apiKey }),
 *     signal: AbortSignal.timeout(1000),
 *   });
 *   if (response.status !== 200) throw new Error(`status ${response.status}`);
 * });
 * console.log(report.totals.damaged); // 0
 *
 * @param run - is called for each cell; it must await everything that the client does
 * @returns the report. Its `exit_code` is 0 if no cell is damaged, hung or crashed. As a string, it shows the requests of
 *   the cells that fail, for the message of an assertion.
 * @throws SetupError if an option is unknown or invalid, or a file cannot be read or written
 */
export async function sweep(run: SweepRun, options: SweepOptions = {}): Promise<SweepReport> {
  if (typeof run !== "function") throw new SetupError("sweep(): the first argument must be a function");
  refuseInvalidOptions("sweep", options, sweepOptions);
  const { sweepFunction } = await import("./in-process.ts");
  return sweepFunction(run, options);
}
