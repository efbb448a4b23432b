import { SetupError } from "../rules/errors.ts";
import { nearest } from "../rules/nearest.ts";

/** The values of an option: a kind, or a list of words. */
type Takes = keyof typeof kinds | readonly string[];

/** Every option with the values that it takes. */
export type OptionKinds<Options> = Readonly<Record<keyof Options, Takes>>;

const isText = (value: unknown) => typeof value === "string";
const isWhole = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

/** The test for each kind. Further checks of a string or a list follow where it is read. */
const kinds = {
  "a string": isText,
  "an ISO 8601 instant as a string": isText,
  "a whole number from 0": isWhole,
  "a port from 0 to 65535": (value: unknown) => isWhole(value) && Number(value) <= 65_535,
  "true or false": (value: unknown) => typeof value === "boolean",
  "a function": (value: unknown) => typeof value === "function",
  "an array of strings": (value: unknown) =>
    Array.isArray(value) && value.every((each) => typeof each === "string"),
  "an object of cert and key, each PEM": (value: unknown) =>
    isPlain(value) && typeof value.cert === "string" && typeof value.key === "string",
} satisfies Record<string, (value: unknown) => boolean>;

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @throws SetupError if JavaScript code passed an unknown option or an invalid value */
export function refuseUnfitOptions(
  call: string,
  options: unknown,
  known: Readonly<Record<string, Takes>>,
): void {
  if (!isPlain(options)) throw new SetupError(`${call} takes its options as an object, such as { seed: 7 }`);
  for (const [name, value] of Object.entries(options)) {
    const takes = Object.hasOwn(known, name) ? known[name] : undefined;
    if (takes === undefined) throw new SetupError(`${call} has no option ${name}: ${hint(name, known)}`);
    if (value === undefined || fits(value, takes)) continue;
    const wanted = typeof takes === "string" ? takes : takes.map((word) => JSON.stringify(word)).join(" or ");
    throw new SetupError(`the option ${name} of ${call} takes ${wanted}; got ${said(value)}`);
  }
}

function fits(value: unknown, takes: Takes): boolean {
  return typeof takes === "string" ? kinds[takes](value) : takes.some((word) => word === value);
}

function hint(name: string, known: Readonly<Record<string, Takes>>): string {
  const names = Object.keys(known);
  const meant = nearest(name, names);
  return `${meant === undefined ? "it takes" : `did you mean ${meant}? It takes`} ${names.join(", ")}`;
}

/** A short form of a value, without the contents of objects, which may be secret. */
function said(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 100));
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
