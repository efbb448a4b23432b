import * as z from "zod";
import { decimal, spendingLimitInput } from "./amount.ts";
import type { Choices } from "./behaviours.ts";
import { blankLineAddress, codePointLength, deliveryAddress, deliveryMethod } from "./delivery-address.ts";
import { mustBe, oneOf } from "./expected.ts";
import { accountId } from "./identifiers.ts";

const pinExpected = "must be a string of four digits";
const object = mustBe("a JSON object");

/**
 * The body of `POST /developer/cards/physical` (spec §4). Unknown fields are ignored; `null`
 * is not a valid value.
 */
export const physicalCardOrder = z.object(
  {
    account_id: accountId,
    // Its messages never show a PIN.
    pin: z
      .string({ error: ({ input }) => (input === undefined ? "is required" : pinExpected) })
      .regex(/^[0-9]{4}$/, pinExpected),
    delivery_address: deliveryAddress,
    delivery_method: deliveryMethod,
    name: z.string(mustBe("a string")).trim().optional(),
    auto_convert: z.boolean(mustBe("true or false")).optional(),
    spending_limit: spendingLimitInput.optional(),
  },
  object,
);
export type PhysicalCardOrder = z.output<typeof physicalCardOrder>;

const { account_id, pin, auto_convert, spending_limit } = physicalCardOrder.shape;
/** The limit applies to the trimmed name. The name of the specified order has no limit. */
const name = physicalCardOrder.shape.name
  .unwrap()
  .refine((text) => codePointLength(text) <= 100, {
    error: ({ input }) => `must have at most 100 characters, but has ${codePointLength(String(input))}`,
  })
  .meta({ pattern: "^\\s*(\\S([\\s\\S]{0,98}\\S)?)?\\s*$" })
  .optional();

/** The body of `POST /developer/cards/virtual` (assumed): an order without a PIN and a delivery. */
export const virtualCardOrder = z.object({ account_id, name, auto_convert, spending_limit }, object);

/** The reason for a replacement (assumed). A lost or stolen card gets a new number. */
export const replacementReason = oneOf(["lost", "stolen", "damaged", "expiring"]);
export type ReplacementReason = z.output<typeof replacementReason>;

/** The body of `POST /developer/cards/{id}/replace` (assumed) for a physical card. */
export const physicalReplacement = z.object(
  { reason: replacementReason, pin, delivery_address: deliveryAddress, delivery_method: deliveryMethod },
  object,
);

/** The same for a virtual card, which has neither a delivery nor a PIN. */
export const virtualReplacement = z.object({ reason: replacementReason }, object);

/** The body of `PATCH /developer/cards/{id}` (assumed). */
export const cardChange = z
  .object({ name, auto_convert }, object)
  .refine(
    (change) => change.name !== undefined || change.auto_convert !== undefined,
    "must have name, auto_convert or both",
  )
  .meta({ minProperties: 1, anyOf: [{ required: ["name"] }, { required: ["auto_convert"] }] });

/** The body of `POST /developer/cards/delivery-options` (assumed). */
export const deliveryOptionsRequest = z.object({ delivery_address: deliveryAddress }, object);

/** The requests with an address, for contracts that accept a blank line1. */
export const blankLineForms = {
  order: physicalCardOrder.extend({ delivery_address: blankLineAddress }),
  replacement: physicalReplacement.extend({ delivery_address: blankLineAddress }),
  deliveryOptions: deliveryOptionsRequest.extend({ delivery_address: blankLineAddress }),
};

/** The most characters of a name, also in an order of a physical card. */
export function longestName(choice: Choices["card.name_length"]): number {
  return choice === "unlimited" ? Number.POSITIVE_INFINITY : Number(choice);
}

/** Its response (assumed). */
export const deliveryOptions = z.object({
  delivery_methods: z.array(
    z.object({
      method: deliveryMethod,
      estimated_days: z.object({ min: z.int(), max: z.int() }),
      tracked: z.boolean(),
      fee: z.object({ amount: decimal, currency: z.string() }),
    }),
  ),
});
export type DeliveryOptions = z.output<typeof deliveryOptions>;
