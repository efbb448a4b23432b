import { Command, InvalidArgumentError, Option } from "commander";
import { escapeControls } from "../../journal/formats/escape.ts";
import { quoted } from "../../rules/errors.ts";
import { nearest } from "../../rules/nearest.ts";
import { messageLine } from "../colors.ts";

/** A command that reports a usage error in one line and throws instead of exiting. */
export function newCommand(name: string, description: string): Command {
  const command = new Command(name);
  return command
    .description(description)
    .helpOption("-h, --help", "show this help")
    .exitOverride()
    .showSuggestionAfterError(false)
    .allowExcessArguments()
    .hook("preAction", refuseExcessArguments)
    .configureHelp({
      optionDescription: (option) => describe(option, isShortened(command)),
    })
    .configureOutput({
      outputError: (text, write) => write(messageLine(usageError(text.trimEnd(), command))),
    });
}

/** Adds options in groups, whose headings the help shows. */
export function addGroups(command: Command, groups: Readonly<Record<string, readonly Option[]>>): void {
  for (const [heading, options] of Object.entries(groups)) {
    for (const each of options) command.addOption(each.helpGroup(heading));
  }
}

/** An option whose default comes from an environment variable. */
export function optionWithVariable(flags: string, description: string, variable: string): Option {
  return new Option(flags, description).env(`CARD_SANDBOX_${variable}`);
}

/** The base URL that `baseUrl()` composes by default. */
export const localUrl = "http://127.0.0.1 with the port from CARD_SANDBOX_PORT, PORT or 4242";

/** The argument of a command that calls a running sandbox. */
export const urlArgument = [
  "[url]",
  `base URL of the sandbox (default: CARD_SANDBOX_URL, or ${localUrl})`,
] as const;

export function adminTokenOption(): Option {
  return optionWithVariable(
    "--admin-token <token>",
    "admin token of the sandbox, if it requires one",
    "ADMIN_TOKEN",
  ).argParser(notEmpty);
}

/** Limits the help to the most used options, each in few words. `--help --all` lists every option. */
export function shortenHelp(command: Command, common: readonly string[]): void {
  command.helpOption("-h, --help", "show this help; --help --all lists all options");
  for (const option of command.options) option.hideHelp(!common.includes(option.long ?? ""));
}

export function isShortened({ options }: Command): boolean {
  return options.some(({ hidden }) => hidden);
}

/** Makes the help list every option, with its allowed values and its environment variable. */
export function lengthenHelp(command: Command): void {
  for (const option of command.options) option.hideHelp(false);
}

function describe(option: Option, isShort: boolean): string {
  const { description, argChoices, defaultValue, defaultValueDescription, envVar } = option;
  const fallback = defaultValueDescription ?? (option.negate ? undefined : defaultValue);
  const details = [
    ...(argChoices && !isShort ? [`one of ${argChoices.join(", ")}`] : []),
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
    ...(envVar && !isShort ? [`env: ${envVar}`] : []),
  ];
  return details.length === 0 ? description : `${description} (${details.join("; ")})`;
}

/**
 * Commander's message in the form of our messages: it begins with the option, the argument or the variable.
 */
function usageError(text: string, command: Command): string {
  const [, flags = "", given, inVariable, variable, problem = ""] =
    /^error: option '(.*?)' (?:argument '(.*)'|value '(.*)' from env '(\w+)') is invalid\. (.*)$/s.exec(
      text,
    ) ?? [];
  const value = given ?? inVariable;
  if (value !== undefined) {
    const [, choices] = /^Allowed choices are (.*)\.$/s.exec(problem) ?? [];
    const must = choices === undefined ? problem : `must be one of ${choices}, but is ${quoted(value)}`;
    return `${variable ?? flags.split(" ")[0]}: ${must}`;
  }
  const [, unknown] = /^error: unknown option '(.*)'$/s.exec(text) ?? [];
  if (unknown !== undefined) return unknownOption(unknown, command);
  const [, valueless = ""] = /^error: option '(.*)' argument missing$/s.exec(text) ?? [];
  if (valueless) return `${valueless.split(" ")[0]}: requires a value: ${valueless}`;
  const [, required = ""] = /^error: required option '(.*)' not specified$/s.exec(text) ?? [];
  if (required) return `${required.split(" ")[0]}: is required`;
  const [, argument] = /^error: missing required argument '(.*)'$/s.exec(text) ?? [];
  return argument === undefined ? text.replace(/^error: /, "") : `${argument}: is required`;
}

function unknownOption(name: string, { options, commands }: Command): string {
  if (name === "--all") return "--all: use this option together with --help";
  const known = [options, ...commands.map((each) => each.options)].flat().flatMap(({ long }) => long ?? []);
  const meant = nearest(name, known);
  const hint = meant === undefined ? "" : `Did you mean ${meant}? `;
  return `${name}: unknown option. ${hint}List the options with --help.`;
}

/** Commander reports the number of arguments, but not which one is unexpected. */
function refuseExcessArguments(_command: Command, called: Command): void {
  const { args, registeredArguments } = called;
  if (registeredArguments.at(-1)?.variadic) return;
  const excess = args[registeredArguments.length];
  if (excess === undefined) return;
  const names = registeredArguments.map((argument) => argument.name()).join(", ");
  const takes = names === "" ? "no arguments" : `only ${names}`;
  const subcommands = called.commands.map((each) => each.name()).join(", ");
  const known = subcommands === "" ? takes : `${takes}. Subcommands: ${subcommands}`;
  called.error(`unexpected argument ${quoted(excess)}: this command takes ${known}. See --help.`);
}

export function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    if (!/^[0-9]+$/.test(text) || Number(text) > max) {
      throw new InvalidArgumentError(`must be an integer from 0 to ${max}, but is ${quoted(text)}`);
    }
    return Number(text);
  };
}

export function positiveNumber(max: number): (text: string) => number {
  return (text) => {
    const value = wholeNumber(max)(text);
    if (value === 0) throw new InvalidArgumentError(`must be at least 1, but is ${quoted(text)}`);
    return value;
  };
}

export function once(text: string, before: string | undefined): string {
  if (before !== undefined) throw new InvalidArgumentError("can be used only once");
  return notEmpty(text);
}

export function commaSeparated(text: string): string[] {
  const parts = notEmpty(text)
    .split(",")
    .map((each) => each.trim());
  if (parts.includes("")) {
    throw new InvalidArgumentError(`must not contain an empty entry, but is ${quoted(text)}`);
  }
  return parts;
}

export function notEmpty(text: string): string {
  if (text === "") throw new InvalidArgumentError("must not be empty");
  return text;
}

/** A table with a header, each column as wide as its widest cell. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map(escapeControls));
  const widths = head.map((_, c) => Math.max(...all.map((row) => row[c]?.length ?? 0)));
  const lines = all.map((row) => row.map((cell, c) => cell.padEnd(widths[c] ?? 0)).join("  "));
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}
