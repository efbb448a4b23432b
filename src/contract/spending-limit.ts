import * as z from "zod";
import { amountExpected, amountTooLarge, greatestMinor } from "./amount.ts";

/** Spending-limit periods follow the UK calendar (spec §2). */
export const spendingLimitPeriod = z.enum(["daily", "weekly", "monthly", "lifetime"], {
  error: ({ input }) =>
    input === undefined ? "is required" : "must be one of daily, weekly, monthly, lifetime",
});
export type SpendingLimitPeriod = z.output<typeof spendingLimitPeriod>;

/** A decimal above 0, as it may be sent in a string. */
const decimalAboveZero = "^(?!0+(\\.0{1,2})?$)0*[0-9]{1,13}(\\.[0-9]{1,2})?$";

/**
 * SpendingLimitInput (spec §2). This schema checks only the type of `amount`: rules/money.ts parses its value, and
 * reads a number from the digits that were sent, because a double does not keep them.
 */
export const spendingLimitInput = z.object(
  {
    period: spendingLimitPeriod,
    amount: z.union(
      [
        z.string().meta({ pattern: decimalAboveZero }),
        z.number().meta({ exclusiveMinimum: 0, maximum: greatestMinor / 100 }),
      ],
      {
        error: ({ input }) => {
          if (input === undefined) return "is required";
          if (typeof input !== "number") return "must be a string or a number";
          // A number that overflows a double, such as 1e999.
          return input > 0 ? amountTooLarge : amountExpected;
        },
      },
    ),
  },
  { error: "must be an object" },
);
