import type { Command } from "commander";
import { SetupError } from "../../rules/errors.ts";

interface KnownCommand {
  readonly summary: string;
  /** Imported when the command runs, so that a start does not load the other commands. */
  readonly load: () => Promise<{ define(): Command }>;
}

/** The commands of `card-sandbox`, by name. */
const commands: Readonly<Record<string, KnownCommand>> = {
  start: { summary: "starts a sandbox; what is done without a word", load: () => import("./start.ts") },
  exec: {
    summary: "runs a command against a sandbox of its own, and reports",
    load: () => import("./exec.ts"),
  },
  wait: { summary: "waits until a sandbox answers", load: () => import("./wait.ts") },
  health: { summary: "tells whether a sandbox is well", load: () => import("./health.ts") },
  env: { summary: "prints the variables of a running sandbox, for a shell", load: () => import("./env.ts") },
  keys: { summary: "lists, makes and revokes a running sandbox's API keys", load: () => import("./keys.ts") },
  scenarios: { summary: "lists the scenarios that there are", load: () => import("./scenarios.ts") },
  contract: { summary: "lists the contract points", load: () => import("./contract.ts") },
  validate: { summary: "checks fixtures and scenario files", load: () => import("./validate.ts") },
};

/**
 * Finds the command, and the arguments that it has to parse.
 * @throws SetupError if no command has that name
 */
export async function commandNamed(
  argv: readonly string[],
): Promise<{ readonly command: Command; readonly args: readonly string[] }> {
  const [first = "start", ...rest] = argv;
  if (first === "help") {
    const [about = "start"] = rest;
    return { command: await defined(about), args: ["--help"] };
  }
  return first.startsWith("-")
    ? { command: await defined("start"), args: argv }
    : { command: await defined(first), args: rest };
}

async function defined(name: string): Promise<Command> {
  const known = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!known) throw await unknown(name);
  const command = (await known.load()).define();
  return name === "start" ? command.addHelpText("after", `\n${commandList()}`) : command;
}

async function unknown(name: string): Promise<SetupError> {
  const { nearest } = await import("../../rules/nearest.ts");
  const names = Object.keys(commands);
  const meant = nearest(name, names);
  const known = `${meant === undefined ? "there are" : `did you mean "${meant}"? There are`} ${names.join(", ")}`;
  return new SetupError(`unknown command "${name}": ${known}; card-sandbox --help tells of them`);
}

function commandList(): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(9)}  ${summary}`);
  return `Commands:\n${lines.join("\n")}\n  card-sandbox help COMMAND tells how each is used\n`;
}
