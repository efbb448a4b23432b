import * as z from "zod";
import { decimal } from "./amount.ts";
import { oneOf } from "./expected.ts";
import { invoiceId } from "./identifiers.ts";

export const invoiceStatus = oneOf(["open", "paid", "void"]);
export type InvoiceStatus = z.output<typeof invoiceStatus>;

/** An invoice of the service to the company (assumed). */
export const invoice = z.strictObject({
  id: invoiceId,
  number: z.string(),
  status: invoiceStatus,
  currency: z.string(),
  net: decimal,
  vat: decimal,
  total: decimal,
  issued_on: z.iso.date(),
  due_on: z.iso.date(),
  paid_at: z.iso.datetime().nullable(),
  period_start: z.iso.date(),
  period_end: z.iso.date(),
  pdf_url: z.url(),
});
export type Invoice = z.output<typeof invoice>;
