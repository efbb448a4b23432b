import type { ContraryCell, ContraryReport } from "../../journal/contrary-report.ts";
import { SetupError } from "../../rules/errors.ts";
import { type OptionKinds, refuseInvalidOptions } from "../known-options.ts";
import { type SweepOptions, type SweepRun, sweepOptions } from "./sweep.ts";

/** The state of a run of `contrary()` that is in progress. */
export interface ContraryProgress {
  readonly reference: ContraryReport["reference"];
  /** Alternatives that have run, and all of them. */
  readonly done: number;
  readonly total: number;
  /** How many of them have each verdict. */
  readonly totals: ContraryReport["totals"];
  /** The alternative that has just run; undefined before the first one. */
  readonly latest: ContraryCell | undefined;
}

/** The options of `contrary()`: those of `sweep()`, with other values for these. */
export interface ContraryOptions
  extends Omit<SweepOptions, "depth" | "unstable" | "only" | "cell" | "failOn" | "baseline" | "onProgress"> {
  /**
   * Behaviors, such as `replay.*`, and alternatives, such as `replay.status=200`; `*` stands for any text. Default: all.
   */
  readonly only?: readonly string[] | undefined;
  /** Runs only this alternative, such as `replay.status=200`. Under a debugger, it then has no time limits. */
  readonly cell?: string | undefined;
  /** The mildest verdict that fails. Default `never`: a dependency is no mistake. */
  readonly failOn?: "damaged" | "failed" | "never" | undefined;
  /** The JSON report of an earlier run, whose dependencies are accepted. */
  readonly baseline?: string | undefined;
  /** Called after the reference runs and after each alternative. */
  readonly onProgress?: ((progress: ContraryProgress) => void) | undefined;
}

const { depth: _, unstable: __, ...shared } = sweepOptions;

const contraryOptions: OptionKinds<ContraryOptions> = {
  ...shared,
  failOn: ["damaged", "failed", "never"],
};

/**
 * Finds the assumptions of the sandbox on which a client depends. Runs it twice as it is, then once under each other
 * alternative of each behavior that the specification leaves open, always on a fresh sandbox in this process.
 *
 * @example
 * import { contrary } from "card-sandbox";
 *
 * const report = await contrary(
 *   async ({ sandbox, company }) => {
 *     const response = await sandbox.fetch("http://sandbox/auth/v1/sandbox/token", {
 *       method: "POST",
 *       body: JSON.stringify({ api_key: company.apiKey }),
 *     });
 *     if (response.status !== 200) throw new Error(`status ${response.status}`);
 *   },
 *   { only: ["replay.*"] },
 * );
 * console.log(report.dependencies.map(({ summary }) => summary)); // []
 *
 * @param run - is called for each alternative; it must await everything that the client does
 * @returns the report. As a string, it shows what each alternative breaks.
 * @throws SetupError if an option is unknown or invalid, or a file cannot be read or written
 */
export async function contrary(run: SweepRun, options: ContraryOptions = {}): Promise<ContraryReport> {
  if (typeof run !== "function") throw new SetupError("contrary(): the first argument must be a function");
  refuseInvalidOptions("contrary", options, contraryOptions);
  const { contraryFunction } = await import("./in-process.ts");
  return contraryFunction(run, options);
}
