import { type Command, Option } from "commander";
import type { SweepOptions } from "../../sweep/sweep.ts";
import { addGroups } from "../commands/command.ts";
import { baselineOption, reportOption } from "../exec/suite-options.ts";
import { readBaseline } from "./inputs.ts";
import {
  oneCellOptions,
  onlyOption,
  type RunRequest,
  runRequest,
  tapesOption,
  timeOptions,
} from "./run-options.ts";

/** The parsed options that only `sweep` has. */
export interface SweepRequest extends RunRequest {
  readonly sweep: Omit<SweepOptions, "stop" | "onProgress">;
}

/** Adds the options that `start` does not have. */
export function addSweepOptions(command: Command): void {
  addGroups(command, {
    "Cells:": [
      new Option("--depth <number>", "number of faults in a row").choices(["1", "2"]).default("1"),
      onlyOption("--only <names>", "operations, faults or labels, comma-separated"),
      new Option("--unstable", "also break calls that differ between runs"),
      ...timeOptions(),
    ],
    "Report:": [
      new Option("--fail-on <verdict>", "mildest verdict that fails the sweep")
        .choices(["damaged", "failed"])
        .default("damaged"),
      baselineOption("failing cells"),
      reportOption(),
      tapesOption(),
    ],
    "One cell:": oneCellOptions(),
  });
}

/**
 * Reads the parsed options.
 * @throws SetupError if they contradict each other, or the baseline cannot be read
 */
export function sweepRequest(command: Command): SweepRequest {
  const { depth, unstable, failOn, baseline } = command.opts<{
    depth: "1" | "2";
    unstable?: boolean;
    failOn: "damaged" | "failed";
    baseline?: string;
  }>();
  const request = runRequest(command);
  return {
    ...request,
    sweep: {
      ...request.runs,
      depth: depth === "2" ? 2 : 1,
      baseline: baseline === undefined ? undefined : readBaseline("--baseline", baseline),
      ...{ unstable, failOn },
    },
  };
}
