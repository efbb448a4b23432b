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
  return `${meant === undefined ? "; known" : `: did you mean "${meant}"? Known`} here: ${all.join(", ")}`;
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
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    return unwrap(schema.unwrap() as z.ZodType);
  }
  return schema;
}
