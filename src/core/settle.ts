import type { TransactionId } from "../contract/identifiers.ts";
import { SimulationRefused } from "./errors.ts";
import { convert } from "./exchange-rates.ts";
import { type Amounts, book, complete, completePart, noteRefunded, release, releasePart } from "./ledger.ts";
import type { TransactionRecord } from "./ledger-ports.ts";
import { formatMinor } from "./money.ts";
import type { Services } from "./services.ts";

/** An amount of the merchant's currency, in minor units; absent: all that is left. */
type OriginalMinor = number | undefined;

/**
 * Clears an authorisation: by all that it holds, or more, it is completed; by less, that part becomes a
 * transaction of its own, and the rest stays held unless this clearing is final.
 * @returns what was completed
 * @throws SimulationRefused where there is none, or it is pending no more
 */
export function clear(
  services: Services,
  id: TransactionId,
  originalMinor: OriginalMinor,
  isFinal: boolean,
): TransactionRecord {
  return services.database.transaction(() => {
    const { payment, nowMs } = pendingOne(services, id);
    const clearedMinor = originalMinor ?? payment.originalMinor;
    if (clearedMinor < payment.originalMinor && !isFinal) {
      return completePart(services, payment, partOf(payment, clearedMinor), nowMs);
    }
    const came: Amounts = {
      amountMinor: convert(clearedMinor, payment.originalCurrency, payment.currency),
      originalMinor: clearedMinor,
      spentEurMinor: convert(clearedMinor, payment.originalCurrency, "EUR"),
    };
    return complete(services, payment, came, nowMs);
  });
}

/**
 * Reverses an authorisation: lets go all that it holds, or a part.
 * @throws SimulationRefused where there is none, it is pending no more, or holds less
 */
export function reverse(
  services: Services,
  id: TransactionId,
  originalMinor: OriginalMinor,
): TransactionRecord {
  return services.database.transaction(() => {
    const { payment, nowMs } = pendingOne(services, id);
    if (originalMinor === undefined || originalMinor === payment.originalMinor) {
      return release(services, payment, nowMs);
    }
    if (originalMinor > payment.originalMinor) {
      const held = `${formatMinor(payment.originalMinor)} ${payment.originalCurrency}`;
      throw new SimulationRefused("conflict", `amount: the authorisation holds ${held} and no more`);
    }
    return releasePart(services, payment, partOf(payment, originalMinor), nowMs);
  });
}

/**
 * Gives back what a completed payment took, or a part, to the account and to the card's limits.
 * @returns the refund
 * @throws SimulationRefused where there is none, it is not completed, or less of it is left
 */
export function refund(
  services: Services,
  id: TransactionId,
  originalMinor: OriginalMinor,
): TransactionRecord {
  const { database, store } = services;
  return database.transaction(() => {
    const { payment, nowMs } = paymentNamed(services, id);
    if (payment.status !== "completed") {
      throw new SimulationRefused("conflict", `transaction ${id} is ${payment.status}, and took nothing`);
    }
    const leftMinor = payment.originalMinor - payment.refundedOriginalMinor;
    const backMinor = originalMinor ?? leftMinor;
    if (backMinor > leftMinor || leftMinor === 0) {
      const left = `${formatMinor(leftMinor)} ${payment.originalCurrency}`;
      throw new SimulationRefused("conflict", `amount: ${left} of the payment are left to refund`);
    }
    const before = refundedOf(payment, payment.refundedOriginalMinor);
    const after = refundedOf(payment, payment.refundedOriginalMinor + backMinor);
    const amountMinor = after.amountMinor - before.amountMinor;
    noteRefunded(services, payment, {
      refundedMinor: after.amountMinor,
      refundedOriginalMinor: after.originalMinor,
    });
    // It counts where the payment did: another period's limit is not to grow by it.
    const { cardPk, cardId, merchant, originalCurrency, spentAtMs } = payment;
    const draft = {
      type: "card_refund",
      direction: "credit",
      amountMinor,
      originalMinor: backMinor,
      spentMinor: -amountMinor,
      spentEurMinor: before.spentEurMinor - after.spentEurMinor,
      relatedId: payment.id,
    } as const;
    const of = { cardPk, cardId, merchant, originalCurrency, spentAtMs };
    return book(services, store.accounts.byPk(payment.accountPk), { ...of, ...draft }, nowMs);
  });
}

/** A payment by card, and its company's time. */
function paymentNamed(
  { store, clock }: Services,
  id: TransactionId,
): { payment: TransactionRecord; nowMs: number } {
  const payment = store.transactions.anywhere(id);
  if (payment && (payment.type === "card_payment" || payment.type === "atm")) {
    return { payment, nowMs: clock.now() + store.companies.clockOffset(payment.companyPk) };
  }
  throw new SimulationRefused("unknown", `there is no payment by card with the id ${id}`);
}

function pendingOne(services: Services, id: TransactionId) {
  const found = paymentNamed(services, id);
  if (found.payment.status === "pending") return found;
  throw new SimulationRefused("conflict", `transaction ${id} is ${found.payment.status}, and holds nothing`);
}

/** A part of what a payment holds, such that part and rest come to the whole in each currency. */
function partOf(payment: TransactionRecord, originalMinor: number): Amounts {
  const restMinor = payment.originalMinor - originalMinor;
  return {
    originalMinor,
    amountMinor: payment.amountMinor - convert(restMinor, payment.originalCurrency, payment.currency),
    spentEurMinor: payment.spentEurMinor - convert(restMinor, payment.originalCurrency, "EUR"),
  };
}

/** What refunds of so much in all come to; the whole is what was paid, however it was rounded. */
function refundedOf(payment: TransactionRecord, originalMinor: number): Amounts {
  const { amountMinor, spentEurMinor, originalCurrency, currency } = payment;
  if (originalMinor === payment.originalMinor) return { originalMinor, amountMinor, spentEurMinor };
  return {
    originalMinor,
    amountMinor: Math.min(amountMinor, convert(originalMinor, originalCurrency, currency)),
    spentEurMinor: Math.min(spentEurMinor, convert(originalMinor, originalCurrency, "EUR")),
  };
}
