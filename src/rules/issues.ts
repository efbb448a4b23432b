import * as z from "zod";
import { quoted } from "./errors.ts";
import { nearest } from "./nearest.ts";

/** How many issues a message lists, and about how many characters they take together. */
const most = { issues: 20, characters: 1500 };

/**
 * Lists the first few issues, each with its path, and the number of the rest. A client fixes them one by
 * one, and a body can have tens of thousands.
 * @param describe - describes one issue; default: its path and message
 */
export function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  describe: (issue: z.core.$ZodIssue) => string = withPath,
): string {
  const all = issues.flatMap(oneKeyEach);
  const messages: string[] = [];
  let characters = 0;
  for (const issue of all.slice(0, most.issues)) {
    const message = describe(issue);
    characters += message.length;
    if (messages.length > 0 && characters > most.characters) break;
    messages.push(message);
  }
  const more = all.length - messages.length;
  return [...messages, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/** Splits an issue about several unknown keys into one for each key. */
export function oneKeyEach(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  return issue.code === "unrecognized_keys" ? issue.keys.map((key) => ({ ...issue, keys: [key] })) : [issue];
}

/** An issue's path and message. */
export function withPath({ path, message }: Pick<z.core.$ZodIssue, "path" | "message">): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}

/**
 * The message for an unknown key, with the nearest known key and all known keys.
 * @param path - the path of the object that holds the key
 */
export function unknownKeyMessage(key: string, schema: z.ZodType, path: readonly PropertyKey[]): string {
  return `unknown key ${quoted(key)}${didYouMean(key, knownKeys(schema, path))}`;
}

/** The end of a message about an unknown name: the nearest known name, and all of them. */
export function didYouMean(name: string, all: readonly string[]): string {
  const meant = nearest(name, all);
  return `.${meant === undefined ? "" : ` Did you mean "${meant}"?`} Allowed: ${all.join(", ")}`;
}

/** The message of an issue for which the schema has none; undefined: zod's own. */
export function usualMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return expected(typeNames[issue.expected] ?? issue.expected, issue.input);
    case "invalid_value":
      return expected(
        `${issue.values.length > 1 ? "one of " : ""}${issue.values.map(shown).join(", ")}`,
        issue.input,
      );
    case "too_small":
      return issue.minimum === 1 && sizeOf(issue.input) === 0
        ? "must not be empty"
        : outOfRange(`at least ${issue.minimum}`, issue);
    case "too_big":
      return outOfRange(`at most ${issue.maximum}`, issue);
    default:
      return undefined;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

const units: Readonly<Record<string, string>> = { string: "characters", array: "items" };

function outOfRange(allowed: string, { origin, input }: { origin: string; input?: unknown }): string {
  const unit = units[origin];
  const size = sizeOf(input);
  return unit === undefined || size === undefined
    ? `must be ${allowed}, but is ${shown(input)}`
    : `must have ${allowed} ${unit}, but has ${size}`;
}

function sizeOf(input: unknown): number | undefined {
  return typeof input === "string" || Array.isArray(input) ? input.length : undefined;
}

/** The allowed values of a field, and the value that it has. */
export function expected(allowed: string, input: unknown): string {
  return input === undefined
    ? `is required and must be ${allowed}`
    : `must be ${allowed}, but is ${shown(input)}`;
}

function shown(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

/** The keys of the object at a path in a schema. */
export function knownKeys(schema: z.ZodType, path: readonly PropertyKey[] = []): string[] {
  let at = unwrap(schema);
  for (const step of path) {
    if (at instanceof z.ZodArray) at = unwrap(at.element as z.ZodType);
    else if (at instanceof z.ZodObject) at = unwrap(at.shape[String(step)] as z.ZodType);
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function unwrap(schema: z.ZodType): z.ZodType {
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodLazy
  ) {
    return unwrap(schema.unwrap() as z.ZodType);
  }
  return schema;
}
