import type { Context } from "hono";
import type * as z from "zod";
import { ControlError } from "./control-error.ts";

/**
 * Reads a request's JSON body; an empty one counts as `{}`.
 * @throws ControlError 400 that names what is wrong
 */
export async function readJson<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): Promise<z.output<Schema>> {
  const text = await c.req.text();
  let body: unknown;
  try {
    body = text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    throw new ControlError(400, "the body is not valid JSON");
  }
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw new ControlError(400, messageOf(result.error));
}

/** What does not fit, each with the path to it. */
export function messageOf({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`))
    .join("; ");
}
