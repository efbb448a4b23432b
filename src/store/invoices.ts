import type { InvoiceId } from "../contract/identifiers.ts";
import type { InvoiceStatus } from "../contract/invoice.ts";
import type { Database, Listed, Page } from "./database.ts";
import { inserted, nextPosition } from "./inserted.ts";
import type { Store } from "./open-store.ts";

/** An invoice as it is kept; its total is its net and its VAT. */
export interface InvoiceRecord {
  readonly pk: number;
  readonly id: InvoiceId;
  readonly companyPk: number;
  readonly number: string;
  readonly status: InvoiceStatus;
  readonly currency: string;
  readonly netMinor: number;
  readonly vatMinor: number;
  /** ISO dates by the UK calendar, as all of an invoice's. */
  readonly issuedOn: string;
  readonly dueOn: string;
  readonly periodStart: string;
  readonly periodEnd: string;
  readonly paidAtMs: number | null;
}

export interface InvoiceFilters extends Page {
  readonly status?: readonly InvoiceStatus[] | undefined;
  /** Issued on this date or later. */
  readonly from?: string | undefined;
  /** Issued before this date. */
  readonly to?: string | undefined;
}

export interface InvoiceQueries {
  insert(invoice: Omit<InvoiceRecord, "pk">): InvoiceRecord;
  byId(companyPk: number, id: InvoiceId): InvoiceRecord | undefined;
  list(companyPk: number, filters: InvoiceFilters): Listed<InvoiceRecord>[];
  setStatus(pk: number, status: InvoiceStatus, paidAtMs: number | null): void;
}

const columns = `
  pk, position, id, company_pk AS companyPk, number, status, currency, net_minor AS netMinor, vat_minor AS vatMinor,
    issued_on AS issuedOn, due_on AS dueOn, period_start AS periodStart, period_end AS periodEnd,
    paid_at_ms AS paidAtMs
  FROM invoices`;

const byId = `SELECT ${columns} WHERE company_pk = ? AND id = ?`;

const list = `
  SELECT ${columns}
  WHERE company_pk = ? AND position < coalesce(?, 9007199254740991)
    AND (? IS NULL OR status IN (SELECT value FROM json_each(?)))
    AND (? IS NULL OR issued_on >= ?)
    AND (? IS NULL OR issued_on < ?)
  ORDER BY position DESC LIMIT ?`;

const insert = `
  INSERT INTO invoices (id, company_pk, number, status, currency, net_minor, vat_minor, issued_on, due_on,
    period_start, period_end, paid_at_ms, position)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${nextPosition("invoices", "company_pk")}) RETURNING pk`;

export function invoices(database: Database): Store["invoices"] {
  return {
    insert(invoice) {
      const { id, companyPk, number, status, currency, netMinor, vatMinor } = invoice;
      const { issuedOn, dueOn, periodStart, periodEnd, paidAtMs } = invoice;
      const identity = [id, companyPk, number, status, currency, netMinor, vatMinor];
      const dates = [issuedOn, dueOn, periodStart, periodEnd, paidAtMs];
      return { ...invoice, pk: inserted(database.get(insert, ...identity, ...dates, companyPk)) };
    },
    byId: (companyPk, id) => database.get<InvoiceRecord>(byId, companyPk, id),
    list(companyPk, { status, from, to, before, limit }) {
      const asked = [status && JSON.stringify(status), from, to].flatMap((value) => [
        value ?? null,
        value ?? null,
      ]);
      return database.all<Listed<InvoiceRecord>>(list, companyPk, before ?? null, ...asked, limit);
    },
    setStatus(pk, status, paidAtMs) {
      database.run("UPDATE invoices SET status = ?, paid_at_ms = ? WHERE pk = ?", status, paidAtMs, pk);
    },
  };
}

/** An invoice by its id, whichever company's it is. */
export function findInvoice(database: Database, id: string): InvoiceRecord | undefined {
  return database.get<InvoiceRecord>(`SELECT ${columns} WHERE id = ?`, id.toLowerCase());
}
