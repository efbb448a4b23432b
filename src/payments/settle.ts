import type { TransactionId } from "../contract/identifiers.ts";
import { companyNow } from "../rules/clock.ts";
import { quoted, SimulationRefused } from "../rules/errors.ts";
import { bookable, convert } from "../rules/exchange-rates.ts";
import { formatMinor } from "../rules/money.ts";
import type { Services } from "../runtime/services.ts";
import { accountByPk } from "../store/accounts.ts";
import { clockOffsetOf } from "../store/companies.ts";
import { findTransaction, type TransactionRecord } from "../store/transactions.ts";
import { type Amounts, book, complete, completePart, holdOnly, recordRefunded, release } from "./ledger.ts";

/** An amount in the merchant's currency, in minor units. If absent, all that is left. */
type OriginalMinor = number | undefined;

/**
 * Clears an authorization. Clearing all that it holds, or more, completes it. A smaller amount becomes a separate
 * transaction, and the rest stays held unless this clearing is final or the rest converts to 0.00.
 * @returns the completed transaction
 * @throws SimulationRefused if it does not exist, is no longer pending, or the amount converts to 0.00
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
    const cleared = amountsOf(services, payment, clearedMinor);
    const restMinor = payment.originalMinor - clearedMinor;
    if (isFinal || !isWorth(services, payment, restMinor)) return complete(services, payment, cleared, nowMs);
    return completePart(services, payment, cleared, amountsOf(services, payment, restMinor), nowMs);
  });
}

/**
 * Reverses an authorization: releases all that it holds, or a part; all if the rest converts to 0.00.
 * @throws SimulationRefused if it does not exist, is no longer pending, or holds less
 */
export function reverse(
  services: Services,
  id: TransactionId,
  originalMinor: OriginalMinor,
): TransactionRecord {
  return services.database.transaction(() => {
    const { payment, nowMs } = pendingOne(services, id);
    const restMinor = originalMinor === undefined ? 0 : payment.originalMinor - originalMinor;
    if (restMinor < 0) {
      const held = `${formatMinor(payment.originalMinor)} ${payment.originalCurrency}`;
      throw new SimulationRefused(
        "conflict",
        `amount: the authorization holds only ${held}. Use a smaller amount.`,
      );
    }
    if (!isWorth(services, payment, restMinor)) return release(services, payment, nowMs);
    return holdOnly(services, payment, amountsOf(services, payment, restMinor), nowMs);
  });
}

/**
 * Refunds a completed payment, or a part, to the account and to the card's limits. Each refund is converted separately,
 * so the sum of several in another currency may differ from the payment by rounding.
 * @returns the refund
 * @throws SimulationRefused if it does not exist, is not completed, less of it is left, or the amount converts to 0.00
 */
export function refund(
  services: Services,
  id: TransactionId,
  originalMinor: OriginalMinor,
): TransactionRecord {
  const { database } = services;
  return database.transaction(() => {
    const { payment, nowMs } = paymentNamed(services, id);
    if (payment.status !== "completed") {
      throw new SimulationRefused(
        "conflict",
        `Transaction ${id} is ${payment.status}. Only a completed payment can be refunded.`,
      );
    }
    const leftMinor = payment.originalMinor - payment.refundedOriginalMinor;
    const backMinor = originalMinor ?? leftMinor;
    if (backMinor > leftMinor || leftMinor === 0) {
      const left = `${formatMinor(leftMinor)} ${payment.originalCurrency}`;
      throw new SimulationRefused(
        "conflict",
        leftMinor === 0
          ? `Transaction ${id} is already fully refunded`
          : `amount: must be at most ${left}, the part of the payment that is not refunded yet`,
      );
    }
    const back = amountsOf(services, payment, backMinor);
    recordRefunded(services, payment, payment.refundedOriginalMinor + backMinor);
    // It counts in the payment's period, so that the limit of another period does not grow.
    const { cardPk, cardId, merchant, originalCurrency, spentAtMs } = payment;
    const draft = {
      ...back,
      type: "card_refund",
      direction: "credit",
      spentMinor: -back.amountMinor,
      spentEurMinor: -back.spentEurMinor,
      relatedId: payment.id,
    } as const;
    const of = { cardPk, cardId, merchant, originalCurrency, spentAtMs };
    return book(services, accountByPk(database, payment.accountPk), { ...of, ...draft }, nowMs);
  });
}

/** A payment by card, and its company's current time. */
function paymentNamed(
  { database, clock }: Services,
  id: TransactionId,
): { payment: TransactionRecord; nowMs: number } {
  const payment = findTransaction(database, id);
  if (payment && (payment.type === "card_payment" || payment.type === "atm")) {
    return { payment, nowMs: companyNow(clock, clockOffsetOf(database, payment.companyPk)) };
  }
  throw new SimulationRefused("unknown", `no card payment has the id ${quoted(id)}`);
}

function pendingOne(services: Services, id: TransactionId) {
  const found = paymentNamed(services, id);
  if (found.payment.status === "pending") return found;
  throw new SimulationRefused(
    "conflict",
    `Transaction ${id} is ${found.payment.status}. Only a pending payment can be cleared or reversed.`,
  );
}

/**
 * Converts an amount in the merchant's currency to the account's currency and to EUR.
 * @throws SimulationRefused if it converts to 0.00
 */
function amountsOf(
  services: Services,
  { companyPk, originalCurrency, currency }: TransactionRecord,
  originalMinor: number,
): Amounts {
  const rounding = services.dialects.of(companyPk).choices["money.rounding"];
  return {
    originalMinor,
    amountMinor: bookable(originalMinor, originalCurrency, currency, rounding),
    spentEurMinor: convert(originalMinor, originalCurrency, "EUR", rounding),
  };
}

/** Whether an amount in the merchant's currency converts to more than 0.00. */
function isWorth(
  { dialects }: Services,
  { companyPk, originalCurrency, currency }: TransactionRecord,
  originalMinor: number,
): boolean {
  const rounding = dialects.of(companyPk).choices["money.rounding"];
  return originalMinor > 0 && convert(originalMinor, originalCurrency, currency, rounding) > 0;
}
