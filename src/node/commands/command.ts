import { Command, InvalidArgumentError, Option } from "commander";
import { escapeControls, oneLine } from "../../journal/formats/escape.ts";

/** A command that reports a usage error in one line and throws instead of exiting. */
export function newCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .exitOverride()
    .allowExcessArguments()
    .hook("preAction", refuseExcessArguments)
    .configureOutput({ outputError: (text, write) => write(`${oneLine(text.trimEnd())}\n`) });
}

/** An option whose default comes from an environment variable. */
export function optionWithVariable(flags: string, description: string, variable: string): Option {
  return new Option(flags, description).env(`CARD_SANDBOX_${variable}`);
}

/** Commander reports the number of arguments, but not which one is unexpected. */
function refuseExcessArguments(_command: Command, called: Command): void {
  const { args, registeredArguments } = called;
  if (registeredArguments.at(-1)?.variadic) return;
  const excess = args[registeredArguments.length];
  if (excess === undefined) return;
  const takes = registeredArguments.map((argument) => argument.name()).join(", ") || "no argument";
  const subcommands = called.commands.map((each) => each.name()).join(" or ");
  const known = subcommands === "" ? `takes ${takes}` : `takes ${takes}, or is followed by ${subcommands}`;
  called.error(
    `error: unexpected argument ${JSON.stringify(excess)}: this command ${known}; --help lists its options`,
  );
}

export function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    if (!/^[0-9]+$/.test(text) || Number(text) > max) {
      throw new InvalidArgumentError(`It takes a whole number from 0 to ${max}.`);
    }
    return Number(text);
  };
}

export function once(text: string, before: string | undefined): string {
  if (before !== undefined) throw new InvalidArgumentError("It is given once.");
  return notEmpty(text);
}

export function commaSeparated(text: string): string[] {
  const parts = notEmpty(text)
    .split(",")
    .map((each) => each.trim());
  if (parts.includes(""))
    throw new InvalidArgumentError("It has a comma too many: nothing stands beside it.");
  return parts;
}

export function notEmpty(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must not be empty.");
  return text;
}

/** A table with a header, each column as wide as its widest cell. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map(escapeControls));
  const widths = head.map((_, c) => Math.max(...all.map((row) => row[c]?.length ?? 0)));
  const lines = all.map((row) => row.map((cell, c) => cell.padEnd(widths[c] ?? 0)).join("  "));
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}
