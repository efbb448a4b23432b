import { type Command, Option } from "commander";
import type { ContraryFailOn, ContraryReport } from "../../journal/contrary-report.ts";
import type { ContraryOptions } from "../../sweep/contrary.ts";
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

/** The parsed options that only `contrary` has. */
export interface ContraryRequest extends RunRequest {
  readonly contrary: Omit<ContraryOptions, "stop" | "onProgress">;
}

/** Adds the options that `start` does not have. */
export function addContraryOptions(command: Command): void {
  addGroups(command, {
    "Cells:": [
      onlyOption(
        "--only <patterns>",
        "comma-separated list of behaviors or BEHAVIOR=ALTERNATIVE; * is a wildcard",
      ),
      ...timeOptions(),
    ],
    "Report:": [
      new Option("--fail-on <verdict>", "mildest verdict that fails")
        .choices(["damaged", "failed", "never"])
        .default("never"),
      baselineOption("dependencies"),
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
export function contraryRequest(command: Command): ContraryRequest {
  const { failOn, baseline } = command.opts<{ failOn: ContraryFailOn; baseline?: string }>();
  const request = runRequest(command);
  return {
    ...request,
    contrary: {
      ...request.runs,
      baseline:
        baseline === undefined ? undefined : readBaseline<ContraryReport>("--baseline", baseline, "contrary"),
      failOn,
    },
  };
}
