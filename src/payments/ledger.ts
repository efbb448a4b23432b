import { greatestAmount, greatestMinor } from "../contract/amount.ts";
import type { TransactionId } from "../contract/identifiers.ts";
import { SimulationRefused } from "../rules/errors.ts";
import { exchangeRate } from "../rules/exchange-rates.ts";
import { uuidOf } from "../rules/random.ts";
import { periodStarts } from "../rules/uk-calendar.ts";
import type { Services } from "../runtime/services.ts";
import { type AccountRecord, accountByPk, updateAccount } from "../store/accounts.ts";
import { nextNumber } from "../store/meta.ts";
import {
  insertTransaction,
  spentFrom,
  type TransactionRecord,
  updateTransaction,
} from "../store/transactions.ts";
import { emit } from "../webhooks/events.ts";
import { accountOf } from "./account.ts";
import { transactionOf } from "./transaction.ts";

/** A transaction that is to come to be, on an account; what is absent is not there, or as the account's. */
export interface Draft extends Partial<Omit<TransactionRecord, "type" | "direction" | "amountMinor">> {
  readonly type: TransactionRecord["type"];
  readonly direction: TransactionRecord["direction"];
  readonly amountMinor: number;
}

/** What a payment comes to: in the account's currency, the merchant's, and the card limits'. */
export interface Amounts {
  readonly amountMinor: number;
  readonly originalMinor: number;
  readonly spentEurMinor: number;
}

/** @throws SimulationRefused if a sum would exceed the largest amount, beyond which sums are not exact */
function refuseBeyond(minor: number, what: string, currency: string): void {
  if (Math.abs(minor) <= greatestMinor) return;
  throw new SimulationRefused(
    "conflict",
    `amount: ${what} would exceed ${greatestAmount} ${currency}; use a smaller amount`,
  );
}

/** The one place where an account's balance changes, or what is held of it. */
function changeAccount(
  services: Services,
  accountPk: number,
  by: { readonly balanceMinor?: number; readonly heldMinor?: number },
  nowMs: number,
): AccountRecord {
  const { database } = services;
  const account = accountByPk(database, accountPk);
  const changed = {
    ...account,
    balanceMinor: account.balanceMinor + (by.balanceMinor ?? 0),
    heldMinor: account.heldMinor + (by.heldMinor ?? 0),
    updatedAtMs: nowMs,
  };
  refuseBeyond(changed.balanceMinor, "the account's balance", account.currency);
  refuseBeyond(changed.heldMinor, "the amount held on the account", account.currency);
  updateAccount(database, changed);
  emit(services, { companyPk: account.companyPk, type: "account.updated", data: () => accountOf(changed) });
  return changed;
}

/** The one place where a transaction comes to be. */
function addTransaction(
  services: Services,
  account: AccountRecord,
  draft: Draft & Pick<TransactionRecord, "status">,
  nowMs: number,
): TransactionRecord {
  const originalCurrency = draft.originalCurrency ?? account.currency;
  const added = insertTransaction(services.database, {
    originalMinor: draft.amountMinor,
    runningBalanceMinor: null,
    booking: null,
    cardPk: null,
    cardId: null,
    merchant: null,
    declineReason: null,
    relatedId: null,
    spentMinor: 0,
    spentEurMinor: 0,
    spentAtMs: nowMs,
    completedAtMs: null,
    ...draft,
    id: draft.id ?? nextTransactionId(services, account),
    companyPk: account.companyPk,
    accountPk: account.pk,
    accountId: account.id,
    currency: account.currency,
    originalCurrency,
    exchangeRate: exchangeRate(originalCurrency, account.currency),
    refundedOriginalMinor: 0,
    createdAtMs: nowMs,
  });
  refuseSpentBeyond(services, added);
  const { companyPk } = added;
  emit(services, { companyPk, type: "transaction.created", data: () => transactionOf(added) });
  return added;
}

/** The one place where a transaction changes. */
function changeTransaction(
  services: Services,
  transaction: TransactionRecord,
  change: Partial<TransactionRecord>,
): TransactionRecord {
  const changed = { ...transaction, ...change };
  updateTransaction(services.database, changed);
  refuseSpentBeyond(services, changed);
  emit(services, {
    companyPk: changed.companyPk,
    type: "transaction.updated",
    data: () => transactionOf(changed),
    beside: changed.status === transaction.status ? {} : { previous_status: transaction.status },
  });
  return changed;
}

function refuseSpentBeyond({ database }: Services, { cardPk, spentAtMs, currency }: TransactionRecord): void {
  if (cardPk === null) return;
  const { lifetimeMinor } = spentFrom(database, cardPk, periodStarts(spentAtMs));
  refuseBeyond(lifetimeMinor, "the total spending of the card", currency);
}

/** The id of a company's next transaction, for one that another is to name before it is there. */
export function nextTransactionId({ database, random }: Services, account: AccountRecord): TransactionId {
  const n = nextNumber(database, account.companyPk, "transactions");
  return uuidOf(random.block("transaction", account.companyId, n)) as TransactionId;
}

/** What makes a transaction a booking: its number, the balance that it leaves, and when. */
function booked({ database }: Services, { companyPk, balanceMinor }: AccountRecord, nowMs: number) {
  return {
    status: "completed",
    runningBalanceMinor: balanceMinor,
    booking: nextNumber(database, companyPk, "bookings"),
    completedAtMs: nowMs,
  } as const;
}

/** Keeps a payment that was declined: it moves nothing and counts against nothing. */
export function decline(services: Services, account: AccountRecord, draft: Draft, nowMs: number) {
  const nothing = { spentMinor: 0, spentEurMinor: 0 };
  return addTransaction(services, account, { ...draft, ...nothing, status: "declined" }, nowMs);
}

/** Holds money for a payment, which is pending until it is completed or let go. */
export function hold(services: Services, account: AccountRecord, draft: Draft, nowMs: number) {
  changeAccount(services, account.pk, { heldMinor: draft.amountMinor }, nowMs);
  return addTransaction(services, account, { ...draft, status: "pending" }, nowMs);
}

/** Moves money at once. */
export function book(services: Services, { pk }: AccountRecord, draft: Draft, nowMs: number) {
  const signed = draft.direction === "credit" ? draft.amountMinor : -draft.amountMinor;
  const account = changeAccount(services, pk, { balanceMinor: signed }, nowMs);
  return addTransaction(services, account, { ...draft, ...booked(services, account, nowMs) }, nowMs);
}

/** Completes a pending payment with what it came to, be it less or more than it held; nothing is held after. */
export function complete(services: Services, payment: TransactionRecord, came: Amounts, nowMs: number) {
  const by = { balanceMinor: -came.amountMinor, heldMinor: -payment.amountMinor };
  const account = changeAccount(services, payment.accountPk, by, nowMs);
  return changeTransaction(services, payment, {
    ...came,
    spentMinor: came.amountMinor,
    ...booked(services, account, nowMs),
  });
}

/** Moves a part of what a pending payment holds, as a payment of its own; the rest stays held. */
export function completePart(
  services: Services,
  payment: TransactionRecord,
  part: Amounts,
  rest: Amounts,
  nowMs: number,
): TransactionRecord {
  const by = { balanceMinor: -part.amountMinor, heldMinor: rest.amountMinor - payment.amountMinor };
  const account = changeAccount(services, payment.accountPk, by, nowMs);
  changeTransaction(services, payment, { ...rest, spentMinor: rest.amountMinor });
  const { type, direction, cardPk, cardId, merchant, originalCurrency, spentAtMs } = payment;
  const own = { type, direction, cardPk, cardId, merchant, originalCurrency, spentAtMs };
  const spent = { ...part, spentMinor: part.amountMinor, relatedId: payment.id };
  return addTransaction(services, account, { ...own, ...spent, ...booked(services, account, nowMs) }, nowMs);
}

/** Releases a part of the amount that a pending payment holds; the rest stays held. */
export function holdOnly(services: Services, payment: TransactionRecord, rest: Amounts, nowMs: number) {
  changeAccount(services, payment.accountPk, { heldMinor: rest.amountMinor - payment.amountMinor }, nowMs);
  return changeTransaction(services, payment, { ...rest, spentMinor: rest.amountMinor });
}

/** Lets go all that a pending payment still holds. */
export function release(services: Services, payment: TransactionRecord, nowMs: number) {
  changeAccount(services, payment.accountPk, { heldMinor: -payment.amountMinor }, nowMs);
  return changeTransaction(services, payment, { status: "reverted", spentMinor: 0, spentEurMinor: 0 });
}

/** Records how much of a payment was refunded, in the merchant's currency. */
export function noteRefunded(services: Services, payment: TransactionRecord, refundedOriginalMinor: number) {
  return changeTransaction(services, payment, { refundedOriginalMinor });
}
