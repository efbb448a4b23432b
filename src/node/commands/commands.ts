import type { Command } from "commander";
import { SetupError } from "../../rules/errors.ts";
import { nearest } from "../../rules/nearest.ts";
import { lengthenHelp } from "./command.ts";

interface KnownCommand {
  readonly summary: string;
  /** Imports the command when it runs, so that `start` does not load the other commands. */
  readonly load: () => Promise<{ define(): Command }>;
}

/** The commands of `card-sandbox`, by name. */
export const commands: Readonly<Record<string, KnownCommand>> = {
  start: { summary: "Start a sandbox server (default command)", load: () => import("./start.ts") },
  exec: {
    summary: "Run a command (such as your tests) on a fresh sandbox, then report",
    load: () => import("./exec.ts"),
  },
  report: {
    summary: "Judge running sandboxes, or merge the reports of exec",
    load: () => import("./report.ts"),
  },
  sweep: {
    summary: "Break each call of a command, and report what it does not survive",
    load: () => import("./sweep.ts"),
  },
  contrary: {
    summary: "Find the assumptions of the sandbox that a command depends on",
    load: () => import("./contrary.ts"),
  },
  replay: {
    summary: "Play a tape, compare every response, and serve its world",
    load: () => import("./replay.ts"),
  },
  verify: {
    summary: "Compare another server with the specification and a dialect",
    load: () => import("./verify.ts"),
  },
  wait: { summary: "Wait until a sandbox is ready", load: () => import("./wait.ts") },
  health: { summary: "Check the health of a sandbox", load: () => import("./health.ts") },
  env: { summary: "Print the environment variables of a running sandbox", load: () => import("./env.ts") },
  keys: { summary: "List, create and revoke API keys", load: () => import("./keys.ts") },
  scenarios: { summary: "List the scenarios", load: () => import("./scenarios.ts") },
  contract: {
    summary: "List the contract points, and the behaviors that are assumed",
    load: () => import("./contract.ts"),
  },
  mcp: { summary: "Serve tools for a coding agent (MCP over stdio)", load: () => import("./mcp.ts") },
  init: {
    summary: "Add scenarios, fixtures and a CI workflow to your project",
    load: () => import("./init.ts"),
  },
  validate: { summary: "Check fixtures, scenario and dialect files", load: () => import("./validate.ts") },
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
    const about = rest.find((word) => word !== "--all") ?? "start";
    return { command: await defined(about, rest), args: ["--help"] };
  }
  return first.startsWith("-")
    ? { command: await defined("start", argv), args: argv }
    : { command: await defined(first, rest), args: rest };
}

async function defined(name: string, args: readonly string[]): Promise<Command> {
  const known = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!known) throw unknown(name);
  const command = (await known.load()).define();
  if (name === "start") command.description(`${command.description()}\n\n${commandList()}`);
  // Only `--help --all` has an effect: without --help, --all is an unknown option.
  if (args.includes("--all")) lengthenHelp(command);
  return command;
}

function unknown(name: string): SetupError {
  const names = Object.keys(commands);
  const meant = nearest(name, names);
  const hint = meant === undefined ? "" : `Did you mean "${meant}"? `;
  return new SetupError(
    `unknown command "${name}". ${hint}Commands: ${names.join(", ")}. See card-sandbox --help.`,
  );
}

function commandList(): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(9)}  ${summary}`);
  return `Commands (see card-sandbox COMMAND --help):\n${lines.join("\n")}`;
}
