import type { CardId } from "../contract/identifiers.ts";
import type { DeclineReason, Merchant } from "../contract/transaction.ts";
import { companyNow } from "../rules/clock.ts";
import { quoted, SimulationRefused } from "../rules/errors.ts";
import { bookable, convert, costOf, hasRate, type Rounding } from "../rules/exchange-rates.ts";
import { usedOf } from "../rules/limits.ts";
import { periodStarts } from "../rules/uk-calendar.ts";
import type { Services } from "../runtime/services.ts";
import { type AccountRecord, accountByPk, activeAccounts } from "../store/accounts.ts";
import { findCard, type StoredCard } from "../store/cards.ts";
import { spentFrom, type TransactionRecord } from "../store/transactions.ts";
import { availableMinor } from "./account.ts";
import { book, type Draft, decline, hold, nextTransactionId } from "./ledger.ts";

/** A merchant's request for a payment. The default currency is the account's. */
export interface AuthorisationRequest {
  readonly cardId: CardId;
  readonly originalMinor: number;
  readonly currency: string | undefined;
  readonly merchant: Merchant;
  readonly type: "card_payment" | "atm";
}

/**
 * Authorizes a payment by card: pending, or declined with the reason.
 * @throws SimulationRefused if there is no such card, or no rate for the currency
 */
export function authorise(services: Services, request: AuthorisationRequest): TransactionRecord {
  const { database, clock, dialects } = services;
  return database.transaction(() => {
    const stored = findCard(database, clock.now(), request.cardId);
    if (!stored)
      throw new SimulationRefused("unknown", `card_id: no card has the id ${quoted(request.cardId)}`);
    const nowMs = companyNow(clock, stored.clockOffsetMs);
    const account = accountByPk(database, stored.accountPk);
    const rounding = dialects.of(stored.companyPk).choices["money.rounding"];
    const draft = draftOf(stored, account, request, rounding);
    const reason = declineReason(services, stored, account, draft, nowMs);
    return reason
      ? decline(services, account, { ...draft, declineReason: reason }, nowMs)
      : hold(services, account, draft, nowMs);
  });
}

type PaymentDraft = Draft & { readonly spentEurMinor: number };

function draftOf(
  { pk, card }: StoredCard,
  account: AccountRecord,
  { originalMinor, currency = account.currency, merchant, type }: AuthorisationRequest,
  rounding: Rounding,
): PaymentDraft {
  const amountMinor = bookable(originalMinor, currency, account.currency, rounding);
  return {
    type,
    direction: "debit",
    amountMinor,
    originalMinor,
    originalCurrency: currency,
    cardPk: pk,
    cardId: card.id,
    merchant,
    spentMinor: amountMinor,
    spentEurMinor: convert(originalMinor, currency, "EUR", rounding),
  };
}

/** Why a payment is declined; the first check that fails decides. The last one, of the funds, may exchange money. */
function declineReason(
  services: Services,
  { pk, card, companyStatus }: StoredCard,
  account: AccountRecord,
  { amountMinor, spentEurMinor }: PaymentDraft,
  nowMs: number,
): DeclineReason | undefined {
  if (card.status === "inactive") return "card_not_active";
  if (card.status !== "active") return `card_${card.status}`;
  if (companyStatus !== "active") return "company_not_active";
  if (account.status === "closed") return "account_closed";

  const spent = spentFrom(services.database, pk, periodStarts(nowMs));
  const { maxPerPurchaseMinor, dailyMinor, rolling32DaysMinor } = card.limits;
  if (
    spentEurMinor > maxPerPurchaseMinor ||
    Math.max(0, spent.dayEurMinor) + spentEurMinor > dailyMinor ||
    Math.max(0, spent.rolling32DaysEurMinor) + spentEurMinor > rolling32DaysMinor
  ) {
    return "card_limit_exceeded";
  }
  const limit = card.spendingLimit;
  if (limit && usedOf(limit, spent) + amountMinor > limit.amountMinor) return "spending_limit_exceeded";

  const shortMinor = amountMinor - availableMinor(account);
  if (shortMinor <= 0) return undefined;
  const isToppedUp = card.autoConvert && exchangeFor(services, account, shortMinor, nowMs);
  return isToppedUp ? undefined : "insufficient_funds";
}

/**
 * Exchanges money from the company's oldest account in another currency that has enough.
 * @returns whether there is one
 */
function exchangeFor(services: Services, to: AccountRecord, minor: number, nowMs: number): boolean {
  const rounding = services.dialects.of(to.companyPk).choices["money.rounding"];
  for (const from of activeAccounts(services.database, to.companyPk)) {
    if (from.currency === to.currency || !hasRate(from.currency)) continue;
    const costMinor = costOf(minor, to.currency, from.currency);
    if (availableMinor(from) < costMinor) continue;
    const boughtMinor = convert(costMinor, from.currency, to.currency, rounding);
    const [debitId, creditId] = [nextTransactionId(services, from), nextTransactionId(services, to)];
    const debit: Draft = {
      id: debitId,
      type: "exchange",
      direction: "debit",
      amountMinor: costMinor,
      relatedId: creditId,
    };
    const credit: Draft = {
      id: creditId,
      type: "exchange",
      direction: "credit",
      amountMinor: boughtMinor,
      originalMinor: costMinor,
      originalCurrency: from.currency,
      relatedId: debitId,
    };
    book(services, from, debit, nowMs);
    book(services, to, credit, nowMs);
    return true;
  }
  return false;
}
