import type { SpendingLimitPeriod } from "../contract/amount.ts";
import type { CardStatus, CardType } from "../contract/card.ts";
import type { ParcelStatus } from "../contract/delivery-address.ts";
import type {
  AccountId,
  CardId,
  CompanyId,
  Environment,
  IdempotencyKey,
  MemberId,
} from "../contract/identifiers.ts";
import type { OperationId } from "../contract/operations.ts";
import { hasEnded } from "../rules/card-transitions.ts";
import type { CompanyStatus } from "../rules/company.ts";
import type { CardLimitsMinor, SpendingLimit } from "../rules/limits.ts";
import { endOfDay } from "../rules/uk-calendar.ts";
import { limitColumns, limitsOf } from "./companies.ts";
import { type Database, limitParameter, optional, type SqlValue } from "./database.ts";

/** A card. Neither its PIN nor its number is stored. */
export interface CardRecord {
  readonly id: CardId;
  readonly token: string;
  readonly companyId: CompanyId;
  readonly accountId: AccountId;
  readonly memberId: MemberId;
  readonly type: CardType;
  readonly designId: string;
  readonly status: CardStatus;
  readonly name: string;
  readonly lastFour: string;
  readonly expiryDate: string;
  readonly autoConvert: boolean;
  readonly threeDsBiometric: boolean;
  readonly spendingLimit: SpendingLimit | null;
  readonly currency: string;
  readonly limits: CardLimitsMinor;
  readonly createdAtMs: number;
}

/** A card with its row's number. */
export interface ListedCard {
  readonly pk: number;
  /** The card's number in its company, from 1. */
  readonly position: number;
  readonly card: CardRecord;
}

/** A card with the rows that it refers to, and its company's status and clock. */
export interface StoredCard extends ListedCard {
  readonly companyPk: number;
  readonly companyStatus: CompanyStatus;
  readonly clockOffsetMs: number;
  readonly accountPk: number;
  readonly memberPk: number;
  /** The status that it had before the operator suspended, locked or blocked it. */
  readonly heldFrom: CardStatus | null;
  /** Hash of the order, to recognise a repeated one. */
  readonly orderDigest: string | null;
}

/**
 * A card expires by its company's clock. Every query computes the status from the time, so nothing depends on when the
 * expiry is recorded. The parameter is the time by the sandbox's clock, here and as the first one of each query below.
 */
const statusNow = `
  iif(k.expires_at_ms <= ? + c.clock_offset_ms AND k.status <> 'terminated', 'expired', k.status)`;

/** The columns of a `ListedCardRow`. Each column that a list does not need would cost 1 % of its time. */
const listedColumns = `
  k.pk, k.position, k.id, k.token, c.id AS companyId, a.id AS accountId, m.id AS memberId, k.type,
  k.design_id AS designId, ${statusNow} AS statusNow, k.name, k.last_four AS lastFour, k.expiry_date AS expiryDate,
  k.auto_convert AS autoConvert, k.three_ds_biometric AS threeDsBiometric, k.limit_period AS limitPeriod,
  k.limit_amount_minor AS limitAmountMinor, a.currency, ${limitColumns("k")}, k.created_at_ms AS createdAtMs`;

const tables = `
  FROM cards k
  JOIN companies c ON c.pk = k.company_pk
  JOIN accounts a ON a.pk = k.account_pk
  JOIN members m ON m.pk = k.member_pk`;

const selected = `
  SELECT ${listedColumns}, k.company_pk AS companyPk, c.status AS companyStatus,
    c.clock_offset_ms AS clockOffsetMs, k.account_pk AS accountPk, k.member_pk AS memberPk,
    k.held_from AS heldFrom, k.order_digest AS orderDigest
  ${tables}`;

type ListedCardRow = Omit<ListedCard, "card"> &
  Omit<CardRecord, "status" | "autoConvert" | "threeDsBiometric" | "spendingLimit" | "limits"> &
  CardLimitsMinor & {
    readonly statusNow: CardStatus;
    readonly autoConvert: number;
    readonly threeDsBiometric: number;
    readonly limitPeriod: SpendingLimitPeriod | null;
    readonly limitAmountMinor: number | null;
  };

type CardRow = ListedCardRow & Omit<StoredCard, "card">;

function storedCardOf(row: CardRow): StoredCard {
  return {
    pk: row.pk,
    position: row.position,
    companyPk: row.companyPk,
    companyStatus: row.companyStatus,
    clockOffsetMs: row.clockOffsetMs,
    accountPk: row.accountPk,
    memberPk: row.memberPk,
    heldFrom: row.heldFrom,
    orderDigest: row.orderDigest,
    card: cardRecordOf(row),
  };
}

function cardRecordOf(row: ListedCardRow): CardRecord {
  return {
    id: row.id,
    token: row.token,
    companyId: row.companyId,
    accountId: row.accountId,
    memberId: row.memberId,
    type: row.type,
    designId: row.designId,
    status: row.statusNow,
    name: row.name,
    lastFour: row.lastFour,
    expiryDate: row.expiryDate,
    autoConvert: row.autoConvert === 1,
    threeDsBiometric: row.threeDsBiometric === 1,
    spendingLimit:
      row.limitPeriod === null || row.limitAmountMinor === null
        ? null
        : { period: row.limitPeriod, amountMinor: row.limitAmountMinor },
    currency: row.currency,
    limits: limitsOf(row),
    createdAtMs: row.createdAtMs,
  };
}

function get(database: Database, query: string, ...params: SqlValue[]): StoredCard | undefined {
  const row = database.get<CardRow>(query, ...params);
  return row && storedCardOf(row);
}

// Constant query texts: a text joined at each call would be hashed again to find its prepared statement.
const byId = `${selected} WHERE k.id = ?`;

/** Finds a card of any company. `nowMs` is the time by the sandbox's clock, here and in the functions below. */
export function findCard(database: Database, nowMs: number, id: string): StoredCard | undefined {
  return get(database, byId, nowMs, id.toLowerCase());
}

const byPk = `${selected} WHERE k.pk = ?`;

export function findCardByPk(database: Database, nowMs: number, pk: number): StoredCard | undefined {
  return get(database, byPk, nowMs, pk);
}

const ofCompany = `${selected} WHERE k.company_pk = ? AND k.id = ?`;

export function cardOfCompany(
  database: Database,
  nowMs: number,
  companyPk: number,
  id: CardId,
): StoredCard | undefined {
  return get(database, ofCompany, nowMs, companyPk, id);
}

const inEnvironment = `
  SELECT 1 FROM cards k JOIN companies c ON c.pk = k.company_pk WHERE c.environment = ? AND k.id = ?`;

/** Whether a company of the environment has a card with this id. */
export function cardExists(database: Database, environment: Environment, id: string): boolean {
  return database.get(inEnvironment, environment, id.toLowerCase()) !== undefined;
}

/** The scope of an idempotency key. It does not depend on access tokens or API keys. */
export interface IdempotencyScope {
  readonly companyPk: number;
  readonly memberPk: number;
  readonly operation: OperationId;
  readonly key: IdempotencyKey;
}

const byIdempotencyKey = `
  ${selected}
  WHERE k.company_pk = ? AND k.member_pk = ? AND k.operation = ? AND k.idempotency_key = ?`;

export function cardByIdempotencyKey(
  database: Database,
  nowMs: number,
  { companyPk, memberPk, operation, key }: IdempotencyScope,
): StoredCard | undefined {
  return get(database, byIdempotencyKey, nowMs, companyPk, memberPk, operation, key);
}

const byReplacementKey = `
  ${selected}
  JOIN replacements r ON r.new_card_pk = k.pk
  WHERE r.company_pk = ? AND r.member_pk = ? AND r.idempotency_key = ?`;

/** The card that a replacement with the key created. */
export function cardByReplacementKey(
  database: Database,
  nowMs: number,
  { companyPk, memberPk, key }: Omit<IdempotencyScope, "operation">,
): StoredCard | undefined {
  return get(database, byReplacementKey, nowMs, companyPk, memberPk, key);
}

/** Filters of a company's cards. An absent one filters nothing. */
export interface CardFilters {
  readonly memberPk?: number | undefined;
  readonly tokens?: readonly string[] | undefined;
  readonly account_id?: AccountId | undefined;
  readonly user_id?: MemberId | undefined;
  readonly status?: readonly CardStatus[] | undefined;
  readonly type?: CardType | undefined;
  /** Only cards before this position, which are older. */
  readonly before?: number | undefined;
  readonly limit: number;
}

const list = `
  SELECT ${listedColumns}
  ${tables}
  WHERE k.company_pk = ? AND k.position < coalesce(?, 9007199254740991)
    AND (? IS NULL OR k.member_pk = ?)
    AND (? IS NULL OR k.token IN (SELECT value FROM json_each(?)))
    AND (? IS NULL OR a.id = ?)
    AND (? IS NULL OR m.id = ?)
    AND (? IS NULL OR statusNow IN (SELECT value FROM json_each(?)))
    AND (? IS NULL OR k.type = ?)
  ORDER BY k.position DESC ${limitParameter}`;

/** The newest first. */
export function pageOfCards(
  database: Database,
  nowMs: number,
  companyPk: number,
  { memberPk, tokens, account_id, user_id, status, type, before, limit }: CardFilters,
): ListedCard[] {
  const filters = optional(
    memberPk,
    tokens && JSON.stringify(tokens),
    account_id,
    user_id,
    status && JSON.stringify(status),
    type,
  );
  const rows = database.all<ListedCardRow>(list, nowMs, companyPk, before ?? null, ...filters, limit);
  return rows.map((row) => ({ pk: row.pk, position: row.position, card: cardRecordOf(row) }));
}

/** The rows that a new card refers to. `idempotency` is null for a card of the fixtures. */
export interface CardPlace {
  readonly companyPk: number;
  readonly accountPk: number;
  readonly memberPk: number;
  /** The card's number in its company, from 1; also its position in the company's list. */
  readonly number: number;
  readonly idempotency: Pick<IdempotencyScope, "operation" | "key"> | null;
  /** Hash of the order, to recognise a repeated one. */
  readonly orderDigest?: string | undefined;
}

const insert = `
  INSERT INTO cards (id, token, company_pk, account_pk, member_pk, type, design_id, status, name, last_four,
    expiry_date, expires_at_ms, auto_convert, three_ds_biometric, limit_period, limit_amount_minor,
    max_per_purchase_minor, daily_minor, rolling_32_days_minor, created_at_ms, operation, idempotency_key,
    position, order_digest)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** An upsert would take 3 % of an order's throughput: most cards expire on a day that is counted already. */
const count = `
  UPDATE card_counts SET made = made + 1, not_ended = not_ended + ? WHERE company_pk = ? AND expires_at_ms = ?`;

const countFirst = `
  INSERT INTO card_counts (not_ended, company_pk, expires_at_ms, made) VALUES (?, ?, ?, 1)`;

/** Inserts a card and counts it. */
export function insertCard(database: Database, card: CardRecord, place: CardPlace): void {
  const expiresAtMs = endOfDay(card.expiryDate);
  database.run(
    insert,
    card.id,
    card.token,
    place.companyPk,
    place.accountPk,
    place.memberPk,
    card.type,
    card.designId,
    card.status,
    card.name,
    card.lastFour,
    card.expiryDate,
    expiresAtMs,
    card.autoConvert ? 1 : 0,
    card.threeDsBiometric ? 1 : 0,
    card.spendingLimit?.period ?? null,
    card.spendingLimit?.amountMinor ?? null,
    card.limits.maxPerPurchaseMinor,
    card.limits.dailyMinor,
    card.limits.rolling32DaysMinor,
    card.createdAtMs,
    place.idempotency?.operation ?? null,
    place.idempotency?.key ?? null,
    place.number,
    place.orderDigest ?? null,
  );
  const counted = [hasEnded(card.status) ? 0 : 1, place.companyPk, expiresAtMs];
  if (database.run(count, ...counted) === 0) database.run(countFirst, ...counted);
}

const update = `
  UPDATE cards SET status = ?, held_from = ?, name = ?, auto_convert = ?, limit_period = ?,
    limit_amount_minor = ?
  WHERE pk = ?`;

const countEnded = `
  UPDATE card_counts SET not_ended = not_ended - 1
  WHERE company_pk = ? AND expires_at_ms = (SELECT expires_at_ms FROM cards WHERE pk = ?)`;

/** @param hasJustEnded - whether the card no longer counts against its company's quota */
export function updateCard(database: Database, stored: StoredCard, hasJustEnded: boolean): void {
  const { pk, companyPk, card, heldFrom } = stored;
  const { status, name, autoConvert, spendingLimit } = card;
  const limit = [spendingLimit?.period ?? null, spendingLimit?.amountMinor ?? null];
  database.run(update, status, heldFrom, name, autoConvert ? 1 : 0, ...limit, pk);
  if (hasJustEnded) database.run(countEnded, companyPk, pk);
}

const recordReplaced = `
  INSERT INTO replacements (company_pk, member_pk, idempotency_key, carries_spending, old_card_pk, new_card_pk)
  VALUES (?, ?, ?, ?, ?, (SELECT pk FROM cards WHERE id = ?))`;

/** Records that a card replaced another, and the idempotency key of the request. */
export function recordReplacement(
  database: Database,
  replacement: Omit<IdempotencyScope, "operation"> & {
    readonly oldPk: number;
    readonly newId: CardId;
    /** Whether the spending of the old card counts against the limits of the new one. */
    readonly carriesSpending: boolean;
  },
): void {
  const { companyPk, memberPk, key, oldPk, newId, carriesSpending } = replacement;
  database.run(recordReplaced, companyPk, memberPk, key, carriesSpending ? 1 : 0, oldPk, newId);
}

/** Whether another card replaced this one. */
export function isReplaced(database: Database, pk: number): boolean {
  return database.get("SELECT 1 FROM replacements WHERE old_card_pk = ?", pk) !== undefined;
}

/** The delivery of a physical card (assumed). */
export interface Parcel {
  readonly status: ParcelStatus;
  readonly movedAtMs: number;
}

const parcel = `
  SELECT parcel_status AS status, parcel_moved_at_ms AS movedAtMs FROM cards
  WHERE pk = ? AND parcel_status IS NOT NULL`;

/** The parcel of a card; undefined until its first change. */
export function parcelOf(database: Database, pk: number): Parcel | undefined {
  return database.get(parcel, pk);
}

export function updateParcel(database: Database, pk: number, { status, movedAtMs }: Parcel): void {
  database.run(
    "UPDATE cards SET parcel_status = ?, parcel_moved_at_ms = ? WHERE pk = ?",
    status,
    movedAtMs,
    pk,
  );
}

/** How many of the latest `limit` cards of a company, or of all, have each status, the most frequent first. */
export function countCardsByStatus(
  database: Database,
  nowMs: number,
  companyPk: number | undefined,
  limit: number,
): { readonly status: CardStatus; readonly count: number }[] {
  const latest = companyPk === undefined ? "ORDER BY pk DESC" : "WHERE company_pk = ? ORDER BY position DESC";
  const query = `
    SELECT ${statusNow} AS statusNow, count(*) AS n
    FROM (SELECT company_pk, expires_at_ms, status FROM cards ${latest} ${limitParameter}) k
    JOIN companies c ON c.pk = k.company_pk
    GROUP BY statusNow ORDER BY n DESC, statusNow`;
  const company = companyPk === undefined ? [] : [companyPk];
  return database
    .all<{ statusNow: CardStatus; n: number }>(query, nowMs, ...company, limit)
    .map(({ statusNow: status, n: count }) => ({ status, count }));
}

/** A company and how many of the latest cards it has. */
export interface LatestCards {
  readonly companyPk: number;
  readonly clockOffsetMs: number;
  readonly limit: number;
}

/** The companies that have the latest cards. */
export function companiesOfLatestCards(database: Database, cards: number): LatestCards[] {
  const query = `
    SELECT c.pk AS companyPk, c.clock_offset_ms AS clockOffsetMs, count(*) AS "limit"
    FROM (SELECT company_pk FROM cards ORDER BY pk DESC ${limitParameter}) k JOIN companies c ON c.pk = k.company_pk
    GROUP BY c.pk ORDER BY c.pk`;
  return database.all(query, cards);
}

/** Filters of the cards of a company or of all. An absent one filters nothing. */
export interface CardSearch {
  readonly companyPk?: number | undefined;
  readonly status?: CardStatus | undefined;
  /** The card's id, its last four digits or a part of its name. */
  readonly text?: string | undefined;
}

const search = `
  SELECT k.pk, ${statusNow} AS statusNow FROM cards k CROSS JOIN companies c ON c.pk = k.company_pk
  WHERE (? IS NULL OR k.company_pk = ?)
    AND (? IS NULL OR statusNow = ?)
    AND (? IS NULL OR k.id = ? OR k.last_four = ? OR instr(lower(k.name), ?))
  ORDER BY k.pk DESC ${limitParameter}`;

/** The row numbers of the cards that match, the latest first. It reads every card if few match. */
export function searchCards(
  database: Database,
  nowMs: number,
  { companyPk, status, text }: CardSearch,
  limit: number,
): number[] {
  const word = text?.toLowerCase() ?? null;
  const filters = [...optional(companyPk, status), word, word, word, word];
  return database.all<{ pk: number }>(search, nowMs, ...filters, limit).map(({ pk }) => pk);
}

/** Where a card came from, and the card that replaced it. */
export interface CardOrigin {
  /** The Idempotency-Key of the request that made the card; null for a card of the fixtures. */
  readonly key: string | null;
  /** The row number and the name of the member who sent that request. */
  readonly memberPk: number;
  readonly member: string;
  /** The card that this card replaced. */
  readonly replaces: string | null;
  readonly replacedBy: string | null;
  readonly replacedAtMs: number | null;
  /** The name of the member who replaced this card. */
  readonly replacedByMember: string | null;
}

const origin = `
  SELECT coalesce(k.idempotency_key, r.idempotency_key) AS key, m.pk AS memberPk, m.name AS member,
    o.id AS replaces, n.id AS replacedBy, n.created_at_ms AS replacedAtMs, b.name AS replacedByMember
  FROM cards k
  LEFT JOIN replacements r ON r.new_card_pk = k.pk
  LEFT JOIN cards o ON o.pk = r.old_card_pk
  JOIN members m ON m.pk = coalesce(r.member_pk, k.member_pk)
  LEFT JOIN replacements l ON l.old_card_pk = k.pk
  LEFT JOIN cards n ON n.pk = l.new_card_pk
  LEFT JOIN members b ON b.pk = l.member_pk
  WHERE k.pk = ? LIMIT 1`;

export function originOfCard(database: Database, pk: number): CardOrigin | undefined {
  return database.get(origin, pk);
}

/** The names of a card's company and holder. */
export interface CardHolder {
  readonly cardId: string;
  readonly companyId: string;
  readonly company: string;
  readonly holder: string;
  /** The account's slug. */
  readonly account: string;
}

export function holdersOfCards(database: Database, ids: readonly string[]): CardHolder[] {
  const query = `
    SELECT k.id AS cardId, c.id AS companyId, c.name AS company, m.name AS holder, a.slug AS account
    FROM cards k
    JOIN companies c ON c.pk = k.company_pk
    JOIN members m ON m.pk = k.member_pk
    JOIN accounts a ON a.pk = k.account_pk
    WHERE k.id IN (SELECT value FROM json_each(?))`;
  return database.all(query, JSON.stringify(ids));
}
