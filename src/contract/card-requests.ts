import * as z from "zod";
import { decimal, spendingLimitInput } from "./amount.ts";
import { codePointLength, deliveryAddress, deliveryMethod } from "./delivery-address.ts";
import { accountId } from "./identifiers.ts";

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

const object = { error: "the body must be a JSON object" };
const { account_id, pin, auto_convert, spending_limit } = physicalCardOrder.shape;
/** The limit applies after trimming. The specified order's name has no limit. */
const name = physicalCardOrder.shape.name
  .unwrap()
  .refine((text) => codePointLength(text) <= 100, "must be at most 100 characters")
  .meta({ pattern: "^\\s*(\\S([\\s\\S]{0,98}\\S)?)?\\s*$" })
  .optional();

/** The body of `POST /developer/cards/virtual` (assumed): an order without the delivery. */
export const virtualCardOrder = z.object({ account_id, name, auto_convert, spending_limit }, object);

/** Why a card is replaced (assumed): a lost or stolen one gets a new number. */
export const replacementReason = z.enum(["lost", "stolen", "damaged", "expiring"], {
  error: ({ input }) =>
    input === undefined ? "is required" : "must be one of lost, stolen, damaged, expiring",
});
export type ReplacementReason = z.output<typeof replacementReason>;

/** The body of `POST /developer/cards/{id}/replace` (assumed) for a card that is delivered. */
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
    "the body must hold name, auto_convert, or both",
  )
  .meta({ minProperties: 1, anyOf: [{ required: ["name"] }, { required: ["auto_convert"] }] });

/** The body of `POST /developer/cards/delivery-options` (assumed). */
export const deliveryOptionsRequest = z.object({ delivery_address: deliveryAddress }, object);

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
