import { SetupError } from "../../core/errors.ts";

/** The variables of switches: on or off, as they say. */
const switches = [
  "CARD_SANDBOX_NO_SANDBOX_HEADERS",
  "CARD_SANDBOX_NO_CONTROL",
  "CARD_SANDBOX_NO_FIXTURE_KEYS",
];

/**
 * Takes out of the environment what says nothing: commander takes an empty variable for a value, and a switch's
 * variable for on, whatever it says.
 * @throws SetupError where a switch says neither yes nor no
 */
export function readSwitches(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith("CARD_SANDBOX_") && value === "") delete env[name];
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
