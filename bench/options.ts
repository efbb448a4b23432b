import { basename, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { rows } from "./rows.ts";
import type { Build } from "./sandbox.ts";

/** What is measured beside the rows. */
const others = ["start", "memory", "reset", "sizes"] as const;
const names: readonly string[] = [...rows.map(({ name }) => name), ...others];

export interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly quick: boolean;
  readonly peers: boolean;
  readonly write: boolean;
  /** A goal that is missed fails the run. */
  readonly strict: boolean;
  /** This checkout first. */
  readonly builds: readonly [Build, ...Build[]];
  chosen(name: string): boolean;
}

interface Flags {
  rounds?: number;
  seconds?: number;
  only: string[];
  dir: string[];
  quick?: true;
  peers?: true;
  write?: true;
  strict?: true;
}

/** Reads the command line. */
export function readOptions(argv: readonly string[], root: string): Options {
  const command = new Command("npm run bench --")
    .description("Measures the sandbox against two bare servers, and prints a table in Markdown.")
    .option("--rounds <number>", "how often each row is measured (default: 5)", moreThanZero)
    .option("--seconds <number>", "how long each time (default: 4)", moreThanZero)
    .option("--quick", "two rounds of half a second, and small sizes: shows that it works")
    .option("--only <name>", `measures this alone; may be repeated: ${names.join(", ")}`, collected, [])
    .option("--dir <path>", "measures another built checkout beside this one; may be repeated", listed, [])
    .option("--peers", "measures other mock servers too, which npm fetches into a scratch folder")
    .option("--write", "writes docs/benchmarks.md, of a whole run")
    .option("--strict", "ends with 1 where a goal is missed")
    .parse(argv as string[], { from: "user" });
  const { rounds, seconds, only, dir, ...flags } = command.opts<Flags>();
  const { quick = false, peers = false, write = false, strict = false } = flags;
  if (write && (quick || only.length > 0 || dir.length > 0)) {
    command.error("error: --write keeps the figures of a whole run: leave out --quick, --only and --dir");
  }
  return {
    rounds: Math.ceil(rounds ?? (quick ? 2 : 5)),
    seconds: seconds ?? (quick ? 0.5 : 4),
    quick,
    peers,
    write,
    strict,
    builds: [{ name: "this", folder: root }, ...dir.map(buildIn)],
    chosen: (name) => (only.length === 0 ? true : only.includes(name)),
  };
}

/** Folders may have the same name; their place tells them apart. */
function buildIn(folder: string, index: number, all: readonly string[]): Build {
  const name = basename(folder);
  const isAlone = name !== "this" && all.filter((other) => basename(other) === name).length === 1;
  return { name: isAlone ? name : `${name} ${index + 1}`, folder };
}

function moreThanZero(text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new InvalidArgumentError("It takes a number above 0.");
  return number;
}

function collected(name: string, before: readonly string[]): string[] {
  if (!names.includes(name)) throw new InvalidArgumentError(`There are ${names.join(", ")}.`);
  return [...before, name];
}

function listed(path: string, before: readonly string[]): string[] {
  return [...before, resolve(path)];
}
