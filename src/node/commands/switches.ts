import { SetupError } from "../../rules/errors.ts";

const prefix = "CARD_SANDBOX_";

/** The variables that client-variables.ts sets for clients; they are not options. */
const ofClients = ["", "LIVE_"].flatMap((environment) =>
  ["URL", "API_KEY", "COMPANY_ID", "MEMBER_ID", "ACCOUNT_ID"].map((name) => prefix + environment + name),
);

/** The variables of options without a value: true or false. */
const switches = [
  "CARD_SANDBOX_NO_SANDBOX_HEADERS",
  "CARD_SANDBOX_NO_CONTROL",
  "CARD_SANDBOX_NO_FIXTURE_KEYS",
];

/**
 * Removes empty variables and switches that are off from the environment: commander would take an empty variable for a
 * value, and any value of a switch for on.
 * @throws SetupError if a switch is neither true nor false
 */
export function readSwitches(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith(prefix) && value === "") delete env[name];
  }
  for (const name of switches) {
    const value = env[name];
    if (value === undefined || /^(1|true|yes|on)$/i.test(value)) continue;
    if (!/^(0|false|no|off)$/i.test(value)) {
      throw new SetupError(
        `the environment variable ${name} takes true or false; got ${JSON.stringify(value)}`,
      );
    }
    delete env[name];
  }
}

/**
 * Finds unknown variables with the prefix of the sandbox, so that a misspelt name is noticed.
 * @returns a warning for each, without its value, which may be secret
 */
export async function unknownVariables(env: NodeJS.ProcessEnv): Promise<string[]> {
  const given = Object.keys(env).filter((name) => name.startsWith(prefix));
  if (given.length === 0) return [];
  const { define } = await import("./start.ts");
  const ofOptions = define().options.flatMap(({ envVar }) => envVar ?? []);
  const others = given.filter((name) => !ofOptions.includes(name));
  if (others.length === 0) return [];
  const { nearest } = await import("../../rules/nearest.ts");
  const known = [...ofOptions, ...ofClients].map((name) => name.slice(prefix.length));
  return others
    .map((name) => name.slice(prefix.length))
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = nearest(name, known);
      const hint = meant === undefined ? "card-sandbox --help lists them" : `did you mean ${prefix}${meant}?`;
      return `warning: the environment variable ${prefix}${name} is unknown and has no effect: ${hint}`;
    });
}
