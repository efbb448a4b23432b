import * as z from "zod";
import { decimal, spendingLimitPeriod } from "./amount.ts";
import { oneOf } from "./expected.ts";
import { accountId, cardId, companyId, memberId, uuid } from "./identifiers.ts";

/** Card states (spec §3). */
export const cardStatus = oneOf([
  "inactive",
  "active",
  "frozen",
  "suspended",
  "locked",
  "blocked",
  "expired",
  "terminated",
]);
export type CardStatus = z.output<typeof cardStatus>;

export const cardType = oneOf(["virtual", "physical"]);
export type CardType = z.output<typeof cardType>;

/** CardSpendingLimit (spec §2); `used` is omitted if it cannot be read or the card has ended. */
const cardSpendingLimit = z.object({
  period: spendingLimitPeriod,
  amount: decimal,
  currency: z.string(),
  used: decimal.optional(),
});

/** CardLimit (spec §2); `used` in list responses only. */
const cardLimit = z.object({ amount: decimal, used: decimal.optional() });

/** CardLimits (spec §2): fixed, and in EUR for accounts of every currency. */
const cardLimits = z.object({
  currency: z.literal("EUR"),
  max_per_purchase: cardLimit,
  daily: cardLimit,
  rolling_32_days: cardLimit,
});

/** Card (spec §2), its fields in the spec's order. */
export const card = z.strictObject({
  id: cardId,
  token: z.string().regex(/^[0-9]+$/),
  company_id: companyId,
  account_id: accountId,
  user_id: memberId,
  type: cardType,
  design_id: uuid,
  status: cardStatus,
  name: z.string(),
  last_four: z.string().regex(/^[0-9]{4}$/),
  expiry_date: z.iso.date(),
  auto_convert: z.boolean(),
  three_ds_biometric: z.boolean(),
  spending_limit: cardSpendingLimit.nullable(),
  card_limits: cardLimits,
  created_at: z.iso.datetime(),
});
export type Card = z.output<typeof card>;
