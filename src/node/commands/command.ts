import { Command, Option } from "commander";
import { oneLine } from "../../journal/formats/escape.ts";

/** A command that says in one line what is wrong with how it is used, and leaves it to its caller to end. */
export function newCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .exitOverride()
    .allowExcessArguments()
    .hook("preAction", refuseExcessArguments)
    .configureOutput({ outputError: (text, write) => write(`${oneLine(text.trimEnd())}\n`) });
}

/** An option that a variable stands in for where it is not given. */
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
