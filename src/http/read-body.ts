import type * as z from "zod";
import type { Choices } from "../contract/behaviours.ts";
import type { SentHeaders } from "../journal/exchange.ts";
import { describeIssues, didYouMean, knownKeys, withPath } from "../rules/issues.ts";
import { readBytes } from "../runtime/read-bytes.ts";

/** The parts of a request that the transport has already read, because reading them again from the `Request` is slow. */
export interface Arrived {
  readonly headers: SentHeaders;
  /** The whole body; undefined if it is still to be read. */
  readonly body: Uint8Array | undefined;
  /** When the client closed its connection or aborted the request, in real milliseconds; undefined: not yet. */
  readonly goneMs: () => number | undefined;
  /** Calls the listener when the client closes its connection or aborts the request. */
  readonly onGone: (listener: () => void) => void;
}

/** Larger bodies are refused. No request of the service comes near this size. */
export const maxBodyBytes = 64 * 1024;

/** The body of a request: its text, or the reason why it has none. */
export type Body = { readonly text: string } | { readonly unreadable: Exclude<Unreadable, "not JSON"> };

/** Why a body cannot be read. */
export type Unreadable = "too large" | "not UTF-8" | "cut off" | "not JSON";

/** The messages for bodies that cannot be read. */
export const unreadableMessages: Readonly<Record<Unreadable, string>> = {
  "too large": `body: must be at most ${maxBodyBytes / 1024} KiB`,
  "not UTF-8": "body: must be valid JSON, but is not UTF-8 text",
  "cut off": "body: must be valid JSON, but its end is missing",
  "not JSON": "body: must be valid JSON",
};

/** Lists the issues of a body, each with its field. An issue of the whole body has the name `body`. */
export function describeBodyIssues(issues: readonly z.core.$ZodIssue[]): string {
  return describeIssues(issues, ({ path, message }) =>
    withPath({ path: path.length === 0 ? ["body"] : path, message }),
  );
}

/** How an operation refuses a body. */
export interface BodyRefusals {
  readonly unreadable: (why: Unreadable, choices: Choices) => Error;
  /** The body is JSON, but does not match the schema. */
  readonly invalid: (issues: readonly z.core.$ZodIssue[]) => Error;
  /** The contract refuses unknown fields, and the body has one. Absent: the operation ignores them. */
  readonly unknownField?: (message: string) => Error;
}

/**
 * Parses a body of JSON by a schema.
 * @returns the value, and the text, which keeps the digits of numbers as they were sent
 * @throws one of `refusals`
 */
export function parseBody<Schema extends z.ZodType>(
  received: Body,
  schema: Schema,
  refusals: BodyRefusals,
  choices: Choices,
): { readonly body: z.output<Schema>; readonly text: string } {
  if ("unreadable" in received) throw refusals.unreadable(received.unreadable, choices);
  const { text } = received;
  let sent: unknown;
  try {
    sent = JSON.parse(text, normalizing(choices));
  } catch {
    throw refusals.unreadable("not JSON", choices);
  }
  const result = schema.safeParse(sent);
  if (!result.success) {
    const { issues } = result.error;
    throw refusals.invalid(choices["error.messages"] === "first-field" ? issues.slice(0, 1) : issues);
  }
  if (choices["json.unknown_fields"] === "400" && refusals.unknownField) {
    const message = unknownField(sent, schema);
    if (message !== undefined) throw refusals.unknownField(message);
  }
  return { body: result.data, text };
}

/** Replaces the values that the contract accepts in another form. */
function normalizing(choices: Choices): ((name: string, value: unknown) => unknown) | undefined {
  const dropsNull = choices["json.null_fields"] === "absent";
  const anyCase = choices["country_code.case"] === "any-case";
  if (!dropsNull && !anyCase) return undefined;
  return (name, value) => {
    if (value === null && dropsNull) return undefined;
    return anyCase && name === "country_code" && typeof value === "string" ? value.toUpperCase() : value;
  };
}

/** The message for the first field that the schema does not know, at any depth; undefined if it knows all. */
function unknownField(sent: unknown, schema: z.ZodType, path: readonly string[] = []): string | undefined {
  const known = knownKeys(schema, path);
  if (known.length === 0 || typeof sent !== "object" || sent === null) return undefined;
  for (const [name, value] of Object.entries(sent)) {
    const at = [...path, name];
    if (!known.includes(name)) {
      return `${at.join(".").slice(0, 200)}: is an unknown field${didYouMean(name, known)}`;
    }
    const message = unknownField(value, schema, at);
    if (message !== undefined) return message;
  }
  return undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads the body of a request as UTF-8. */
export async function readBody(request: Request): Promise<Body> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readBytes(request, maxBodyBytes);
  } catch {
    return { unreadable: "cut off" };
  }
  return bytes === undefined ? { unreadable: "too large" } : bodyOf(bytes);
}

/** Decodes a body that was read before. */
export function bodyOf(bytes: Uint8Array): Body {
  if (bytes.byteLength > maxBodyBytes) return { unreadable: "too large" };
  try {
    return { text: utf8.decode(bytes) };
  } catch {
    return { unreadable: "not UTF-8" };
  }
}
