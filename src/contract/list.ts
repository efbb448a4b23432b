import * as z from "zod";

const greatestLimit = 100;

/** A filter that may be given once. */
export function once<Schema extends z.ZodType<unknown, string>>(schema: Schema) {
  return z
    .array(z.string())
    .length(1, "must be given once")
    .transform(([value]) => value as string)
    .pipe(schema as z.ZodType<z.output<Schema>, string>)
    .optional();
}

/** A filter of several values, repeated or parted by commas. */
export function several<Schema extends z.ZodType<unknown, string>>(schema: Schema, most = 100) {
  return z
    .array(z.string())
    .transform((values) => values.flatMap((value) => value.split(",")))
    .pipe(z.array(schema as z.ZodType<z.output<Schema>, string>).max(most, `must be at most ${most}`))
    .optional();
}

/** What every list takes beside its filters (assumed). */
export const paging = {
  limit: once(
    z
      .string()
      .regex(/^[0-9]{1,3}$/, `must be a whole number from 1 to ${greatestLimit}`)
      .transform(Number)
      .pipe(z.int().min(1).max(greatestLimit)),
  ),
  cursor: once(z.string().min(1)),
};

/** The rows of a list and where it goes on, as every list answers (assumed). */
export const listOf = <Row extends z.ZodType>(row: Row) =>
  z.object({ data: z.array(row), has_more: z.boolean(), next_cursor: z.string().nullable() });
