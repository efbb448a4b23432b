import type { AccountId, CardId, TransactionId } from "../contract/identifiers.ts";
import type {
  DeclineReason,
  Merchant,
  TransactionDirection,
  TransactionStatus,
  TransactionType,
} from "../contract/transaction.ts";
import { type CardSpending, nothingSpent } from "../rules/limits.ts";
import type { PeriodStarts } from "../rules/uk-calendar.ts";
import {
  type Database,
  inserted,
  type Listed,
  limitParameter,
  nextPosition,
  optional,
  type Page,
  type SqlValue,
} from "./database.ts";

/**
 * A transaction. `…Minor` is in the account's currency, `original…Minor` in the merchant's, and `spentEurMinor` in the
 * currency of the card limits.
 */
export interface TransactionRecord {
  readonly pk: number;
  readonly id: TransactionId;
  readonly companyPk: number;
  readonly accountPk: number;
  readonly accountId: AccountId;
  readonly currency: string;
  readonly cardPk: number | null;
  readonly cardId: CardId | null;
  readonly type: TransactionType;
  readonly status: TransactionStatus;
  readonly direction: TransactionDirection;
  /** The amount that it holds, moved or released, or that was declined. */
  readonly amountMinor: number;
  readonly originalMinor: number;
  readonly originalCurrency: string;
  readonly exchangeRate: string | null;
  readonly runningBalanceMinor: number | null;
  /** The booking's number in its company, from 1; null if it moved no money. */
  readonly booking: number | null;
  readonly merchant: Merchant | null;
  readonly declineReason: DeclineReason | null;
  readonly relatedId: TransactionId | null;
  /** The amount that counts against the card's limits from `spentAtMs` on; negative for a refund. */
  readonly spentMinor: number;
  readonly spentEurMinor: number;
  readonly spentAtMs: number;
  /** The refunded amount, in the merchant's currency. */
  readonly refundedOriginalMinor: number;
  readonly createdAtMs: number;
  readonly completedAtMs: number | null;
}

const insert = `
  INSERT INTO transactions (status, amount_minor, original_amount_minor, running_balance_minor, booking,
    spent_minor, spent_eur_minor, refunded_original_minor, completed_at_ms, id, company_pk, account_pk,
    card_pk, type, direction, original_currency, exchange_rate, merchant, decline_reason, related_id,
    spent_at_ms, created_at_ms, position)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
    ${nextPosition("transactions", "company_pk")}) RETURNING pk`;

export function insertTransaction(
  database: Database,
  transaction: Omit<TransactionRecord, "pk">,
): TransactionRecord {
  const values = [...changeable(transaction), ...constant(transaction), transaction.companyPk];
  return { ...transaction, pk: inserted(database.get(insert, ...values)) };
}

const update = `
  UPDATE transactions SET status = ?, amount_minor = ?, original_amount_minor = ?, running_balance_minor = ?,
    booking = ?, spent_minor = ?, spent_eur_minor = ?, refunded_original_minor = ?,
    completed_at_ms = ?
  WHERE pk = ?`;

/** Stores the changeable fields of a transaction. */
export function updateTransaction(database: Database, transaction: TransactionRecord): void {
  database.run(update, ...changeable(transaction), transaction.pk);
}

/** The fields that an update may change, in the order of the statements' columns. */
function changeable(transaction: Omit<TransactionRecord, "pk">): SqlValue[] {
  return [
    transaction.status,
    transaction.amountMinor,
    transaction.originalMinor,
    transaction.runningBalanceMinor,
    transaction.booking,
    transaction.spentMinor,
    transaction.spentEurMinor,
    transaction.refundedOriginalMinor,
    transaction.completedAtMs,
  ];
}

/** The fields that never change, in the order of the statement's columns. */
function constant(transaction: Omit<TransactionRecord, "pk">): SqlValue[] {
  return [
    transaction.id,
    transaction.companyPk,
    transaction.accountPk,
    transaction.cardPk,
    transaction.type,
    transaction.direction,
    transaction.originalCurrency,
    transaction.exchangeRate,
    transaction.merchant && JSON.stringify(transaction.merchant),
    transaction.declineReason,
    transaction.relatedId,
    transaction.spentAtMs,
    transaction.createdAtMs,
  ];
}

const selected = `
  SELECT t.pk, t.position, t.id, t.company_pk AS companyPk, t.account_pk AS accountPk, a.id AS accountId, a.currency,
    t.card_pk AS cardPk, k.id AS cardId, t.type, t.status, t.direction, t.amount_minor AS amountMinor,
    t.original_amount_minor AS originalMinor, t.original_currency AS originalCurrency,
    t.exchange_rate AS exchangeRate, t.running_balance_minor AS runningBalanceMinor, t.booking, t.merchant,
    t.decline_reason AS declineReason, t.related_id AS relatedId, t.spent_minor AS spentMinor,
    t.spent_eur_minor AS spentEurMinor, t.spent_at_ms AS spentAtMs,
    t.refunded_original_minor AS refundedOriginalMinor, t.created_at_ms AS createdAtMs,
    t.completed_at_ms AS completedAtMs
  FROM transactions t
  JOIN accounts a ON a.pk = t.account_pk
  LEFT JOIN cards k ON k.pk = t.card_pk`;

type TransactionRow = Omit<TransactionRecord, "merchant"> & { readonly merchant: string | null };

function recordOf<Row extends TransactionRow>(row: Row) {
  return { ...row, merchant: row.merchant === null ? null : JSON.parse(row.merchant) };
}

/** Finds a transaction of any company. */
export function findTransaction(database: Database, id: string): TransactionRecord | undefined {
  const row = database.get<TransactionRow>(`${selected} WHERE t.id = ?`, id.toLowerCase());
  return row && recordOf(row);
}

const ofCompany = `${selected} WHERE t.id = ? AND t.company_pk = ? AND (? IS NULL OR k.member_pk = ?)`;

/** @param memberPk - if given, only transactions of this member's cards are found */
export function transactionOfCompany(
  database: Database,
  companyPk: number,
  id: TransactionId,
  memberPk?: number,
): TransactionRecord | undefined {
  const row = database.get<TransactionRow>(ofCompany, id, companyPk, ...optional(memberPk));
  return row && recordOf(row);
}

export interface TransactionFilters extends Page {
  /** Only transactions of this member's cards. */
  readonly memberPk?: number | undefined;
  readonly account_id?: AccountId | undefined;
  readonly card_id?: CardId | undefined;
  readonly type?: readonly TransactionType[] | undefined;
  readonly status?: readonly TransactionStatus[] | undefined;
  readonly direction?: TransactionDirection | undefined;
  /** Created at this instant or later. */
  readonly fromMs?: number | undefined;
  /** Created before this instant. */
  readonly toMs?: number | undefined;
  readonly minMinor?: number | undefined;
  readonly maxMinor?: number | undefined;
}

const list = `
  ${selected}
  WHERE t.company_pk = ? AND t.position < coalesce(?, 9007199254740991)
    AND (? IS NULL OR k.member_pk = ?)
    AND (? IS NULL OR a.id = ?)
    AND (? IS NULL OR k.id = ?)
    AND (? IS NULL OR t.type IN (SELECT value FROM json_each(?)))
    AND (? IS NULL OR t.status IN (SELECT value FROM json_each(?)))
    AND (? IS NULL OR t.direction = ?)
    AND (? IS NULL OR t.created_at_ms >= ?)
    AND (? IS NULL OR t.created_at_ms < ?)
    AND (? IS NULL OR t.amount_minor >= ?)
    AND (? IS NULL OR t.amount_minor <= ?)
  ORDER BY t.position DESC ${limitParameter}`;

export function pageOfTransactions(
  database: Database,
  companyPk: number,
  filters: TransactionFilters,
): Listed<TransactionRecord>[] {
  const conditions = optional(
    filters.memberPk,
    filters.account_id,
    filters.card_id,
    filters.type && JSON.stringify(filters.type),
    filters.status && JSON.stringify(filters.status),
    filters.direction,
    filters.fromMs,
    filters.toMs,
    filters.minMinor,
    filters.maxMinor,
  );
  const { before, limit } = filters;
  const rows = database.all<Listed<TransactionRow>>(list, companyPk, before ?? null, ...conditions, limit);
  return rows.map(recordOf);
}

/** Whether a company has any transaction. Most have none, and need no look-up of the amounts spent. */
export function hasTransactions(database: Database, companyPk: number): boolean {
  return database.get("SELECT 1 FROM transactions WHERE company_pk = ? LIMIT 1", companyPk) !== undefined;
}

/** Cards with the cards that they replaced, unless a replacement starts anew. */
const line = `
  WITH RECURSIVE line (card_pk, spender_pk) AS (
    SELECT value, value FROM json_each(?)
    UNION ALL
    SELECT line.card_pk, r.old_card_pk FROM line
    JOIN replacements r ON r.new_card_pk = line.spender_pk AND r.carries_spending = 1
  )`;

/** The amounts spent from cards and from the cards that they replaced. */
const spending = `${line}
  SELECT line.card_pk AS cardPk,
    sum(iif(spent_at_ms >= ?, spent_minor, 0)) AS dayMinor,
    sum(iif(spent_at_ms >= ?, spent_minor, 0)) AS weekMinor,
    sum(iif(spent_at_ms >= ?, spent_minor, 0)) AS monthMinor,
    sum(spent_minor) AS lifetimeMinor,
    sum(iif(spent_at_ms >= ?, spent_eur_minor, 0)) AS dayEurMinor,
    sum(iif(spent_at_ms >= ?, spent_eur_minor, 0)) AS rolling32DaysEurMinor
  FROM line JOIN transactions t ON t.card_pk = line.spender_pk GROUP BY line.card_pk`;

/**
 * The amounts spent from cards in the periods that began at `starts`, by the cards' row numbers. Cards without any may
 * be absent.
 */
export function spentFromEach(
  database: Database,
  cardPks: readonly number[],
  { dayMs, weekMs, monthMs, rolling32DaysMs }: PeriodStarts,
): ReadonlyMap<number, CardSpending> {
  const rows = database.all<CardSpending & { readonly cardPk: number }>(
    spending,
    JSON.stringify(cardPks),
    dayMs,
    weekMs,
    monthMs,
    dayMs,
    rolling32DaysMs,
  );
  return new Map(rows.map((row) => [row.cardPk, row]));
}

const oldest = `${line}
  SELECT min(t.spent_at_ms) AS atMs FROM line JOIN transactions t ON t.card_pk = line.spender_pk
  WHERE t.spent_at_ms >= ? AND t.spent_eur_minor > 0`;

/** When the oldest payment since an instant was made that counts against a card's limits; undefined: there is none. */
export function oldestSpending(database: Database, cardPk: number, sinceMs: number): number | undefined {
  const row = database.get<{ readonly atMs: number | null }>(oldest, JSON.stringify([cardPk]), sinceMs);
  return row?.atMs ?? undefined;
}

/** Most cards have spent nothing and replaced no card. This query finds that at a fraction of the cost. */
const hasHistory = `
  SELECT 1 FROM transactions WHERE card_pk = ? UNION ALL SELECT 1 FROM replacements WHERE new_card_pk = ? LIMIT 1`;

/** The amounts spent from one card in the periods that began at `starts`. */
export function spentFrom(database: Database, cardPk: number, starts: PeriodStarts): CardSpending {
  const hasSpent = database.get(hasHistory, cardPk, cardPk) !== undefined;
  return (hasSpent ? spentFromEach(database, [cardPk], starts).get(cardPk) : undefined) ?? nothingSpent;
}
