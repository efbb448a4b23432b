import type { CompanyId, InvoiceId } from "../contract/identifiers.ts";
import type { Invoice } from "../contract/invoice.ts";
import { SimulationRefused } from "../rules/errors.ts";
import { formatMinor } from "../rules/money.ts";
import { uuidOf } from "../rules/random.ts";
import { daysLater, londonDate, monthBefore } from "../rules/uk-calendar.ts";
import type { Services } from "../runtime/services.ts";
import { type InvoiceRecord, insertInvoice, setInvoiceStatus } from "../store/invoices.ts";
import { nextNumber } from "../store/meta.ts";
import { emit } from "../webhooks/events.ts";

/** The fields of a new invoice. */
export interface Charge {
  readonly companyPk: number;
  readonly companyId: CompanyId;
  readonly currency: string;
  readonly netMinor: number;
  /** Default: a fifth of the net amount, the UK's standard rate. */
  readonly vatMinor?: number | undefined;
  /** ISO date; default: today. */
  readonly issuedOn?: string | undefined;
  /** Default: 30 days after the issue. */
  readonly dueOn?: string | undefined;
  /** Default: the month before the issue. */
  readonly periodStart?: string | undefined;
  readonly periodEnd?: string | undefined;
}

/** Issues an invoice. */
export function issueInvoice(services: Services, charge: Charge, nowMs: number): InvoiceRecord {
  const { database, random } = services;
  const { companyPk, companyId, currency, netMinor } = charge;
  const n = nextNumber(database, companyPk, "invoices");
  const issuedOn = charge.issuedOn ?? londonDate(nowMs);
  const month = monthBefore(issuedOn);
  const issued = insertInvoice(database, {
    id: uuidOf(random.block("invoice", companyId, n)) as InvoiceId,
    companyPk,
    number: `INV-${String(n).padStart(6, "0")}`,
    status: "open",
    currency,
    netMinor,
    vatMinor: charge.vatMinor ?? Math.round(netMinor / 5),
    issuedOn,
    dueOn: charge.dueOn ?? daysLater(issuedOn, 30),
    periodStart: charge.periodStart ?? month.first,
    periodEnd: charge.periodEnd ?? month.last,
    paidAtMs: null,
  });
  emit(services, { companyPk, type: "invoice.created", data: () => invoiceOf(issued) });
  return issued;
}

/**
 * Marks an open invoice as paid or void.
 * @throws SimulationRefused if it is not open
 */
export function settleInvoice(
  services: Services,
  invoice: InvoiceRecord,
  status: "paid" | "void",
  nowMs: number,
): InvoiceRecord {
  if (invoice.status !== "open") {
    throw new SimulationRefused(
      "conflict",
      `Invoice ${invoice.number} is already ${invoice.status}. Only an open invoice can be paid or voided.`,
    );
  }
  const paidAtMs = status === "paid" ? nowMs : null;
  setInvoiceStatus(services.database, invoice.pk, status, paidAtMs);
  const settled = { ...invoice, status, paidAtMs };
  if (status === "paid") {
    const { companyPk, status } = invoice;
    const extra = { previous_status: status };
    emit(services, { companyPk, type: "invoice.paid", data: () => invoiceOf(settled), extra });
  }
  return settled;
}

/** An invoice in responses. */
export function invoiceOf(record: InvoiceRecord): Invoice {
  return {
    id: record.id,
    number: record.number,
    status: record.status,
    currency: record.currency,
    net: formatMinor(record.netMinor),
    vat: formatMinor(record.vatMinor),
    total: formatMinor(record.netMinor + record.vatMinor),
    issued_on: record.issuedOn,
    due_on: record.dueOn,
    paid_at: record.paidAtMs === null ? null : new Date(record.paidAtMs).toISOString(),
    period_start: record.periodStart,
    period_end: record.periodEnd,
    // This host does not exist: there is no document.
    pdf_url: `https://invoices.example/${record.id}.pdf`,
  };
}
