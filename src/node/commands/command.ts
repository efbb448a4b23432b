import { Command, Option } from "commander";
import { oneLine } from "../../report/formats/escape.ts";

/** A command that says in one line what is wrong with how it is used, and leaves it to its caller to end. */
export function newCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(`${oneLine(text.trimEnd())}\n`) });
}

/** An option that a variable stands in for where it is not given. */
export function optionWithVariable(flags: string, description: string, variable: string): Option {
  return new Option(flags, description).env(`CARD_SANDBOX_${variable}`);
}
