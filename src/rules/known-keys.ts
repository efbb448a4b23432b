import * as z from "zod";
import { quoted } from "./errors.ts";
import { nearest } from "./nearest.ts";

/**
 * Says of a key that there is none such, which one was meant, and which there are.
 * @param path - of the object that holds it
 */
export function unknownKeyTold(key: string, schema: z.ZodType, path: readonly PropertyKey[]): string {
  return `unknown key ${quoted(key)}${knownTold(key, knownKeys(schema, path))}`;
}

/** The nearest of what is known, and all of it: what follows upon what was said in its place. */
export function knownTold(said: string, all: readonly string[]): string {
  const meant = nearest(said, all);
  return `${meant === undefined ? "; known" : `: did you mean "${meant}"? Known`} here: ${all.join(", ")}`;
}

/** The keys of the object that a path leads to in a schema. */
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
