import { greatestAmount, greatestMinor } from "../contract/amount.ts";
import type { AccountId, TransactionId } from "../contract/identifiers.ts";
import type { Transaction } from "../contract/transaction.ts";
import { companyNow } from "../rules/clock.ts";
import { quoted, SimulationRefused } from "../rules/errors.ts";
import { exchangeRate } from "../rules/exchange-rates.ts";
import { formatMinor } from "../rules/money.ts";
import { uuidOf } from "../rules/random.ts";
import { periodStarts } from "../rules/uk-calendar.ts";
import type { Services } from "../runtime/services.ts";
import { type AccountRecord, accountByPk, findAccount, updateAccount } from "../store/accounts.ts";
import { clockOffsetOf } from "../store/companies.ts";
import { nextNumber } from "../store/meta.ts";
import {
  insertTransaction,
  spentFrom,
  type TransactionRecord,
  updateTransaction,
} from "../store/transactions.ts";
import { emit } from "../webhooks/events.ts";
import { accountOf } from "./account.ts";

/** A new transaction. Absent fields are empty or taken from the account. */
export interface Draft extends Partial<Omit<TransactionRecord, "type" | "direction" | "amountMinor">> {
  readonly type: TransactionRecord["type"];
  readonly direction: TransactionRecord["direction"];
  readonly amountMinor: number;
}

/** An amount in the account's currency, the merchant's, and that of the card limits. */
export interface Amounts {
  readonly amountMinor: number;
  readonly originalMinor: number;
  readonly spentEurMinor: number;
}

/** @throws SimulationRefused if a sum would exceed the largest amount, beyond which sums are not exact */
function refuseBeyond(minor: number, total: string, currency: string): void {
  if (Math.abs(minor) <= greatestMinor) return;
  throw new SimulationRefused(
    "conflict",
    `amount: ${total} would exceed ${greatestAmount} ${currency}. Use a smaller amount.`,
  );
}

/** Changes an account's balance and held amount. Nothing else does. */
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

/** Inserts a transaction. Nothing else does. */
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

/** Changes a transaction. Nothing else does. */
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
    extra: changed.status === transaction.status ? {} : { previous_status: transaction.status },
  });
  return changed;
}

function refuseSpentBeyond({ database }: Services, { cardPk, spentAtMs, currency }: TransactionRecord): void {
  if (cardPk === null) return;
  const { lifetimeMinor } = spentFrom(database, cardPk, periodStarts(spentAtMs));
  refuseBeyond(lifetimeMinor, "the total spending of the card", currency);
}

/** The id of a company's next transaction, for a transaction that refers to it before it is inserted. */
export function nextTransactionId({ database, random }: Services, account: AccountRecord): TransactionId {
  const n = nextNumber(database, account.companyPk, "transactions");
  return uuidOf(random.block("transaction", account.companyId, n)) as TransactionId;
}

/** The fields of a booking: its number, the account's balance after it, and its time. */
function booked({ database }: Services, { companyPk, balanceMinor }: AccountRecord, nowMs: number) {
  return {
    status: "completed",
    runningBalanceMinor: balanceMinor,
    booking: nextNumber(database, companyPk, "bookings"),
    completedAtMs: nowMs,
  } as const;
}

/** Stores a declined payment. It moves no money and counts against no limit. */
export function decline(services: Services, account: AccountRecord, draft: Draft, nowMs: number) {
  const nothing = { spentMinor: 0, spentEurMinor: 0 };
  return addTransaction(services, account, { ...draft, ...nothing, status: "declined" }, nowMs);
}

/** Holds money for a payment, which is pending until it is completed or reverted. */
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

/** Completes a pending payment with its final amounts, which may be less or more than it held. Then it holds nothing. */
export function complete(services: Services, payment: TransactionRecord, final: Amounts, nowMs: number) {
  const by = { balanceMinor: -final.amountMinor, heldMinor: -payment.amountMinor };
  const account = changeAccount(services, payment.accountPk, by, nowMs);
  return changeTransaction(services, payment, {
    ...final,
    spentMinor: final.amountMinor,
    ...booked(services, account, nowMs),
  });
}

/** Completes a part of a pending payment as a separate transaction. The rest stays held. */
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

/** Releases a part of the amount that a pending payment holds. The rest stays held. */
export function holdOnly(services: Services, payment: TransactionRecord, rest: Amounts, nowMs: number) {
  changeAccount(services, payment.accountPk, { heldMinor: rest.amountMinor - payment.amountMinor }, nowMs);
  return changeTransaction(services, payment, { ...rest, spentMinor: rest.amountMinor });
}

/** Reverts a pending payment and releases everything that it still holds. */
export function release(services: Services, payment: TransactionRecord, nowMs: number) {
  changeAccount(services, payment.accountPk, { heldMinor: -payment.amountMinor }, nowMs);
  return changeTransaction(services, payment, { status: "reverted", spentMinor: 0, spentEurMinor: 0 });
}

/** Records the refunded amount of a payment, in the merchant's currency. */
export function recordRefunded(
  services: Services,
  payment: TransactionRecord,
  refundedOriginalMinor: number,
) {
  return changeTransaction(services, payment, { refundedOriginalMinor });
}

/**
 * Pays money into an account, or charges a fee, which may make the balance negative.
 * @throws SimulationRefused if there is no such account, it is closed, or its currency has no rate
 */
export function fund(
  services: Services,
  type: "topup" | "fee",
  accountId: AccountId,
  amountMinor: number,
): TransactionRecord {
  const { database, clock } = services;
  return database.transaction(() => {
    const account = findAccount(database, accountId);
    if (!account)
      throw new SimulationRefused("unknown", `account_id: no account has the id ${quoted(accountId)}`);
    if (account.status === "closed") {
      throw new SimulationRefused(
        "conflict",
        `account_id: account ${accountId} is closed. Use an active account.`,
      );
    }
    const nowMs = companyNow(clock, clockOffsetOf(database, account.companyPk));
    const direction = type === "topup" ? "credit" : "debit";
    return book(services, account, { type, direction, amountMinor }, nowMs);
  });
}

/** A transaction in responses. */
export function transactionOf(record: TransactionRecord): Transaction {
  const { runningBalanceMinor, completedAtMs } = record;
  return {
    id: record.id,
    account_id: record.accountId,
    card_id: record.cardId,
    type: record.type,
    status: record.status,
    direction: record.direction,
    amount: formatMinor(record.amountMinor),
    currency: record.currency,
    original_amount: formatMinor(record.originalMinor),
    original_currency: record.originalCurrency,
    exchange_rate: record.exchangeRate,
    running_balance: runningBalanceMinor === null ? null : formatMinor(runningBalanceMinor),
    merchant: record.merchant,
    decline_reason: record.declineReason,
    related_transaction_id: record.relatedId,
    created_at: new Date(record.createdAtMs).toISOString(),
    completed_at: completedAtMs === null ? null : new Date(completedAtMs).toISOString(),
  };
}
