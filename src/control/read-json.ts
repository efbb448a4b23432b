import type { Context } from "hono";
import type * as z from "zod";
import { issuesTold, withPath } from "../rules/issues-told.ts";
import { knownKeys, unknownKeyTold } from "../rules/known-keys.ts";
import { ControlError } from "./control-error.ts";

/** A company with hundreds of members and cards is a fifth of it. */
const largestBody = 1024 * 1024;

/**
 * Reads a request's JSON body for a method that checks it; an empty one counts as `{}`.
 * @throws ControlError 400 where it is no JSON, 413 where it is too large
 */
export async function readJson<Asked>(c: Context): Promise<Asked> {
  const text = await readText(c, largestBody, "a request of the sandbox's own API holds up to 1 MiB");
  try {
    return JSON.parse(text.trim() === "" ? "{}" : text);
  } catch {
    throw new ControlError(400, "the body is not valid JSON");
  }
}

/**
 * Reads a request's body, and keeps no more of it than it may hold. One that is too large is read to its end all the
 * same: a client that sends before it listens would find its connection broken, and no answer on it.
 * @param tooLarge - what to say of a larger one
 * @throws ControlError 413
 */
export async function readText(c: Context, maxBytes: number, tooLarge: string): Promise<string> {
  const length = c.req.header("Content-Length");
  if (length !== undefined && Number(length) <= maxBytes) return c.req.text();
  const decoder = new TextDecoder();
  const reader = c.req.raw.body?.getReader();
  let text = "";
  let bytes = 0;
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    bytes += part.value.byteLength;
    if (bytes <= maxBytes) text += decoder.decode(part.value, { stream: true });
  }
  if (bytes > maxBytes) throw new ControlError(413, tooLarge);
  return text + decoder.decode();
}

/** @throws ControlError 400 that names what does not fit */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ControlError(
    400,
    issuesTold(result.error.issues, (issue) => told(issue, schema)),
  );
}

function told(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  const { code, path } = issue;
  if (code === "unrecognized_keys") {
    return withPath({ path, message: unknownKeyTold(issue.keys[0] ?? "", schema, path) });
  }
  if (code === "invalid_type" && path.length === 0) {
    return `what is asked for must be an object, with such keys as ${knownKeys(schema).join(", ")}`;
  }
  return withPath(issue);
}
