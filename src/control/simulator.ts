import * as z from "zod";
import { accountId, cardId, transactionId } from "../contract/identifiers.ts";
import type { Invoice } from "../contract/invoice.ts";
import { type Merchant, merchant, type Transaction } from "../contract/transaction.ts";
import { authorise } from "../payments/authorise.ts";
import { invoiceOf, issueInvoice, settleInvoice } from "../payments/invoice.ts";
import { fund, transactionOf } from "../payments/ledger.ts";
import { clear, refund, reverse } from "../payments/settle.ts";
import { companyNow } from "../rules/clock.ts";
import { quoted } from "../rules/errors.ts";
import type { Services } from "../runtime/services.ts";
import { clockOffsetOf } from "../store/companies.ts";
import { findInvoice, pageOfInvoices } from "../store/invoices.ts";
import type { TransactionRecord } from "../store/transactions.ts";
import { ControlError, limits, refuseOver, simulate } from "./errors.ts";
import { amount, amountAboveZero, currency, mustBe, parse, readJson, requiredText } from "./input.ts";
import { requireCompany } from "./lookup.ts";
import type { ControlHandlers } from "./operations.ts";

const defaultMerchant: Merchant = { name: "Corner Shop", mcc: "5411", city: "London", country: "GB" };
const cashMachine: Merchant = { name: "Cash machine", mcc: "6011", city: "London", country: "GB" };

const longest = 200;
const shopName = z.string().min(1).max(longest);
const place = z.string().max(longest);

export const newAuthorisation = z.lazy(() =>
  z.strictObject({
    card_id: cardId,
    amount: amountAboveZero,
    currency: currency.optional(),
    /** The merchant's name, or the fields that differ from the default merchant. */
    merchant: z
      .union(
        [shopName, z.strictObject({ name: shopName, city: place, country: place }).partial()],
        `must be a name, or an object with the keys name, city and country: strings with at most ${longest} characters`,
      )
      .optional(),
    mcc: merchant.shape.mcc.optional(),
    channel: z.enum(["online", "in_person", "atm"]).default("in_person"),
  }),
);

/** The amount is in the currency of the authorization; default: the whole hold. */
export const newClearing = z.lazy(() =>
  z.strictObject({
    amount: amountAboveZero.optional(),
    final: z.boolean().default(false),
  }),
);
export const newReversal = z.lazy(() => z.strictObject({ amount: amountAboveZero.optional() }));
export const newRefund = z.lazy(() =>
  z.strictObject({
    transaction_id: transactionId,
    amount: amountAboveZero.optional(),
  }),
);
export const newFunding = z.lazy(() => z.strictObject({ account_id: accountId, amount: amountAboveZero }));

/** Simulates merchants and banks. */
export class Simulator {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * Simulates a merchant's authorization request.
   * @returns the payment, pending or declined
   */
  authorise(input: z.input<typeof newAuthorisation>): Transaction {
    const wanted = parse(newAuthorisation, input);
    const isCash = wanted.channel === "atm";
    return this.#transaction(() =>
      authorise(this.#services, {
        cardId: wanted.card_id,
        originalMinor: wanted.amount,
        currency: wanted.currency,
        merchant: merchantOf(wanted, isCash ? cashMachine : defaultMerchant),
        type: isCash ? "atm" : "card_payment",
      }),
    );
  }

  /**
   * Clears a pending payment: the merchant captures the authorized amount, a smaller or a larger one.
   * @throws ControlError 409 if it is not pending
   */
  clear(id: string, input: z.input<typeof newClearing> = {}): Transaction {
    const { amount, final } = parse(newClearing, input);
    return this.#transaction(() => clear(this.#services, idOf(id), amount, final));
  }

  /**
   * Reverses a pending payment, or a part of it.
   * @throws ControlError 409 if it is not pending or holds less
   */
  reverse(id: string, input: z.input<typeof newReversal> = {}): Transaction {
    const { amount } = parse(newReversal, input);
    return this.#transaction(() => reverse(this.#services, idOf(id), amount));
  }

  /**
   * Expires an authorization that the merchant never clears.
   * @throws ControlError 409 if it is not pending
   */
  expire(id: string): Transaction {
    return this.#transaction(() => reverse(this.#services, idOf(id), undefined));
  }

  /**
   * Refunds a completed payment, or a part of it.
   * @throws ControlError 409 if it took nothing or less is left
   */
  refund(input: z.input<typeof newRefund>): Transaction {
    const { transaction_id, amount } = parse(newRefund, input);
    return this.#transaction(() => refund(this.#services, transaction_id, amount));
  }

  /** @throws ControlError 409 if it is closed */
  topUp(input: z.input<typeof newFunding>): Transaction {
    const { account_id, amount } = parse(newFunding, input);
    return this.#transaction(() => fund(this.#services, "topup", account_id, amount));
  }

  /** @throws ControlError 409 if it is closed */
  charge(input: z.input<typeof newFunding>): Transaction {
    const { account_id, amount } = parse(newFunding, input);
    return this.#transaction(() => fund(this.#services, "fee", account_id, amount));
  }

  #transaction(operation: () => TransactionRecord): Transaction {
    return transactionOf(simulate(operation));
  }
}

function merchantOf(
  { merchant: shop, mcc }: z.output<typeof newAuthorisation>,
  defaults: Merchant,
): Merchant {
  const { name, city, country } = typeof shop === "string" ? { name: shop } : { ...shop };
  return {
    name: name ?? defaults.name,
    mcc: mcc ?? defaults.mcc,
    city: city ?? defaults.city,
    country: country ?? defaults.country,
  };
}

/** Any text: one that is no id names no transaction. */
function idOf(text: string) {
  return text.toLowerCase() as z.output<typeof transactionId>;
}

const day = z.iso.date({ error: mustBe('an ISO 8601 date, such as "2026-03-10"') });

export const newInvoice = z.lazy(() =>
  z.strictObject({
    company: requiredText("the id, slug or live/SLUG of a company"),
    currency: currency.default("GBP"),
    net: amount.prefault("10.00"),
    vat: amount.optional(),
    issued_on: day.optional(),
    due_on: day.optional(),
    period_start: day.optional(),
    period_end: day.optional(),
  }),
);

/** Issues and settles the invoices of the service to its companies. */
export class Invoices {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  create(input: z.input<typeof newInvoice>): Invoice {
    const wanted = parse(newInvoice, input);
    const { database, clock } = this.#services;
    return database.transaction(() => {
      const company = requireCompany(database, wanted.company);
      const [latest] = pageOfInvoices(database, company.pk, { limit: 1 });
      const most = limits.invoices;
      const message = `a company can have at most ${most} invoices. Reset the company (POST /_sandbox/reset) or delete it (DELETE /_sandbox/companies/NAME).`;
      refuseOver(most, (latest?.position ?? 0) + 1, message);
      const charge = {
        companyPk: company.pk,
        companyId: company.id,
        currency: wanted.currency,
        netMinor: wanted.net,
        vatMinor: wanted.vat,
        issuedOn: wanted.issued_on,
        dueOn: wanted.due_on,
        periodStart: wanted.period_start,
        periodEnd: wanted.period_end,
      };
      return invoiceOf(issueInvoice(this.#services, charge, companyNow(clock, company.clockOffsetMs)));
    });
  }

  /** @throws ControlError 409 if it is settled */
  settle(id: string, status: "paid" | "void"): Invoice {
    const { database, clock } = this.#services;
    return database.transaction(() => {
      const invoice = findInvoice(database, id);
      if (!invoice)
        throw new ControlError(
          404,
          `id: no invoice has the id ${quoted(id)}. GET /developer/company/invoices lists the invoices of a company.`,
        );
      const nowMs = companyNow(clock, clockOffsetOf(database, invoice.companyPk));
      return invoiceOf(simulate(() => settleInvoice(this.#services, invoice, status, nowMs)));
    });
  }
}

/** @internal */
export function simulatorHandlers(
  simulator: Simulator,
  invoices: Invoices,
): ControlHandlers<SimulatorOperation> {
  return {
    simulateAuthorisation: async (c) => c.json(simulator.authorise(await readJson(c)), 201),
    clearAuthorisation: async (c) => c.json(simulator.clear(c.req.param("id"), await readJson(c))),
    reverseAuthorisation: async (c) => c.json(simulator.reverse(c.req.param("id"), await readJson(c))),
    expireAuthorisation: (c) => c.json(simulator.expire(c.req.param("id"))),
    simulateRefund: async (c) => c.json(simulator.refund(await readJson(c)), 201),
    simulateTopUp: async (c) => c.json(simulator.topUp(await readJson(c)), 201),
    simulateFee: async (c) => c.json(simulator.charge(await readJson(c)), 201),
    createInvoice: async (c) => c.json(invoices.create(await readJson(c)), 201),
    payInvoice: (c) => c.json(invoices.settle(c.req.param("id"), "paid")),
    voidInvoice: (c) => c.json(invoices.settle(c.req.param("id"), "void")),
  };
}

type SimulatorOperation =
  | "simulateAuthorisation"
  | "clearAuthorisation"
  | "reverseAuthorisation"
  | "expireAuthorisation"
  | "simulateRefund"
  | "simulateTopUp"
  | "simulateFee"
  | "createInvoice"
  | "payInvoice"
  | "voidInvoice";
