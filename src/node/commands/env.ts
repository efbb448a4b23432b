import type { Command } from "commander";
import { shellQuoted } from "../../journal/formats/escape.ts";
import type { CompanyListing, WorldListing } from "../../store/world-listing.ts";
import { ordererObstacles } from "../../world/first-order.ts";
import { clientVariables } from "../client-variables.ts";
import { messageLine } from "../colors.ts";
import { baseUrl, callControl } from "../running-sandbox.ts";
import { adminTokenOption, newCommand, urlArgument } from "./command.ts";

/** The maximum number of companies of each environment in the warning. */
const shownCompanies = 5;

export function define(): Command {
  const command = newCommand(
    "card-sandbox env",
    'Print the environment variables that client tests need (URL, API keys, ids), as shell commands. Usage: eval "$(card-sandbox env)"',
  )
    .argument(...urlArgument)
    .addOption(adminTokenOption())
    .addHelpText(
      "after",
      `
CARD_SANDBOX_LIVE_URL has the same value as CARD_SANDBOX_URL. If the sandbox uses
--live-port, set it to the live base URL that the sandbox prints when it starts.

Exit codes:
  0  success
  2  usage error, or the admin token is missing or wrong
  3  the sandbox does not respond`,
    );
  return command.action(async (given?: string) => {
    const { adminToken } = command.opts<{ adminToken?: string }>();
    const url = baseUrl(given, process.env);
    const { companies } = await callControl<WorldListing>({ url, adminToken }, "GET", "/world");
    const variables = clientVariables({ url, liveUrl: url, adminToken }, companies);
    const missing = missingLine(url, variables, companies);
    if (missing !== undefined) process.stderr.write(messageLine(missing, "yellow"));
    process.stdout.write(Object.entries(variables).map(line).join(""));
  });
}

/** A warning with the variables without a value, the reasons and a remedy; undefined if all have a value. */
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
    const [first = `there is no ${each} company`, ...more] = ordererObstacles(companies, each);
    const shown = [first, ...more.slice(0, shownCompanies - 1)];
    const left = more.length + 1 - shown.length;
    return left > 0 ? [...shown, `and ${left} more`] : shown;
  });
  return (
    `warning: ${names.join(", ")}: not set, because no member with a public API key can order a card ` +
    `(${why.join("; ")}). To restore the fixtures, reset the sandbox: curl -X POST ${url}/_sandbox/reset`
  );
}

/** Unsets a variable without a value, because the shell may still have it from another sandbox. */
function line([name, value]: readonly [string, string | undefined]): string {
  return value === undefined ? `unset ${name}\n` : `export ${name}=${shellQuoted(value)}\n`;
}
