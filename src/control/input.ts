import type { Context } from "hono";
import * as z from "zod";
import { amountTooLarge, decimalExpected, greatestMinor } from "../contract/amount.ts";
import { describeIssues, knownKeys, unknownKeyMessage, withPath } from "../rules/issues.ts";
import { parseDecimal, parseJsonNumber } from "../rules/money.ts";
import { readBytes } from "../runtime/read-bytes.ts";
import { ControlError } from "./errors.ts";

/** Five times the size of a company with hundreds of members and cards. */
const largestBody = 1024 * 1024;

/**
 * Reads a request's JSON body for a method that validates it; an empty body counts as `{}`.
 * @throws ControlError 400 if it is not JSON, 413 if it is too large
 */
export async function readJson<Input>(c: Context): Promise<Input> {
  const text = await readText(c, largestBody, "a request of the sandbox's own API holds up to 1 MiB");
  try {
    return JSON.parse(text.trim() === "" ? "{}" : text);
  } catch {
    throw new ControlError(400, "the body is not valid JSON");
  }
}

/**
 * Reads a request's body.
 * @param tooLarge - the error message for a larger body
 * @throws ControlError 413
 */
export async function readText(c: Context, maxBytes: number, tooLarge: string): Promise<string> {
  const bytes = await readBytes(c.req.raw, maxBytes);
  if (bytes === undefined) throw new ControlError(413, tooLarge);
  return new TextDecoder().decode(bytes);
}

/**
 * Reads a request's query parameters. A parameter may occur once.
 * @param headers - values of parameters that were sent as headers; they win
 * @throws ControlError 400 that names the invalid parameters
 */
export function readQuery<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
  headers: Readonly<Record<string, string | undefined>> = {},
): z.output<Schema> {
  const sent = Object.entries(c.req.queries());
  const repeated = sent.find(([, values]) => values.length > 1)?.[0];
  if (repeated !== undefined) throw new ControlError(400, `${repeated}: is given more than once`);
  const present = Object.entries(headers).filter(([, value]) => value !== undefined);
  const query = Object.fromEntries([...sent.map(([name, [value]]) => [name, value]), ...present]);
  return validate(schema, query, (issue) =>
    issue.code === "unrecognized_keys"
      ? `${issue.keys[0]}: is no parameter here: use ${knownKeys(schema).join(", ")}`
      : withPath(issue),
  );
}

/**
 * Validates the input of a method.
 * @throws ControlError 400 that names the invalid fields
 */
export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  return validate(schema, input, (issue) => {
    const { code, path } = issue;
    if (code === "unrecognized_keys") {
      return withPath({ path, message: unknownKeyMessage(issue.keys[0] ?? "", schema, path) });
    }
    if (code === "invalid_type" && path.length === 0) {
      return `what is asked for must be an object, with such keys as ${knownKeys(schema).join(", ")}`;
    }
    return withPath(issue);
  });
}

function validate<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  messageOf: (issue: z.core.$ZodIssue) => string,
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new ControlError(400, describeIssues(result.error.issues, messageOf));
}

/** A query parameter that is a whole number. */
export const wholeNumber = (min: number, max: number, error: string) =>
  z
    .string()
    .regex(/^[0-9]{1,15}$/, { error, abort: true })
    .transform(Number)
    .pipe(z.number().min(min, error).max(max, error));

/** An amount as a string or a number, in minor units. */
export const amount = z
  .union([z.string(), z.number()], {
    error: ({ input }) => {
      if (input === undefined) return "is required";
      return input === Number.POSITIVE_INFINITY ? amountTooLarge : decimalExpected;
    },
  })
  .transform((value, context) => {
    const minor = typeof value === "string" ? parseDecimal(value) : parseJsonNumber(String(value));
    if (minor !== undefined && minor <= greatestMinor) return minor;
    context.addIssue({ code: "custom", message: minor === undefined ? decimalExpected : amountTooLarge });
    return z.NEVER;
  });

export const amountAboveZero = amount.refine((minor) => minor > 0, "must be above 0");

export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, "must be an ISO 4217 code in capital letters, such as GBP");
