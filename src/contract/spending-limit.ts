import * as z from "zod";

/** Spending-limit periods follow the UK calendar (spec §2). */
export const spendingLimitPeriod = z.enum(["daily", "weekly", "monthly", "lifetime"], {
  error: ({ input }) =>
    input === undefined ? "is required" : "must be one of daily, weekly, monthly, lifetime",
});
export type SpendingLimitPeriod = z.output<typeof spendingLimitPeriod>;

/** A decimal as the service writes it: digits, a point, two places. */
export const decimal = z.string().regex(/^[0-9]+\.[0-9]{2}$/);

/** A decimal above 0, as it may be sent in a string. */
const decimalInput = "^(?!0+(\\.0{1,2})?$)[0-9]+(\\.[0-9]{1,2})?$";

/**
 * SpendingLimitInput (spec §2). Here `amount` is judged by its type alone; its value is a decimal of any
 * length, so core/money.ts reads it exactly: a string as it stands, a number by the digits that were sent.
 */
export const spendingLimitInput = z.object(
  {
    period: spendingLimitPeriod,
    amount: z.union([z.string().meta({ pattern: decimalInput }), z.number().meta({ exclusiveMinimum: 0 })], {
      error: ({ input }) => {
        if (input === undefined) return "is required";
        return typeof input === "number"
          ? "is too large for a number: send it as a string"
          : "must be a string or a number";
      },
    }),
  },
  { error: "must be an object" },
);
