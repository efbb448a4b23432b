import { quoted, SetupError } from "../rules/errors.ts";
import { nearest } from "../rules/nearest.ts";

/** The allowed values of an option: a kind, or a list. */
type Allowed = keyof typeof kinds | readonly (string | number)[];

/** Every option with its allowed values. */
export type OptionKinds<Options> = Readonly<Record<keyof Options, Allowed>>;

const isText = (value: unknown) => typeof value === "string";
const isWhole = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

/** The check of each kind. The contents of strings and arrays are checked when they are used. */
const kinds = {
  "a string": isText,
  "a string with an ISO 8601 timestamp": isText,
  "a non-negative integer": isWhole,
  "a positive integer": (value: unknown) => isWhole(value) && value !== 0,
  "a number from 0 to 1": (value: unknown) => typeof value === "number" && value >= 0 && value <= 1,
  "an integer from 0 to 65535": (value: unknown) => isWhole(value) && Number(value) <= 65_535,
  "true or false": (value: unknown) => typeof value === "boolean",
  "a function": (value: unknown) => typeof value === "function",
  "an AbortSignal": (value: unknown) => value instanceof AbortSignal,
  "an array of strings": (value: unknown) =>
    Array.isArray(value) && value.every((each) => typeof each === "string"),
  "a string or an object with alternatives by behavior": (value: unknown) => isText(value) || isPlain(value),
  "an object with the PEM strings cert and key": (value: unknown) =>
    isPlain(value) && typeof value.cert === "string" && typeof value.key === "string",
} satisfies Record<string, (value: unknown) => boolean>;

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @throws SetupError if JavaScript code passed an unknown option or an invalid value */
export function refuseInvalidOptions(
  name: string,
  options: unknown,
  known: Readonly<Record<string, Allowed>>,
): void {
  if (!isPlain(options)) {
    throw new SetupError(
      `${name}(): the options must be an object, such as { seed: 7 }, but are ${shown(options)}`,
    );
  }
  for (const [option, value] of Object.entries(options)) {
    const allowed = Object.hasOwn(known, option) ? known[option] : undefined;
    if (allowed === undefined) {
      throw new SetupError(`${name}(): unknown option ${quoted(option)}. ${hint(option, known)}`);
    }
    if (value === undefined || isAllowed(value, allowed)) continue;
    const expected =
      typeof allowed === "string" ? allowed : allowed.map((word) => JSON.stringify(word)).join(" or ");
    throw new SetupError(`${name}(): ${option} must be ${expected}, but is ${shown(value)}`);
  }
}

function isAllowed(value: unknown, allowed: Allowed): boolean {
  return typeof allowed === "string" ? kinds[allowed](value) : allowed.some((word) => word === value);
}

function hint(name: string, known: Readonly<Record<string, Allowed>>): string {
  const names = Object.keys(known);
  const meant = nearest(name, names);
  return `${meant === undefined ? "" : `Did you mean "${meant}"? `}Allowed: ${names.join(", ")}`;
}

/** A short form of a value, without the contents of objects, which may be secret. */
function shown(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
