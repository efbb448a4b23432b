import { Command, InvalidArgumentError, Option } from "commander";

const stores = ["file", "memory"] as const;
export type Store = (typeof stores)[number];

export interface Options {
  readonly minutes: number;
  readonly stores: readonly Store[];
}

interface Flags {
  readonly minutes: number;
  readonly store: Store | "both";
}

const description =
  "Runs a sandbox at half the rate that it can do, with what a suite, a tester and a dashboard do all day, and says " +
  "whether it stays as it is: memory, latency, processor time, open descriptors. Garbage is collected before each " +
  "stretch, so resident memory is less here than what V8 lets it become when it is left alone. It needs Linux.";

const afterHelp = `
Exit codes: 0 flat, 1 something grew or went wrong, 2 the command line is wrong.`;

/** Reads the command line; where it asks for help, or cannot be read, it says so and ends the process. */
export function readOptions(argv: readonly string[]): Options {
  const { minutes, store } = new Command("npm run soak --")
    .description(description)
    .option("--minutes <number>", "how long, for each store", minutesOf, 10)
    .addOption(
      new Option("--store <store>", "where the sandbox keeps its world")
        .choices([...stores, "both"])
        .default("both"),
    )
    .addHelpText("after", afterHelp)
    .showSuggestionAfterError(false)
    .configureOutput({
      outputError: (text, write) =>
        write(`${text.trimEnd().replace(/\.?$/, ".")} npm run soak -- --help tells what there is.\n`),
    })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .parse(argv as string[], { from: "user" })
    .opts<Flags>();
  return { minutes, stores: store === "both" ? stores : [store] };
}

function minutesOf(text: string): number {
  const minutes = Number(text);
  if (!(minutes > 0 && minutes <= 24 * 60)) throw new InvalidArgumentError("It takes how many, such as 10.");
  return minutes;
}
