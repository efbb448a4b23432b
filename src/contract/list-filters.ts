import * as z from "zod";
import { decimalExpected, decimalInput } from "./amount.ts";
import { cardStatus, cardType } from "./card.ts";
import { accountId, cardId, memberId } from "./identifiers.ts";
import { invoiceStatus } from "./invoice.ts";
import { once, several } from "./list.ts";
import { transactionDirection, transactionStatus, transactionType } from "./transaction.ts";

/** Of `GET /developer/cards`; `tokens` is the spec's (§2), the others are assumed. */
export const cardFilters = {
  tokens: several(z.string().regex(/^[0-9]+$/, "must be card tokens")),
  account_id: once(accountId),
  user_id: once(memberId),
  status: several(cardStatus),
  type: once(cardType),
};

const instant = z.iso
  .datetime({
    offset: true,
    error: "must be an ISO 8601 instant with its offset, such as 2026-03-10T00:00:00Z",
  })
  .transform((text) => Date.parse(text));

/** A decimal, taken as minor units. */
const amount = z
  .string()
  .regex(decimalInput, decimalExpected)
  .transform((text) => {
    const [whole = "", places = ""] = text.split(".");
    return Number(whole + places.padEnd(2, "0"));
  });

/**
 * Of `GET /developer/transactions` (assumed), by when it was made: `from` is included, `to` is not. Amounts are of
 * the account's currency.
 */
export const transactionFilters = {
  account_id: once(accountId),
  card_id: once(cardId),
  type: several(transactionType),
  status: several(transactionStatus),
  direction: once(transactionDirection),
  from: once(instant),
  to: once(instant),
  min_amount: once(amount),
  max_amount: once(amount),
};

const date = z.iso.date("must be an ISO date, such as 2026-03-01");

/** Of `GET /developer/company/invoices` (assumed), by the date of issue: `from` is included, `to` is not. */
export const invoiceFilters = { status: several(invoiceStatus), from: once(date), to: once(date) };

/** Of the lists that take no filter. */
export const noFilters = {};
