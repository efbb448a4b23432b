import type { Context } from "hono";
import * as z from "zod";
import { amountTooLarge, decimalExpected, greatestMinor } from "../contract/amount.ts";
import { quoted } from "../rules/errors.ts";
import {
  describeIssues,
  didYouMean,
  expected,
  knownKeys,
  unknownKeyMessage,
  usualMessage,
  withPath,
} from "../rules/issues.ts";
import { parseDecimal, parseJsonNumber } from "../rules/money.ts";
import { readBytes } from "../runtime/read-bytes.ts";
import { ControlError } from "./errors.ts";

/** Five times the size of a company with hundreds of members and cards. */
const largestBody = 1024 * 1024;

/** A query parameter that is true or false. */
export const flag = () =>
  z
    .enum(["true", "false"], "must be true or false")
    .transform((word) => word === "true")
    .optional();

/**
 * Reads a request's JSON body for a method that validates it; an empty body counts as `{}`.
 * @throws ControlError 400 if it is not JSON, 413 if it is too large
 */
export async function readJson<Input>(c: Context): Promise<Input> {
  const text = await readText(c, largestBody, "body: must be at most 1 MiB");
  try {
    return JSON.parse(text.trim() === "" ? "{}" : text);
  } catch {
    throw new ControlError(400, "body: must be valid JSON");
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
  if (repeated !== undefined) throw new ControlError(400, `${repeated}: must be sent only once`);
  const present = Object.entries(headers).filter(([, value]) => value !== undefined);
  const query = Object.fromEntries([...sent.map(([name, [value]]) => [name, value]), ...present]);
  return validate(schema, query, (issue) =>
    issue.code === "unrecognized_keys"
      ? `unknown parameter ${quoted(issue.keys[0] ?? "")}${didYouMean(issue.keys[0] ?? "", knownKeys(schema))}`
      : withPath(issue),
  );
}

/**
 * Validates the input of a method. The control API's schemas are `z.lazy`: most tests use few of them, and making all
 * takes 4 % of the processor time of import and `createSandbox()`.
 * @throws ControlError 400 that names the invalid fields
 */
export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  return validate(schema, input, (issue) => {
    const { code, path } = issue;
    if (code === "unrecognized_keys") {
      return withPath({ path, message: unknownKeyMessage(issue.keys[0] ?? "", schema, path) });
    }
    if (code === "invalid_type" && path.length === 0) {
      return `body: must be a JSON object. Allowed keys: ${knownKeys(schema).join(", ")}`;
    }
    return withPath(issue);
  });
}

function validate<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  messageOf: (issue: z.core.$ZodIssue) => string,
): z.output<Schema> {
  const result = schema.safeParse(input, { error: messageOfSchema });
  if (result.success) return result.data;
  throw new ControlError(400, describeIssues(result.error.issues, messageOf));
}

/** Only the merchant of a payment has alternatives. */
function messageOfSchema(issue: z.core.$ZodRawIssue): string | undefined {
  return issue.code === "invalid_union"
    ? "must be a string, or an object with the allowed keys and values"
    : usualMessage(issue);
}

/** The error message of a field, for its schema: the allowed values, and the value that was sent. */
export const mustBe =
  (allowed: string) =>
  ({ input }: { readonly input?: unknown }) =>
    expected(allowed, input);

/** A required text. */
export const requiredText = (allowed: string) => z.string({ error: mustBe(allowed) });

/** A query parameter that is an integer. */
export const wholeNumber = (min: number, max: number, allowed: string) => {
  const error = mustBe(allowed);
  return z
    .string()
    .regex(/^[0-9]{1,15}$/, { error, abort: true })
    .transform(Number)
    .pipe(z.int().min(min, { error }).max(max, { error }));
};

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

export const amountAboveZero = amount.refine((minor) => minor > 0, "must be greater than 0");

export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, { error: mustBe('an ISO 4217 code in capital letters, such as "GBP"') });
