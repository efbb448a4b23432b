import * as z from "zod";
import { mustBe, oneOf } from "./expected.ts";

/** A UUID of any version, in either letter case; converted to lower case, so that ids compare by `===`. */
export const uuid = z.guid(mustBe("a UUID")).toLowerCase();

export const companyId = uuid.brand<"CompanyId">();
export type CompanyId = z.output<typeof companyId>;

export const memberId = uuid.brand<"MemberId">();
export type MemberId = z.output<typeof memberId>;

export const accountId = uuid.brand<"AccountId">();
export type AccountId = z.output<typeof accountId>;

export const cardId = uuid.brand<"CardId">();
export type CardId = z.output<typeof cardId>;

export const transactionId = uuid.brand<"TransactionId">();
export type TransactionId = z.output<typeof transactionId>;

export const invoiceId = uuid.brand<"InvoiceId">();
export type InvoiceId = z.output<typeof invoiceId>;

/** The environments share nothing (spec §5.3). */
export const environment = oneOf(["sandbox", "live"]);
export type Environment = z.output<typeof environment>;

/** The order's `Idempotency-Key` (spec §4): any UUID, compared case-folded. */
export const idempotencyKey = uuid.brand<"IdempotencyKey">();
export type IdempotencyKey = z.output<typeof idempotencyKey>;
