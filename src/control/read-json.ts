import type { Context } from "hono";
import type * as z from "zod";
import { issuesTold } from "../core/issues-told.ts";
import { ControlError } from "./control-error.ts";

/**
 * Reads a request's JSON body for a method that checks it; an empty one counts as `{}`.
 * @throws ControlError 400 where it is no JSON
 */
export async function readJson<Asked>(c: Context): Promise<Asked> {
  const text = await c.req.text();
  try {
    return JSON.parse(text.trim() === "" ? "{}" : text);
  } catch {
    throw new ControlError(400, "the body is not valid JSON");
  }
}

/** @throws ControlError 400 that names what does not fit */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ControlError(400, issuesTold(result.error.issues));
}
