import * as z from "zod";
import { decimal, signedDecimal } from "./amount.ts";
import { oneOf } from "./expected.ts";
import { accountId, cardId, transactionId } from "./identifiers.ts";

export const transactionType = oneOf([
  "card_payment",
  "card_refund",
  "atm",
  "transfer",
  "exchange",
  "fee",
  "topup",
]);
export type TransactionType = z.output<typeof transactionType>;

/** `pending` holds money, `completed` moved it, `declined` never held any, `reverted` released the money that it held. */
export const transactionStatus = oneOf(["pending", "completed", "declined", "reverted"]);
export type TransactionStatus = z.output<typeof transactionStatus>;

export const transactionDirection = oneOf(["credit", "debit"]);
export type TransactionDirection = z.output<typeof transactionDirection>;

/** Why a payment was declined. */
export const declineReason = z.enum([
  "card_not_active",
  "card_frozen",
  "card_suspended",
  "card_locked",
  "card_blocked",
  "card_expired",
  "card_terminated",
  "company_not_active",
  "account_closed",
  "card_limit_exceeded",
  "spending_limit_exceeded",
  "insufficient_funds",
]);
export type DeclineReason = z.output<typeof declineReason>;

export const merchant = z.strictObject({
  name: z.string(),
  /** Merchant category code, ISO 18245. */
  mcc: z.string().regex(/^[0-9]{4}$/, 'must be a string of four digits, such as "5411"'),
  city: z.string(),
  country: z.string(),
});
export type Merchant = z.output<typeof merchant>;

/**
 * Transaction (assumed). `amount` is in the account's currency, `original_amount` in the merchant's: `amount` is
 * `original_amount` × `exchange_rate`, rounded half up to two places.
 */
export const transaction = z.strictObject({
  id: transactionId,
  account_id: accountId,
  card_id: cardId.nullable(),
  type: transactionType,
  status: transactionStatus,
  direction: transactionDirection,
  amount: decimal,
  currency: z.string(),
  original_amount: decimal,
  original_currency: z.string(),
  /** Units of `currency` for one unit of `original_currency`; null if both are the same. */
  exchange_rate: z.string().nullable(),
  /** The balance of the account after this transaction; null unless it is `completed`. */
  running_balance: signedDecimal.nullable(),
  merchant: merchant.nullable(),
  decline_reason: declineReason.nullable(),
  related_transaction_id: transactionId.nullable(),
  created_at: z.iso.datetime(),
  completed_at: z.iso.datetime().nullable(),
});
export type Transaction = z.output<typeof transaction>;
