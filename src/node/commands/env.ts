import type { Command } from "commander";
import { shellQuoted } from "../../control/shell-quoted.ts";
import type { WorldListing } from "../../store/world-listing.ts";
import { clientVariables } from "../client-variables.ts";
import { ask, baseAddress } from "../running-sandbox.ts";
import { newCommand, optionWithVariable } from "./command.ts";
import { notEmpty } from "./option-values.ts";

export function define(): Command {
  const command = newCommand(
    "card-sandbox env",
    'Prints what a client\'s tests need to know of a running sandbox, for a shell: eval "$(card-sandbox env)"',
  )
    .argument("[url]", "its base address (default: CARD_SANDBOX_URL, then this machine's)")
    .addOption(
      optionWithVariable("--admin-token <token>", "what its own API demands", "ADMIN_TOKEN").argParser(
        notEmpty,
      ),
    )
    .addHelpText(
      "after",
      `
It takes the live base address to be the same: where the sandbox has a --live-port, set CARD_SANDBOX_LIVE_URL.

Exit codes:
  0  they are printed
  2  asked for wrongly, such as without the admin token
  3  the sandbox cannot be asked`,
    );
  return command.action(async (given?: string) => {
    const { adminToken } = command.opts<{ adminToken?: string }>();
    const url = baseAddress(given, process.env);
    const { companies } = await ask<WorldListing>({ url, adminToken }, "GET", "/world");
    const variables = clientVariables({ url, liveUrl: url, adminToken }, companies);
    const missing = Object.entries(variables).filter(
      ([name, value]) => value === undefined && name !== "CARD_SANDBOX_ADMIN_TOKEN",
    );
    if (missing.length > 0) {
      const names = missing.map(([name]) => name).join(", ");
      process.stderr.write(
        `card-sandbox: nobody whose key is public can order a card there: ${names} are unset\n`,
      );
    }
    process.stdout.write(Object.entries(variables).map(line).join(""));
  });
}

/** What is not to be had is unset: it may still be there from another sandbox. */
function line([name, value]: readonly [string, string | undefined]): string {
  return value === undefined ? `unset ${name}\n` : `export ${name}=${shellQuoted(value)}\n`;
}
