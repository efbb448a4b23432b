import { createRequire } from "node:module";
import type { Alias, Document, LineCounter, Scalar } from "yaml";
import type * as z from "zod";
import { maskSecrets } from "../rules/api-key.ts";
import { quoted, SetupError } from "../rules/errors.ts";
import { didYouMean, oneKeyEach, unknownKeyMessage, usualMessage } from "../rules/issues.ts";

/** The parsed value, or the first problems, each with file, line and column. */
export type StrictYaml<Value> =
  | { readonly value: Value }
  | {
      readonly problems: readonly [string, ...string[]];
      /** The number of further problems. */
      readonly more: number;
    };

/** The maximum number of problems that are listed for a file. */
const maxProblems = 100;

/**
 * Parses YAML against a schema of strict objects.
 * @param file - its name, for messages
 * @throws SetupError with file, line, column and the nearest known key
 */
export function readStrictYaml<Schema extends z.ZodType>(
  file: string,
  text: string,
  schema: Schema,
): z.output<Schema> {
  return fitting(checkStrictYaml(file, text, schema));
}

/** @throws SetupError with the most serious problem and the number of others */
export function fitting<Value>(read: StrictYaml<Value>): Value {
  if ("value" in read) return read.value;
  const [first, ...others] = read.problems;
  const more = others.length + read.more;
  throw new SetupError(more === 0 ? first : `${first} (and ${more} more)`);
}

/** A problem with a value, and its place in it. */
export interface Misfit {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Another value that is part of the problem: its place follows the message. */
  readonly and?: readonly (string | number)[];
}

/**
 * Like `readStrictYaml`, but returns all problems, the most serious first.
 * @param misfits - further problems of a value that matches the schema
 */
export function checkStrictYaml<Schema extends z.ZodType>(
  file: string,
  text: string,
  schema: Schema,
  misfits: (value: z.output<Schema>) => readonly Misfit[] = () => [],
): StrictYaml<z.output<Schema>> {
  const parsed = parseYaml(file, text);
  if ("problems" in parsed) return parsed;
  const { document, lines, content } = parsed.value;
  const result = schema.safeParse(content, { error: maskedMessage });
  const at = (path: Misfit["path"]) => placeOf(file, lines, offsetOf(document, path));
  const found = result.success
    ? misfits(result.data).map(({ path, message, and }) =>
        customIssue(path, and === undefined ? message : `${message} (${at(and)})`),
      )
    : result.error.issues;
  // A misspelt key is also reported as missing. The message about the misspelling is the more helpful one.
  const isUnknownKey = ({ code }: z.core.$ZodIssue) => code === "unrecognized_keys";
  const all = found.flatMap(oneKeyEach).toSorted((a, b) => Number(isUnknownKey(b)) - Number(isUnknownKey(a)));
  const [first, ...others] = all.slice(0, maxProblems).map((issue) => {
    const unknown = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
    const place = placeOf(file, lines, offsetOf(document, issue.path, unknown));
    return `${place}: ${describe(issue, schema, document.getIn(issue.path))}`;
  });
  if (first !== undefined) return { problems: [first, ...others], more: all.length - others.length - 1 };
  if (result.success) return { value: result.data };
  throw new Error(`internal error: the schema rejects ${file} without an issue`);
}

/** A file may have a secret in the wrong place. */
function maskedMessage(issue: z.core.$ZodRawIssue): string | undefined {
  const message = usualMessage(issue);
  return message === undefined ? undefined : maskSecrets(message);
}

function customIssue(path: Misfit["path"], message: string): z.core.$ZodIssue {
  return { code: "custom", path: [...path], message };
}

/** The top-level keys of a YAML text; empty if it is not a mapping. */
export function keysOfYaml(file: string, text: string): StrictYaml<string[]> {
  const parsed = parseYaml(file, text);
  if ("problems" in parsed) return parsed;
  const { content } = parsed.value;
  return { value: content instanceof Object && !Array.isArray(content) ? Object.keys(content) : [] };
}

interface YamlText {
  readonly document: Document;
  readonly lines: LineCounter;
  readonly content: unknown;
}

function parseYaml(file: string, text: string): StrictYaml<YamlText> {
  // Imported when needed, because a start with an existing database reads no YAML.
  const yaml = createRequire(import.meta.url)("yaml") as typeof import("yaml");
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "error",
    // The parser would compare each key with every other, which takes over 30 s for 50,000 keys.
    uniqueKeys: false,
  });
  const wrong = (offset: number, message: string) => ({
    problems: [`${placeOf(file, lines, offset)}: ${message}`] as const,
    more: 0,
  });
  const syntaxError = document.errors[0] ?? document.warnings[0];
  if (syntaxError) {
    const { code, message, pos } = syntaxError;
    return wrong(pos[0], clearerMessages[code] ?? message);
  }
  try {
    const repeated = repeatedKey(document, yaml);
    if (repeated)
      return wrong(
        repeated.range?.[0] ?? 0,
        `key ${quoted(String(repeated.value))} occurs twice in the same mapping`,
      );
    const content: unknown = document.toJS();
    return content == null
      ? wrong(0, "must contain a mapping, but the file is empty")
      : { value: { document, lines, content } };
  } catch (error) {
    if (error instanceof RangeError) return wrong(0, nestedTooDeeply);
    return wrong(invalidAlias(document, yaml), (error as Error).message);
  }
}

const nestedTooDeeply = "the YAML is nested too deeply";
const clearerMessages: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: "a second YAML document begins here, but the file must contain only one",
  RESOURCE_EXHAUSTION: nestedTooDeeply,
};

/** The first key that occurs twice in its map. */
function repeatedKey(document: Document, { isScalar, visit }: typeof import("yaml")): Scalar | undefined {
  let repeated: Scalar | undefined;
  visit(document, {
    Map(_key, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) {
          repeated = key;
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return repeated;
}

/** The position of an alias without an anchor; otherwise, of the first alias. */
function invalidAlias(document: Document, { visit }: typeof import("yaml")): number {
  const aliases: Alias[] = [];
  visit(document, { Alias: (_key, alias) => void aliases.push(alias) });
  const invalid = aliases.find((alias) => !alias.resolve(document)) ?? aliases[0];
  return invalid?.range?.[0] ?? 0;
}

function placeOf(file: string, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${file}:${line}:${col}`;
}

/** The position of the invalid value or its nearest ancestor; for an unknown key, of the key. */
function offsetOf(document: Document, path: readonly PropertyKey[], unknown?: string): number {
  for (let depth = path.length; depth >= 0; depth--) {
    const node = document.getIn(path.slice(0, depth), true) as YamlNode | undefined;
    const items = depth === path.length && unknown !== undefined ? node?.items : undefined;
    const key = items?.find((pair) => pair.key?.value === unknown)?.key;
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

function describe(issue: z.core.$ZodIssue, schema: z.ZodType, value: unknown): string {
  const at = issue.path.join(".");
  if (issue.code === "invalid_value" && typeof value === "string") {
    return `${at}: unknown ${quoted(value)}${didYouMean(value, issue.values.map(String))}`;
  }
  if (issue.code !== "unrecognized_keys") {
    return at === "" ? issue.message : `${at}: ${issue.message}`;
  }
  return unknownKeyMessage(issue.keys[0] ?? "", schema, issue.path);
}
