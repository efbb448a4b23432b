import * as z from "zod";
import type { Invoice } from "../contract/invoice.ts";
import { invoiceOf, issueInvoice, settleInvoice } from "../payments/invoice.ts";
import { companyNow } from "../rules/clock.ts";
import { quoted } from "../rules/errors.ts";
import type { Services } from "../runtime/services.ts";
import { clockOffsetOf } from "../store/companies.ts";
import { findInvoice, pageOfInvoices } from "../store/invoices.ts";
import { amount, currency } from "./amount.ts";
import { ControlError } from "./control-error.ts";
import { limits, refuseOver } from "./limits.ts";
import { companyNamed } from "./named.ts";
import { parsed } from "./read-json.ts";
import { simulated } from "./simulated.ts";

const day = z.iso.date("must be a day of the calendar, such as 2026-03-10");

const newInvoice = z.strictObject({
  company: z.string({ error: "is required: a company's id or slug" }),
  currency: currency.default("GBP"),
  net: amount.prefault("10.00"),
  vat: amount.optional(),
  issued_on: day.optional(),
  due_on: day.optional(),
  period_start: day.optional(),
  period_end: day.optional(),
});

/** What the service charges its companies for: invoices are issued and settled by the tester. */
export class Invoices {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** @throws ControlError 404 where there is no such company */
  create(wanted: z.input<typeof newInvoice>): Invoice {
    const asked = parsed(newInvoice, wanted);
    const { database, clock } = this.#services;
    return database.transaction(() => {
      const company = companyNamed(database, asked.company);
      const [latest] = pageOfInvoices(this.#services.database, company.pk, { limit: 1 });
      const most = limits.invoices;
      const message = `a company has up to ${most} invoices: reset or delete the company`;
      refuseOver(most, (latest?.position ?? 0) + 1, message);
      const charge = {
        companyPk: company.pk,
        companyId: company.id,
        currency: asked.currency,
        netMinor: asked.net,
        vatMinor: asked.vat,
        issuedOn: asked.issued_on,
        dueOn: asked.due_on,
        periodStart: asked.period_start,
        periodEnd: asked.period_end,
      };
      return invoiceOf(issueInvoice(this.#services, charge, companyNow(clock, company.clockOffsetMs)));
    });
  }

  /** @throws ControlError 404 where there is none, 409 where it is settled already */
  settle(id: string, status: "paid" | "void"): Invoice {
    const { database, clock } = this.#services;
    return database.transaction(() => {
      const invoice = findInvoice(database, id);
      if (!invoice) throw new ControlError(404, `no invoice ${quoted(id)}: name it by its id`);
      const nowMs = companyNow(clock, clockOffsetOf(database, invoice.companyPk));
      return invoiceOf(simulated(() => settleInvoice(this.#services, invoice, status, nowMs)));
    });
  }
}
