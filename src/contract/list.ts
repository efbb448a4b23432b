import * as z from "zod";
import { decimalForm, decimalInput } from "./amount.ts";
import { cardStatus, cardType } from "./card.ts";
import type { Contract } from "./dialect.ts";
import { mustBe } from "./expected.ts";
import { accountId, cardId, memberId } from "./identifiers.ts";
import { invoiceStatus } from "./invoice.ts";
import { transactionDirection, transactionStatus, transactionType } from "./transaction.ts";

/** The most results on a page (assumed). */
export const greatestLimit = 100;
const limitError = mustBe(`an integer from 1 to ${greatestLimit}`);

/** A filter with one value. */
function once<Schema extends z.ZodType<unknown, string>>(schema: Schema) {
  return z
    .array(z.string())
    .length(1, "must be sent only once")
    .transform(([value]) => value as string)
    .pipe(schema as z.ZodType<z.output<Schema>, string>)
    .optional();
}

/** A filter with several values, repeated or comma-separated. */
function several<Schema extends z.ZodType<unknown, string>>(schema: Schema, most = 100) {
  return z
    .array(z.string())
    .transform((values) => values.flatMap((value) => value.split(",")))
    .pipe(
      z.array(schema as z.ZodType<z.output<Schema>, string>).max(most, `must have at most ${most} values`),
    )
    .optional();
}

const digits = (least: number, expected = mustBe(`an integer of at least ${least}`)) =>
  z
    .string()
    .regex(/^[0-9]{1,9}$/, expected)
    .transform(Number)
    .pipe(z.int(expected).min(least, expected));

const limit = once(
  z
    .string()
    .regex(/^[0-9]{1,3}$/, limitError)
    .transform(Number)
    .pipe(z.int(limitError).min(1, limitError).max(greatestLimit, limitError)),
);
const unboundedLimit = once(digits(1));
const cursor = once(z.string().min(1, "must be the next_cursor of the previous page"));
const offset = once(digits(0));
const page = once(digits(1));

/** The query parameters of every list, in addition to its filters (assumed). */
export function pagingParameters({
  choices,
}: Pick<Contract, "choices">): Readonly<Record<string, typeof limit | typeof cursor>> {
  const size = choices["lists.limit_over_maximum"] === "clamped" ? unboundedLimit : limit;
  switch (choices["lists.paging"]) {
    case "cursor":
      return { limit: size, cursor };
    case "offset":
      return { limit: size, offset };
    case "page":
      return { per_page: size, page };
  }
}

/** The number of results on a page that was asked for without one. */
export function defaultLimit({ choices }: Pick<Contract, "choices">): number {
  return Number(choices["lists.page_size"]);
}

/** The response of every list (assumed), without a dialect. */
export const listOf = <Row extends z.ZodType>(row: Row) =>
  z.object({ data: z.array(row), has_more: z.boolean(), next_cursor: z.string().nullable() });

/** The filters of `GET /developer/cards`. `tokens` is specified (§2), the others are assumed. */
export const cardFilters = {
  tokens: several(z.string().regex(/^[0-9]+$/, mustBe("a card token (digits only)"))),
  account_id: once(accountId),
  user_id: once(memberId),
  status: several(cardStatus),
  type: once(cardType),
};

const instant = z.iso
  .datetime({
    offset: true,
    ...mustBe("an ISO 8601 timestamp with a UTC offset, such as 2026-03-10T00:00:00Z"),
  })
  .transform((text) => Date.parse(text));

/** A decimal, converted to minor units. */
const amount = z
  .string()
  .regex(decimalInput, mustBe(decimalForm))
  .transform((text) => {
    const [whole = "", places = ""] = text.split(".");
    return Number(whole + places.padEnd(2, "0"));
  });

/**
 * The filters of `GET /developer/transactions` (assumed). `from` and `to` refer to the time of creation; `from` is
 * inclusive, `to` exclusive. Amounts are in the account's currency.
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

const date = z.iso.date(mustBe("an ISO 8601 date, such as 2026-03-01"));

/** The filters of `GET /developer/company/invoices` (assumed), by date of issue: `from` is inclusive, `to` exclusive. */
export const invoiceFilters = { status: several(invoiceStatus), from: once(date), to: once(date) };

/** For lists without filters. */
export const noFilters = {};
