import * as z from "zod";
import { mustBe, oneOf, shownValue } from "./expected.ts";

/**
 * The largest amount in minor units (assumed: the spec shows no bound). It is far above any real amount, every amount
 * up to it fits the 15 significant digits of a JSON number, and sums of two stay exact in a double.
 */
export const greatestMinor = 10 ** 15 - 1;

/** The same as a decimal. */
export const greatestAmount = "9999999999999.99";

/** The message for an amount beyond it. */
export const amountTooLarge = `must be at most ${greatestAmount}`;

/** The message for a value that cannot be the amount of a limit. */
export const amountExpected = 'must be a decimal above 0 with at most two decimal places, such as "250.00"';

/** A decimal as the service writes it: digits, a point, two places. */
export const decimal = z.string().regex(/^[0-9]+\.[0-9]{2}$/);

/** A decimal with two places that may be below zero, as a balance may. */
export const signedDecimal = z.string().regex(/^-?[0-9]+\.[0-9]{2}$/);

/** A decimal in a request: at most 13 digits before the point and two after. */
export const decimalInput = /^[0-9]{1,13}(\.[0-9]{1,2})?$/;

/** Describes it in a message. */
export const decimalForm =
  'a decimal with at most 13 digits before and 2 after the decimal point, such as "250.00"';

/** The message for text that does not match it. */
export const decimalExpected = `must be ${decimalForm}`;

/** Spending-limit periods follow the UK calendar (spec §2). */
export const spendingLimitPeriod = oneOf(["daily", "weekly", "monthly", "lifetime"]);
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
          if (typeof input !== "number") return `must be a string or a number, but is ${shownValue(input)}`;
          // A number that overflows a double, such as 1e999.
          return input > 0 ? amountTooLarge : amountExpected;
        },
      },
    ),
  },
  mustBe("an object"),
);
