import { SetupError } from "../../rules/errors.ts";
import { nearest } from "../../rules/nearest.ts";

const prefix = "CARD_SANDBOX_";

/** The variables of options without a value: true or false. */
const switches = [
  "CARD_SANDBOX_NO_SANDBOX_HEADERS",
  "CARD_SANDBOX_NO_CONTROL",
  "CARD_SANDBOX_NO_FIXTURE_KEYS",
  "CARD_SANDBOX_WATCH",
];

/**
 * Removes empty variables and switches that are off from the environment, because commander would use an
 * empty variable as a value and turn a switch on for any value.
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
      throw new SetupError(`${name}: must be true or false, but is ${JSON.stringify(value)}`);
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
  const { clientVariables } = await import("../client-variables.ts");
  const ofClients = Object.keys(clientVariables({ url: "", liveUrl: "", adminToken: undefined }, []));
  const known = [...ofOptions, ...ofClients].map((name) => name.slice(prefix.length));
  return others
    .map((name) => name.slice(prefix.length))
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = nearest(name, known);
      const hint = meant === undefined ? "" : ` Did you mean ${prefix}${meant}?`;
      return `warning: ${prefix}${name}: unknown environment variable, ignored.${hint} List the variables with card-sandbox --help --all.`;
    });
}
