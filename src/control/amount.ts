import * as z from "zod";
import { parseDecimal, parseJsonNumber } from "../core/money.ts";

const message = 'must be a decimal with up to two places and ten digits before the point, such as "12.50"';

/** Far below what a double carries exactly, so that no history of such amounts exceeds it. */
const greatestMinor = 10n ** 12n;

/** A decimal in quotes, or a number that is one, in minor units. */
export const amount = z
  .union([z.string(), z.number()], { error: ({ input }) => (input === undefined ? "is required" : message) })
  .transform((value, context) => {
    const minor = typeof value === "string" ? parseDecimal(value) : parseJsonNumber(String(value));
    if (minor !== undefined && minor < greatestMinor) return Number(minor);
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

/** The same, and above 0. */
export const amountAboveZero = amount.refine((minor) => minor > 0, "must be above 0");

export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, "must be an ISO 4217 code in capital letters, such as GBP");
