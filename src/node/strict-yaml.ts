import { createRequire } from "node:module";
import leven from "leven";
import type { Document, LineCounter } from "yaml";
import * as z from "zod";
import { SetupError } from "../core/errors.ts";

/** A text that fits its schema, or what is wrong with it, each with file, line and column. */
export type StrictYaml<Value> =
  | { readonly value: Value }
  | { readonly problems: readonly [string, ...string[]] };

/**
 * Reads a YAML text that has to fit a schema of strict objects.
 * @param file - its name, for messages
 * @throws SetupError with file, line and column of what is wrong, and the nearest known key
 */
export function readStrictYaml<Schema extends z.ZodType>(
  file: string,
  text: string,
  schema: Schema,
): z.output<Schema> {
  return fitting(checkStrictYaml(file, text, schema));
}

/** @throws SetupError with the gravest problem, and how many more there are */
export function fitting<Value>(read: StrictYaml<Value>): Value {
  if ("value" in read) return read.value;
  const [first, ...more] = read.problems;
  throw new SetupError(more.length === 0 ? first : `${first} (and ${more.length} more)`);
}

/** As `readStrictYaml`, for whoever wants to hear of everything that is wrong: the gravest first. */
export function checkStrictYaml<Schema extends z.ZodType>(
  file: string,
  text: string,
  schema: Schema,
): StrictYaml<z.output<Schema>> {
  const { document, lines } = parseYaml(text);
  const syntaxError = document.errors[0] ?? document.warnings[0];
  if (syntaxError) {
    return { problems: [`${placeOf(file, lines, syntaxError.pos[0])}: ${syntaxError.message}`] };
  }
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    // An alias may name nothing, or too much.
    return { problems: [`${file}: ${(error as Error).message}`] };
  }
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  // A misspelt key is also a missing one: the misspelling explains both.
  const isUnknownKey = ({ code }: z.core.$ZodIssue) => code === "unrecognized_keys";
  const issues = result.error.issues
    .flatMap(oneKeyEach)
    .toSorted((a, b) => Number(isUnknownKey(b)) - Number(isUnknownKey(a)));
  const [first = `${file} does not fit its schema`, ...more] = issues.map((issue) => {
    const place = placeOf(file, lines, offsetOf(document, issue));
    return `${place}: ${describe(issue, schema, document.getIn(issue.path))}`;
  });
  return { problems: [first, ...more] };
}

function oneKeyEach(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  return issue.code === "unrecognized_keys" ? issue.keys.map((key) => ({ ...issue, keys: [key] })) : [issue];
}

/** The keys at the top of a YAML text; none where it is no mapping. */
export function keysOfYaml(text: string): string[] {
  const { items = [] } = (parseYaml(text).document.contents ?? {}) as YamlNode;
  return items.map(({ key }) => String(key?.value));
}

function parseYaml(text: string): { readonly document: Document; readonly lines: LineCounter } {
  // Loaded when first needed: a start on a kept database reads no YAML.
  const yaml = createRequire(import.meta.url)("yaml") as typeof import("yaml");
  const lines = new yaml.LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, logLevel: "error" } as const;
  return { document: yaml.parseDocument(text, options), lines };
}

function placeOf(file: string, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${file}:${line}:${col}`;
}

/** Where the value at fault stands, or its nearest ancestor; for an unknown key, the key itself. */
function offsetOf(document: Document, issue: z.core.$ZodIssue): number {
  for (let depth = issue.path.length; depth >= 0; depth--) {
    const node = document.getIn(issue.path.slice(0, depth), true) as YamlNode | undefined;
    const unknown =
      issue.code === "unrecognized_keys" && depth === issue.path.length ? issue.keys[0] : undefined;
    const key = node?.items?.find((pair) => unknown !== undefined && pair.key?.value === unknown)?.key;
    const offset = (key ?? node)?.range?.[0];
    if (offset !== undefined) return offset;
  }
  return 0;
}

interface YamlNode {
  readonly range?: readonly number[];
  readonly items?: readonly {
    readonly key?: { readonly value?: unknown; readonly range?: readonly number[] };
  }[];
}

function describe(issue: z.core.$ZodIssue, schema: z.ZodType, said: unknown): string {
  const at = issue.path.join(".");
  if (issue.code === "invalid_value" && typeof said === "string") {
    const nearest = issue.values.map(String).toSorted((a, b) => leven(said, a) - leven(said, b))[0];
    return `${at}: unknown "${said}": did you mean "${nearest}"? Known here: ${issue.values.join(", ")}`;
  }
  if (issue.code !== "unrecognized_keys") {
    return at === "" ? issue.message : `${at}: ${issue.message}`;
  }
  const unknown = issue.keys[0] ?? "";
  const known = knownKeys(schema, issue.path);
  const nearest = known.toSorted((a, b) => leven(unknown, a) - leven(unknown, b))[0];
  return `unknown key "${unknown}": did you mean "${nearest}"? Known here: ${known.join(", ")}`;
}

/** The keys of the object that a path leads to in a schema. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
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
