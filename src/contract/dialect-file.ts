import * as z from "zod";
import { type BehaviourId, behaviourIds, behaviours } from "./behaviours.ts";
import type { Dialect } from "./selections.ts";

const provenance = z.enum(["observed", "assumed"]).optional();
const date = z.iso.date("must be a date such as 2026-11-20").optional();
const note = z.string().max(1000).optional();

function selectionOf(id: BehaviourId) {
  const { title, alternatives } = behaviours[id];
  const ids = alternatives.map((each) => each.id);
  const use = z.enum(ids, {
    error: ({ input }) =>
      typeof input === "number" && ids.includes(String(input))
        ? `must be in quotes: use: "${input}"`
        : undefined,
  });
  return z.strictObject({ use, provenance, date, note }).describe(title);
}

/**
 * Only the ids are checked here, and the rest by `dialectSchema`: the whole schema is large.
 * @internal
 */
export const dialectInOpenapi = z.lazy(() =>
  z.partialRecord(
    z.enum(behaviourIds),
    z.union([z.string(), z.strictObject({ use: z.string(), provenance, date, note })]),
  ),
);

let made: ReturnType<typeof makeSchema> | undefined;

function makeSchema() {
  return z.strictObject(
    Object.fromEntries(behaviourIds.map((id) => [id, selectionOf(id).optional()])) as {
      [Id in BehaviourId]: z.ZodOptional<ReturnType<typeof selectionOf>>;
    },
  );
}

/**
 * The schema of selections by behavior. Made when first needed, because a start without a dialect does not need it.
 * @internal
 */
export function dialectSchema(): ReturnType<typeof makeSchema> {
  made ??= makeSchema();
  return made;
}

/**
 * The schema of a dialect file: `format: 1`, and selections by behavior.
 * @internal
 */
export function dialectFileSchema() {
  return z.strictObject({ format: z.literal(1), ...dialectSchema().shape });
}

/**
 * The dialect of a file.
 * @internal
 */
export function dialectOfFile({
  format: _,
  ...dialect
}: z.output<ReturnType<typeof dialectFileSchema>>): Dialect {
  return dialect as Dialect;
}

/** The input with each id of an alternative as a selection, for `dialectSchema`. */
export function withSelections(input: unknown): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, selected]) => selected !== undefined)
      .map(([id, selected]) => [id, isId(selected) ? { use: selected } : selected]),
  );
}

/** A number is refused with the advice to put it in quotes. */
const isId = (selected: unknown) => typeof selected === "string" || typeof selected === "number";
