import type { Command } from "commander";
import { oneLine, shellQuoted } from "../../journal/formats/escape.ts";
import type { CompanyListing, WorldListing } from "../../store/world-listing.ts";
import { ordererObstacles } from "../../world/first-order.ts";
import { clientVariables } from "../client-variables.ts";
import { ask, baseAddress } from "../running-sandbox.ts";
import { newCommand, notEmpty, optionWithVariable } from "./command.ts";

/** How many companies of an environment the warning explains. */
const shownCompanies = 5;

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
    const missing = missingLine(url, variables, companies);
    if (missing !== undefined) process.stderr.write(`card-sandbox: ${oneLine(missing)}\n`);
    process.stdout.write(Object.entries(variables).map(line).join(""));
  });
}

/** Names the variables that have no value, the reasons if known, and a remedy; undefined if all have a value. */
function missingLine(
  url: string,
  variables: ReturnType<typeof clientVariables>,
  companies: readonly CompanyListing[],
): string | undefined {
  const names = Object.keys(variables).filter(
    (name) => variables[name] === undefined && name !== "CARD_SANDBOX_ADMIN_TOKEN",
  );
  if (names.length === 0) return undefined;
  const environments = [
    ...(variables.CARD_SANDBOX_API_KEY === undefined ? (["sandbox"] as const) : []),
    ...(variables.CARD_SANDBOX_LIVE_API_KEY === undefined ? (["live"] as const) : []),
  ];
  const why = environments.flatMap((each) => {
    const [first = `no ${each} company`, ...more] = ordererObstacles(companies, each);
    const shown = [first, ...more.slice(0, shownCompanies - 1)];
    const left = more.length + 1 - shown.length;
    return left > 0 ? [...shown, `and ${left} more`] : shown;
  });
  return (
    `no member with a public key can order a card there: ${names.join(", ")} are unset ` +
    `(${why.join("; ")}); if one could before, reset the sandbox: curl -X POST ${url}/_sandbox/reset`
  );
}

/** Unsets a variable without a value, because the shell may still have it from another sandbox. */
function line([name, value]: readonly [string, string | undefined]): string {
  return value === undefined ? `unset ${name}\n` : `export ${name}=${shellQuoted(value)}\n`;
}
