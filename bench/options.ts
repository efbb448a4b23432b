import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { rows } from "./rows.ts";

const names: readonly string[] = [...rows.map(({ name }) => name), "start", "test-run", "vitest"];

export interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly quick?: true;
  readonly only: readonly string[];
  /** Folders of other builds. */
  readonly dir: readonly string[];
  /** Executable files of further versions of Node. */
  readonly node: readonly string[];
  readonly peers?: true;
  readonly write?: true;
  readonly strict?: true;
}

/** Reads the command line; ends the process for `--help` and for usage errors. */
export function readOptions(argv: readonly string[]): Options {
  const command = new Command("npm run bench --")
    .description("Measures the sandbox, compares it with two bare servers, and prints tables in Markdown.")
    .option("--rounds <number>", "how often each row is measured (default: 5)", positive)
    .option("--seconds <number>", "how long each round lasts (default: 4)", positive)
    .option("--quick", "two rounds of half a second, without Vitest: shows that the bench works")
    .option("--only <name>", `measure only this row; may be repeated: ${names.join(", ")}`, name, [])
    .option("--dir <path>", "measure another built checkout too; may be repeated", path, [])
    .option(
      "--node <file>",
      "measure starts on this Node too; npm installs the builds for it in a temporary folder",
      path,
      [],
    )
    .option("--peers", "measure other mock servers too, which npm installs in a temporary folder")
    .option("--write", "write the figures of docs/benchmarks.md; needs a whole run")
    .option("--strict", "exit with 1 if a goal is missed")
    .parse(argv as string[], { from: "user" });
  const options = command.opts<Partial<Options> & Pick<Options, "only" | "dir" | "node">>();
  const { quick, only, dir, node, write } = options;
  if (write && (quick || [...only, ...dir, ...node].length > 0)) {
    command.error("error: --write needs a whole run: leave out --quick, --only, --dir and --node");
  }
  return { rounds: quick ? 2 : 5, seconds: quick ? 0.5 : 4, ...options };
}

function positive(text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new InvalidArgumentError("It must be a number above 0.");
  return number;
}

function name(text: string, before: readonly string[]): string[] {
  if (!names.includes(text)) throw new InvalidArgumentError(`Names: ${names.join(", ")}.`);
  return [...before, text];
}

function path(text: string, before: readonly string[]): string[] {
  return [...before, resolve(text)];
}
