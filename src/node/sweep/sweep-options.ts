import { type Command, InvalidArgumentError, Option } from "commander";
import { quoted, SetupError } from "../../rules/errors.ts";
import type { SweepOptions } from "../../sweep/sweep.ts";
import { commaSeparated, notEmpty, wholeNumber } from "../commands/command.ts";
import { reportOption } from "../exec/suite-options.ts";
import { readBaseline } from "./inputs.ts";

/** The parsed options that only `sweep` has. */
export interface SweepRequest {
  readonly sweep: Omit<SweepOptions, "stop" | "onProgress">;
  /** Undefined: each wait is cut to 300 ms. */
  readonly timeScale: number | undefined;
  /** The names of the report files. */
  readonly reports: readonly string[];
}

const largestJobs = 64;
const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Options that do not change how a cell runs, and the admin token, which is a secret. */
const notRepeated: ReadonlySet<string> = new Set(
  [
    ["depth", "only", "unstable", "budget", "jobs", "fail-on", "baseline", "report"],
    ["list", "cell", "inspect", "log", "admin-token"],
  ].flatMap((names) => names.map((name) => `--${name}`)),
);

/** Adds the options that only `sweep` has. */
export function addSweepOptions(command: Command): Command {
  const groups: Readonly<Record<string, readonly Option[]>> = {
    "Cells:": [
      new Option("--depth <number>", "number of faults in a row").choices(["1", "2"]).default("1"),
      new Option("--only <names>", "operations, faults or labels, comma-separated").argParser(
        (text: string, before: readonly string[] = []) => [...before, ...commaSeparated(text)],
      ),
      new Option("--unstable", "also break calls that differ between runs"),
      new Option("--budget <time>", "start no cell after this time, such as 90s, 10m or 1h").argParser(time),
      new Option("--jobs <number>", "number of cells to run at the same time").argParser(jobs).default(1),
      new Option("--patience <time>", "longest wait of a client for a response")
        .argParser(time)
        .default(5000, "5s"),
      new Option("--time-scale <factor>", "factor of each latency, hold and Retry-After")
        .argParser(factor)
        .default(undefined, "cut each to 300 ms"),
    ],
    "Report:": [
      new Option("--fail-on <verdict>", "mildest verdict that fails the sweep")
        .choices(["damaged", "failed"])
        .default("damaged"),
      new Option("--baseline <file>", "earlier JSON report, whose failing cells are accepted").argParser(
        notEmpty,
      ),
      reportOption(),
    ],
    "One cell:": [
      new Option("--list", "print the ids of the cells, and run none"),
      new Option("--cell <id>", "run only this cell").argParser(notEmpty),
      new Option("--inspect", "with --cell: run the client under a debugger"),
    ],
  };
  for (const [heading, options] of Object.entries(groups)) {
    for (const each of options) command.addOption(each.helpGroup(heading));
  }
  return command;
}

/**
 * Reads the parsed options.
 * @throws SetupError if they contradict each other, or the baseline cannot be read
 */
export function sweepRequest(command: Command): SweepRequest {
  const flags = command.opts<{
    depth: "1" | "2";
    only?: string[];
    unstable?: boolean;
    budget?: number;
    jobs: number;
    patience: number;
    timeScale?: number;
    failOn: "damaged" | "failed";
    baseline?: string;
    report?: string[];
    list?: boolean;
    cell?: string;
    inspect?: boolean;
  }>();
  const { only, unstable, budget, jobs, patience, failOn, list, cell, inspect } = flags;
  if (inspect && cell === undefined) {
    throw new SetupError("--inspect: requires --cell ID. List the ids of the cells with --list.");
  }
  return {
    sweep: {
      depth: flags.depth === "2" ? 2 : 1,
      budgetMs: budget,
      patienceMs: patience,
      baseline: flags.baseline === undefined ? undefined : readBaseline("--baseline", flags.baseline),
      ...{ only, unstable, jobs, failOn, list, cell, inspect },
    },
    timeScale: flags.timeScale,
    reports: flags.report ?? [],
  };
}

/** The given options that a single cell needs to run again in the same way, as words of a command line. */
export function repeatOptions(command: Command): string[] {
  return command.options.flatMap((option) => {
    const { long } = option;
    const name = option.attributeName();
    const source = command.getOptionValueSource(name);
    if (!long || notRepeated.has(long) || (source !== "cli" && source !== "env")) return [];
    const value: unknown = command.getOptionValue(name);
    if (typeof value === "boolean") return [long];
    // The only option with milliseconds.
    return [long, long === "--patience" ? `${value}ms` : String(value)];
  });
}

/** @returns milliseconds */
function time(text: string): number {
  const [, amount, unit = ""] = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const ms = Math.round(Number(amount) * (unitsMs[unit] ?? 0));
  if (!(ms > 0 && ms < 2 ** 31)) {
    throw new InvalidArgumentError(`must be a time such as 500ms, 90s, 10m or 1h, but is ${quoted(text)}`);
  }
  return ms;
}

function factor(text: string): number {
  const value = /^[0-9]*\.?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= 1)) {
    throw new InvalidArgumentError(`must be a number from 0 to 1, but is ${quoted(text)}`);
  }
  return value;
}

function jobs(text: string): number {
  const value = wholeNumber(largestJobs)(text);
  if (value === 0) throw new InvalidArgumentError(`must be at least 1, but is ${quoted(text)}`);
  return value;
}
