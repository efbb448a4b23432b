import * as z from "zod";
import { decimalExpected, decimalInput } from "./amount.ts";
import { cardStatus, cardType } from "./card.ts";
import { accountId, cardId, memberId } from "./identifiers.ts";
import { invoiceStatus } from "./invoice.ts";
import { transactionDirection, transactionStatus, transactionType } from "./transaction.ts";

const greatestLimit = 100;

/** A filter that may be given once. */
export function once<Schema extends z.ZodType<unknown, string>>(schema: Schema) {
  return z
    .array(z.string())
    .length(1, "must be given once")
    .transform(([value]) => value as string)
    .pipe(schema as z.ZodType<z.output<Schema>, string>)
    .optional();
}

/** A filter of several values, repeated or parted by commas. */
export function several<Schema extends z.ZodType<unknown, string>>(schema: Schema, most = 100) {
  return z
    .array(z.string())
    .transform((values) => values.flatMap((value) => value.split(",")))
    .pipe(z.array(schema as z.ZodType<z.output<Schema>, string>).max(most, `must be at most ${most}`))
    .optional();
}

/** What every list takes beside its filters (assumed). */
export const paging = {
  limit: once(
    z
      .string()
      .regex(/^[0-9]{1,3}$/, `must be a whole number from 1 to ${greatestLimit}`)
      .transform(Number)
      .pipe(z.int().min(1).max(greatestLimit)),
  ),
  cursor: once(z.string().min(1)),
};

/** The rows of a list and where it goes on, as every list answers (assumed). */
export const listOf = <Row extends z.ZodType>(row: Row) =>
  z.object({ data: z.array(row), has_more: z.boolean(), next_cursor: z.string().nullable() });

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
