import type { AccountId, CardId, TransactionId } from "../contract/identifiers.ts";
import type {
  DeclineReason,
  Merchant,
  TransactionDirection,
  TransactionStatus,
  TransactionType,
} from "../contract/transaction.ts";
import { type CardSpending, nothingSpent } from "../rules/card-use.ts";
import type { PeriodStarts } from "../rules/uk-calendar.ts";
import type { Database, Listed, Page, SqlValue } from "./database.ts";
import { inserted, nextPosition } from "./inserted.ts";
import type { Store } from "./open-store.ts";

/**
 * A transaction as it is kept. `…Minor` are of the account's currency, `original…Minor` of the merchant's, and
 * `spentEurMinor` of the card limits'.
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
  /** What it holds, moved, let go or was refused. */
  readonly amountMinor: number;
  readonly originalMinor: number;
  readonly originalCurrency: string;
  readonly exchangeRate: string | null;
  readonly runningBalanceMinor: number | null;
  /** Which of the company's bookings it is, from 1; null where it moved nothing. */
  readonly booking: number | null;
  readonly merchant: Merchant | null;
  readonly declineReason: DeclineReason | null;
  readonly relatedId: TransactionId | null;
  /** What counts against the card's limits, from `spentAtMs` on; below zero for a refund. */
  readonly spentMinor: number;
  readonly spentEurMinor: number;
  readonly spentAtMs: number;
  /** How much of it was refunded, in the merchant's currency. */
  readonly refundedOriginalMinor: number;
  readonly createdAtMs: number;
  readonly completedAtMs: number | null;
}

export interface TransactionFilters extends Page {
  /** The member whose cards' transactions alone are meant. */
  readonly memberPk?: number | undefined;
  readonly account_id?: AccountId | undefined;
  readonly card_id?: CardId | undefined;
  readonly type?: readonly TransactionType[] | undefined;
  readonly status?: readonly TransactionStatus[] | undefined;
  readonly direction?: TransactionDirection | undefined;
  /** Made at this instant or later. */
  readonly fromMs?: number | undefined;
  /** Made before this instant. */
  readonly toMs?: number | undefined;
  readonly minMinor?: number | undefined;
  readonly maxMinor?: number | undefined;
}

export interface TransactionQueries {
  insert(transaction: Omit<TransactionRecord, "pk">): TransactionRecord;
  /** Keeps what may change of it. */
  update(transaction: TransactionRecord): void;
  /** @param memberPk - the member whose cards' transactions alone are meant */
  byId(companyPk: number, id: TransactionId, memberPk?: number): TransactionRecord | undefined;
  /** Whichever company's it is. */
  anywhere(id: TransactionId): TransactionRecord | undefined;
  list(companyPk: number, filters: TransactionFilters): Listed<TransactionRecord>[];
  /** What was spent from a card in the periods that began then. */
  spentFrom(cardPk: number, starts: PeriodStarts): CardSpending;
  /** The same of several cards, by their numbers; those from which nothing was spent may be absent. */
  spentFromEach(cardPks: readonly number[], starts: PeriodStarts): ReadonlyMap<number, CardSpending>;
}

const columns = `
  t.pk, t.position, t.id, t.company_pk AS companyPk, t.account_pk AS accountPk, a.id AS accountId, a.currency,
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

const byId = `SELECT ${columns} WHERE t.id = ? AND t.company_pk = ? AND (? IS NULL OR k.member_pk = ?)`;
const anywhere = `SELECT ${columns} WHERE t.id = ?`;

const list = `
  SELECT ${columns}
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
  ORDER BY t.position DESC LIMIT ?`;

const insert = `
  INSERT INTO transactions (status, amount_minor, original_amount_minor, running_balance_minor, booking,
    spent_minor, spent_eur_minor, refunded_original_minor, completed_at_ms, id, company_pk, account_pk,
    card_pk, type, direction, original_currency, exchange_rate, merchant, decline_reason, related_id,
    spent_at_ms, created_at_ms, position)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
    ${nextPosition("transactions", "company_pk")}) RETURNING pk`;

const update = `
  UPDATE transactions SET status = ?, amount_minor = ?, original_amount_minor = ?, running_balance_minor = ?,
    booking = ?, spent_minor = ?, spent_eur_minor = ?, refunded_original_minor = ?,
    completed_at_ms = ?
  WHERE pk = ?`;

/** What a card spent, and what was spent from those in whose place it is: its limit goes on where theirs ended. */
const spentFromEach = `
  WITH RECURSIVE line (card_pk, spender_pk) AS (
    SELECT value, value FROM json_each(?)
    UNION ALL
    SELECT line.card_pk, r.old_card_pk FROM line JOIN replacements r ON r.new_card_pk = line.spender_pk
  )
  SELECT line.card_pk AS cardPk,
    sum(iif(spent_at_ms >= ?, spent_minor, 0)) AS dayMinor,
    sum(iif(spent_at_ms >= ?, spent_minor, 0)) AS weekMinor,
    sum(iif(spent_at_ms >= ?, spent_minor, 0)) AS monthMinor,
    sum(spent_minor) AS lifetimeMinor,
    sum(iif(spent_at_ms >= ?, spent_eur_minor, 0)) AS dayEurMinor,
    sum(iif(spent_at_ms >= ?, spent_eur_minor, 0)) AS rolling32DaysEurMinor
  FROM line JOIN transactions t ON t.card_pk = line.spender_pk GROUP BY line.card_pk`;

/** Most cards have spent nothing and took nobody's place, which this says at a fraction of the cost. */
const hasHistory = `
  SELECT 1 FROM transactions WHERE card_pk = ? UNION ALL SELECT 1 FROM replacements WHERE new_card_pk = ? LIMIT 1`;

type TransactionRow = Omit<TransactionRecord, "merchant"> & { readonly merchant: string | null };

export function transactions(database: Database): Store["transactions"] {
  const get = (sql: string, ...params: SqlValue[]) => {
    const row = database.get<TransactionRow>(sql, ...params);
    return row && recordOf(row);
  };
  const spent = (cardPks: readonly number[], { dayMs, weekMs, monthMs, rolling32DaysMs }: PeriodStarts) =>
    database.all<CardSpending & { readonly cardPk: number }>(
      spentFromEach,
      JSON.stringify(cardPks),
      dayMs,
      weekMs,
      monthMs,
      dayMs,
      rolling32DaysMs,
    );
  return {
    insert(transaction) {
      const values = [...changing(transaction), ...lasting(transaction), transaction.companyPk];
      const row = database.get<{ pk: number }>(insert, ...values);
      return { ...transaction, pk: inserted(row) };
    },
    update: (transaction) => void database.run(update, ...changing(transaction), transaction.pk),
    byId: (companyPk, id, memberPk) => get(byId, id, companyPk, memberPk ?? null, memberPk ?? null),
    anywhere: (id) => get(anywhere, id),
    spentFrom(cardPk, starts) {
      const hasAny = database.get(hasHistory, cardPk, cardPk) !== undefined;
      return (hasAny ? spent([cardPk], starts)[0] : undefined) ?? nothingSpent;
    },
    spentFromEach: (cardPks, starts) => new Map(spent(cardPks, starts).map((row) => [row.cardPk, row])),
    list(companyPk, filters) {
      const asked = [
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
      ].flatMap((value) => [value ?? null, value ?? null]);
      const { before, limit } = filters;
      return database
        .all<Listed<TransactionRow>>(list, companyPk, before ?? null, ...asked, limit)
        .map(recordOf);
    },
  };
}

/** What may change of a transaction, in the columns' order. */
function changing(transaction: Omit<TransactionRecord, "pk">): SqlValue[] {
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

/** What stays as it was made, in the columns' order. */
function lasting(transaction: Omit<TransactionRecord, "pk">): SqlValue[] {
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

function recordOf<Row extends TransactionRow>(row: Row) {
  return { ...row, merchant: row.merchant === null ? null : JSON.parse(row.merchant) };
}
