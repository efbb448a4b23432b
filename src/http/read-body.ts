import type * as z from "zod";
import type { SentHeaders } from "../journal/exchange.ts";
import { readBytes } from "../runtime/read-bytes.ts";

/** The parts of a request that the transport has read already: reading them from the `Request` again is slow. */
export interface Arrived {
  readonly headers: SentHeaders;
  /** The whole body; undefined if it is still to be read. */
  readonly body: Uint8Array | undefined;
  /** When the client closed its connection or aborted the request, in real milliseconds; undefined: not yet. */
  readonly goneMs: () => number | undefined;
}

/** Larger bodies are refused. No request of the service comes near this size. */
export const maxBodyBytes = 64 * 1024;

export const bodyTooLarge = `the body is over ${maxBodyBytes / 1024} KiB`;

/** The body of a request: its text, or the reason why it has none. */
export type Body = { readonly text: string } | { readonly unreadable: "too large" | "not UTF-8" | "cut off" };

/** How an operation refuses a body. */
export interface BodyRefusals {
  readonly unreadable: (why: "too large" | "not UTF-8" | "cut off" | "not JSON") => Error;
  /** The body is JSON, but does not match the schema. */
  readonly invalid: (issues: readonly z.core.$ZodIssue[]) => Error;
}

/**
 * Parses a body of JSON by a schema.
 * @returns the value, and the text, which has the digits of numbers as they were sent
 * @throws one of `refusals`
 */
export function parseBody<Schema extends z.ZodType>(
  received: Body,
  schema: Schema,
  refusals: BodyRefusals,
): { readonly body: z.output<Schema>; readonly text: string } {
  if ("unreadable" in received) throw refusals.unreadable(received.unreadable);
  const { text } = received;
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch {
    throw refusals.unreadable("not JSON");
  }
  const result = schema.safeParse(sent);
  if (!result.success) throw refusals.invalid(result.error.issues);
  return { body: result.data, text };
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
