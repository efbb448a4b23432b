import * as z from "zod";
import { deliveryAddress, deliveryMethod } from "./delivery-address.ts";
import { accountId } from "./identifiers.ts";
import { spendingLimitInput } from "./spending-limit.ts";

/**
 * The body of `POST /developer/cards/physical` (spec §4). Fields that it does not name are ignored; `null`
 * is no value of any field.
 */
export const physicalCardOrder = z.object(
  {
    account_id: accountId,
    pin: z
      .string({
        error: ({ input }) => (input === undefined ? "is required" : "must be a string of four digits"),
      })
      .regex(/^[0-9]{4}$/, "must be exactly four digits"),
    delivery_address: deliveryAddress,
    delivery_method: deliveryMethod,
    name: z.string("must be a string").trim().optional(),
    auto_convert: z.boolean("must be true or false").optional(),
    spending_limit: spendingLimitInput.optional(),
  },
  { error: "the body must be a JSON object" },
);
export type PhysicalCardOrder = z.output<typeof physicalCardOrder>;
