import type { InvoiceId } from "../contract/identifiers.ts";
import type { InvoiceStatus } from "../contract/invoice.ts";
import {
  type Database,
  inserted,
  type Listed,
  limitParameter,
  nextPosition,
  optional,
  type Page,
} from "./database.ts";

/** An invoice. Its total is its net amount and its VAT. */
export interface InvoiceRecord {
  readonly pk: number;
  readonly id: InvoiceId;
  readonly companyPk: number;
  readonly number: string;
  readonly status: InvoiceStatus;
  readonly currency: string;
  readonly netMinor: number;
  readonly vatMinor: number;
  /** An ISO date in the UK, like every date of an invoice. */
  readonly issuedOn: string;
  readonly dueOn: string;
  readonly periodStart: string;
  readonly periodEnd: string;
  readonly paidAtMs: number | null;
}

const insert = `
  INSERT INTO invoices (id, company_pk, number, status, currency, net_minor, vat_minor, issued_on, due_on,
    period_start, period_end, paid_at_ms, position)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${nextPosition("invoices", "company_pk")}) RETURNING pk`;

export function insertInvoice(database: Database, invoice: Omit<InvoiceRecord, "pk">): InvoiceRecord {
  const { id, companyPk, number, status, currency, netMinor, vatMinor } = invoice;
  const { issuedOn, dueOn, periodStart, periodEnd, paidAtMs } = invoice;
  const identity = [id, companyPk, number, status, currency, netMinor, vatMinor];
  const dates = [issuedOn, dueOn, periodStart, periodEnd, paidAtMs];
  return { ...invoice, pk: inserted(database.get(insert, ...identity, ...dates, companyPk)) };
}

const selected = `
  SELECT pk, position, id, company_pk AS companyPk, number, status, currency, net_minor AS netMinor,
    vat_minor AS vatMinor, issued_on AS issuedOn, due_on AS dueOn, period_start AS periodStart,
    period_end AS periodEnd, paid_at_ms AS paidAtMs
  FROM invoices`;

/** Finds an invoice of any company. */
export function findInvoice(database: Database, id: string): InvoiceRecord | undefined {
  return database.get(`${selected} WHERE id = ?`, id.toLowerCase());
}

export function invoiceOfCompany(
  database: Database,
  companyPk: number,
  id: InvoiceId,
): InvoiceRecord | undefined {
  return database.get(`${selected} WHERE company_pk = ? AND id = ?`, companyPk, id);
}

export interface InvoiceFilters extends Page {
  readonly status?: readonly InvoiceStatus[] | undefined;
  /** Issued on this date or later. */
  readonly from?: string | undefined;
  /** Issued before this date. */
  readonly to?: string | undefined;
}

const list = `
  ${selected}
  WHERE company_pk = ? AND position < coalesce(?, 9007199254740991)
    AND (? IS NULL OR status IN (SELECT value FROM json_each(?)))
    AND (? IS NULL OR issued_on >= ?)
    AND (? IS NULL OR issued_on < ?)
  ORDER BY position DESC ${limitParameter}`;

export function pageOfInvoices(
  database: Database,
  companyPk: number,
  { status, from, to, before, limit }: InvoiceFilters,
): Listed<InvoiceRecord>[] {
  const filters = optional(status && JSON.stringify(status), from, to);
  return database.all(list, companyPk, before ?? null, ...filters, limit);
}

export function setInvoiceStatus(
  database: Database,
  pk: number,
  status: InvoiceStatus,
  paidAtMs: number | null,
): void {
  database.run("UPDATE invoices SET status = ?, paid_at_ms = ? WHERE pk = ?", status, paidAtMs, pk);
}
