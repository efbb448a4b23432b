import * as z from "zod";
import { amountTooLarge, decimalExpected, greatestMinor } from "../contract/amount.ts";
import { parseDecimal, parseJsonNumber } from "../rules/money.ts";

/** A decimal in quotes, or a number that is one, in minor units. */
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

/** The same, and above 0. */
export const amountAboveZero = amount.refine((minor) => minor > 0, "must be above 0");

export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, "must be an ISO 4217 code in capital letters, such as GBP");
