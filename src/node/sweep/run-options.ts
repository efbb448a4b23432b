import { type Command, InvalidArgumentError, Option } from "commander";
import { quoted, SetupError } from "../../rules/errors.ts";
import type { RunsOptions } from "../../sweep/runs.ts";
import { commaSeparated, notEmpty, positiveNumber } from "../commands/command.ts";

/** The parsed options that `sweep` and `contrary` share. */
export interface RunRequest {
  readonly runs: Omit<RunsOptions, "stop"> & {
    readonly only: readonly string[] | undefined;
    readonly cell: string | undefined;
    readonly list: boolean | undefined;
  };
  /** Undefined: each wait is cut to 300 ms. */
  readonly timeScale: number | undefined;
  /** The names of the report files. */
  readonly reports: readonly string[];
}

interface Flags {
  readonly only?: string[];
  readonly budget?: number;
  readonly jobs: number;
  readonly patience: number;
  readonly timeScale?: number;
  readonly report?: string[];
  readonly list?: boolean;
  readonly cell?: string;
  readonly inspect?: boolean;
}

const largestJobs = 64;
const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Options that do not change how a cell runs, and the admin token, which is a secret. */
const notRepeated: ReadonlySet<string> = new Set(
  [
    ["depth", "only", "unstable", "budget", "jobs", "fail-on", "baseline", "report", "tape"],
    ["list", "cell", "inspect", "log", "admin-token"],
  ].flatMap((names) => names.map((name) => `--${name}`)),
);

/** @param description - of the names */
export function onlyOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string, before: readonly string[] = []) => [
    ...before,
    ...commaSeparated(text),
  ]);
}

/** The options that say how long and how often a command runs. */
export function timeOptions(): Option[] {
  return [
    new Option("--budget <time>", "start no cell after this time, such as 90s, 10m or 1h").argParser(time),
    new Option("--jobs <number>", "number of cells to run at the same time")
      .argParser(positiveNumber(largestJobs))
      .default(1),
    new Option("--patience <time>", "longest wait of a client for a response")
      .argParser(time)
      .default(5000, "5s"),
    new Option("--time-scale <factor>", "factor of each latency, hold and Retry-After")
      .argParser(factor)
      .default(undefined, "cut each to 300 ms"),
  ];
}

export function tapesOption(): Option {
  return new Option("--tape <folder>", "keep the tape of each failing cell in this folder").argParser(
    notEmpty,
  );
}

export function oneCellOptions(): Option[] {
  return [
    new Option("--list", "print the ids of the cells, and run none"),
    new Option("--cell <id>", "run only this cell").argParser(notEmpty),
    new Option("--inspect", "with --cell: run the client under a debugger"),
  ];
}

/**
 * Reads the parsed options.
 * @throws SetupError if they contradict each other
 */
export function runRequest(command: Command): RunRequest {
  const { only, budget, jobs, patience, timeScale, report = [], list, cell, inspect } = command.opts<Flags>();
  if (inspect && cell === undefined) {
    throw new SetupError("--inspect: requires --cell ID. List the ids of the cells with --list.");
  }
  return {
    runs: { budgetMs: budget, patienceMs: patience, ...{ only, jobs, list, cell, inspect } },
    timeScale,
    reports: report,
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
