import type { CardStatus, CardType } from "../contract/card.ts";
import type { ParcelStatus } from "../contract/delivery-address.ts";
import type { AccountId, CardId, CompanyId, IdempotencyKey, MemberId } from "../contract/identifiers.ts";
import type { OperationId } from "../contract/operations.ts";
import type { SpendingLimitPeriod } from "../contract/spending-limit.ts";
import { hasEnded } from "../rules/card-transitions.ts";
import type { Clock } from "../rules/clock.ts";
import type { CardLimitsMinor, SpendingLimit } from "../rules/spending-limit.ts";
import type { CompanyStatus } from "../rules/statuses.ts";
import { endOfDay } from "../rules/uk-calendar.ts";
import { type LimitColumns, limitsOf } from "./card-limits.ts";
import type { Database, SqlValue } from "./database.ts";
import type { Store } from "./open-store.ts";

/** A card as it is kept. Neither a PIN nor a card number is among it. */
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

/** A card, and its row's number. */
export interface NumberedCard {
  readonly pk: number;
  readonly card: CardRecord;
  /** Of a card that was found by its idempotency key, as `CardPlace` says. */
  readonly orderDigest?: string | undefined;
}

/** A card with what the store alone knows of it. */
export interface KeptCard extends NumberedCard {
  readonly companyPk: number;
  readonly memberPk: number;
  /** The state in which the operator's hold found it. */
  readonly heldFrom: CardStatus | null;
}

/** A card whose expiry was just recorded: its number in its company, its status before, and the time of its expiry. */
export interface DueCard {
  readonly number: number;
  readonly status: CardStatus;
  /** By the company's clock. */
  readonly atMs: number;
}

/** Where the parcel of a physical card is (assumed). */
export interface Parcel {
  readonly status: ParcelStatus;
  readonly movedAtMs: number;
}

/** A card, and the rows and the time that a payment by it goes by. */
export interface SpendingCard extends NumberedCard {
  readonly companyPk: number;
  readonly accountPk: number;
  readonly companyStatus: CompanyStatus;
  readonly clockOffsetMs: number;
}

/** Which of a company's cards are meant; what is absent filters nothing. */
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

/** Within which an idempotency key means one thing; it outlives tokens and API keys. A company is of one environment. */
export interface IdempotencyScope {
  readonly companyPk: number;
  readonly memberPk: number;
  readonly operation: OperationId;
  readonly key: IdempotencyKey;
}

/** The rows that a new card points to; `idempotency` is null for a card of the seed world. */
export interface CardPlace {
  readonly companyPk: number;
  readonly accountPk: number;
  readonly memberPk: number;
  /** Which of its company's cards it is, from 1; also its position in the company's list. */
  readonly number: number;
  readonly idempotency: Pick<IdempotencyScope, "operation" | "key"> | null;
  /** Hash of the order, to recognise a repeated one. */
  readonly orderDigest?: string | undefined;
}

/**
 * A card expires by its company's clock. Every query computes the status from the time, so nothing depends on when
 * `expire` records it. The parameter is the time by the sandbox's clock.
 */
const statusNow = `
  iif(k.expires_at_ms <= ? + c.clock_offset_ms AND k.status <> 'terminated', 'expired', k.status)`;

/** Their first parameter is the one of `statusNow`. */
const columns = `
  k.pk, k.position, k.id, k.token, c.id AS company_id, a.id AS account_id, m.id AS member_id, k.type, k.design_id,
    ${statusNow} AS status_now, k.name, k.last_four, k.expiry_date, k.auto_convert, k.three_ds_biometric, k.limit_period,
    k.limit_amount_minor, a.currency, k.max_per_purchase_minor, k.daily_minor, k.rolling_32_days_minor,
    k.created_at_ms, k.company_pk, k.member_pk, k.held_from
  FROM cards k
  JOIN companies c ON c.pk = k.company_pk
  JOIN accounts a ON a.pk = k.account_pk
  JOIN members m ON m.pk = k.member_pk`;

const byIdempotencyKey = `
  SELECT k.order_digest, ${columns}
  WHERE k.company_pk = ? AND k.member_pk = ? AND k.operation = ? AND k.idempotency_key = ?`;

const byReplacementKey = `
  SELECT ${columns}
  JOIN replacements r ON r.new_card_pk = k.pk
  WHERE r.company_pk = ? AND r.member_pk = ? AND r.idempotency_key = ?`;

const byId = `SELECT ${columns} WHERE k.company_pk = ? AND k.id = ?`;

const byIdAlone = `SELECT ${columns} WHERE k.id = ?`;

/** Parameters: company, the last position before, the last position, time by the sandbox's clock. */
const due = `
  company_pk = ? AND position > ? AND position <= ? AND status <> 'terminated' AND status <> 'expired'
    AND expires_at_ms <= ? + (SELECT clock_offset_ms FROM companies WHERE pk = company_pk)`;

/** Only companies with webhooks: the others need no record, because every query computes which cards have expired. */
const companiesWithDue = `
  SELECT c.pk AS companyPk, c.id AS companyId, (
    SELECT total(made) FROM card_counts m WHERE m.company_pk = c.pk
  ) AS cardsMade
  FROM companies c
  WHERE EXISTS (SELECT 1 FROM webhooks w WHERE w.company_pk = c.pk) AND EXISTS (
    SELECT 1 FROM card_counts n
    WHERE n.company_pk = c.pk AND n.not_ended > 0 AND n.expires_at_ms <= ? + c.clock_offset_ms)
  ORDER BY c.pk`;

const nextExpiry = `
  SELECT min(n.expires_at_ms - c.clock_offset_ms) AS atMs
  FROM companies c JOIN card_counts n ON n.company_pk = c.pk
  WHERE n.not_ended > 0 AND c.pk IN (SELECT company_pk FROM webhooks)`;

const anywhere = `
  SELECT k.account_pk, c.status AS company_status, c.clock_offset_ms, ${columns} WHERE k.id = ?`;

const list = `
  SELECT ${columns}
  WHERE k.company_pk = ? AND k.position < coalesce(?, 9007199254740991)
    AND (? IS NULL OR k.member_pk = ?)
    AND (? IS NULL OR k.token IN (SELECT value FROM json_each(?)))
    AND (? IS NULL OR a.id = ?)
    AND (? IS NULL OR m.id = ?)
    AND (? IS NULL OR status_now IN (SELECT value FROM json_each(?)))
    AND (? IS NULL OR k.type = ?)
  ORDER BY k.position DESC LIMIT ?`;

const insert = `
  INSERT INTO cards (id, token, company_pk, account_pk, member_pk, type, design_id, status, name, last_four,
    expiry_date, expires_at_ms, auto_convert, three_ds_biometric, limit_period, limit_amount_minor,
    max_per_purchase_minor, daily_minor, rolling_32_days_minor, created_at_ms, operation, idempotency_key,
    position, order_digest)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const count = `
  INSERT INTO card_counts (company_pk, expires_at_ms, made, not_ended) VALUES (?, ?, 1, ?)
  ON CONFLICT DO UPDATE SET made = made + 1, not_ended = not_ended + excluded.not_ended`;

const update = `
  UPDATE cards SET status = ?, held_from = ?, name = ?, auto_convert = ?, limit_period = ?,
    limit_amount_minor = ?
  WHERE pk = ?`;

const countEnded = `
  UPDATE card_counts SET not_ended = not_ended - 1
  WHERE company_pk = ? AND expires_at_ms = (SELECT expires_at_ms FROM cards WHERE pk = ?)`;

const countExpired = `
  UPDATE card_counts SET not_ended = not_ended - 1 WHERE company_pk = ? AND expires_at_ms = ?`;

const recordReplacement = `
  INSERT INTO replacements (company_pk, member_pk, idempotency_key, old_card_pk, new_card_pk)
  VALUES (?, ?, ?, ?, (SELECT pk FROM cards WHERE id = ?))`;

const isReplaced = "SELECT 1 FROM replacements WHERE old_card_pk = ?";

const parcel = `
  SELECT parcel_status AS status, parcel_moved_at_ms AS movedAtMs FROM cards
  WHERE pk = ? AND parcel_status IS NOT NULL`;

const moveParcel = "UPDATE cards SET parcel_status = ?, parcel_moved_at_ms = ? WHERE pk = ?";

interface CardRow extends LimitColumns {
  pk: number;
  position: number;
  id: CardId;
  token: string;
  company_id: CompanyId;
  account_id: AccountId;
  member_id: MemberId;
  type: CardType;
  design_id: string;
  status_now: CardStatus;
  name: string;
  last_four: string;
  expiry_date: string;
  auto_convert: number;
  three_ds_biometric: number;
  limit_period: SpendingLimitPeriod | null;
  limit_amount_minor: number | null;
  currency: string;
  created_at_ms: number;
  company_pk: number;
  member_pk: number;
  held_from: CardStatus | null;
}

interface SpendingRow extends CardRow {
  account_pk: number;
  company_status: CompanyStatus;
  clock_offset_ms: number;
}

export function cards(database: Database, clock: Pick<Clock, "now">): Store["cards"] {
  const get = <Row extends CardRow = CardRow>(query: string, ...params: SqlValue[]) =>
    database.get<Row>(query, clock.now(), ...params);
  return {
    byIdempotencyKey({ companyPk, memberPk, operation, key }) {
      type Row = CardRow & { order_digest: string | null };
      const row = get<Row>(byIdempotencyKey, companyPk, memberPk, operation, key);
      return row && { pk: row.pk, card: cardRecordOf(row), orderDigest: row.order_digest ?? undefined };
    },
    byId(companyPk, id) {
      const row = get(byId, companyPk, id);
      return row && keptCardOf(row);
    },
    byReplacementKey(companyPk, memberPk, key) {
      const row = get(byReplacementKey, companyPk, memberPk, key);
      return row && { pk: row.pk, card: cardRecordOf(row) };
    },
    companiesWithDue: () => database.all(companiesWithDue, clock.now()),
    expire({ companyPk, after, last }) {
      const range = [companyPk, after, last, clock.now()];
      const expired = database.all<DueCard>(
        `SELECT position AS number, status, expires_at_ms AS atMs FROM cards WHERE ${due} ORDER BY position`,
        ...range,
      );
      if (expired.length === 0) return expired;
      database.run(`UPDATE cards SET status = 'expired', held_from = NULL WHERE ${due}`, ...range);
      for (const { atMs } of expired) database.run(countExpired, companyPk, atMs);
      return expired;
    },
    nextExpiryMs: () => database.get<{ atMs: number | null }>(nextExpiry)?.atMs ?? undefined,
    anywhere(id) {
      const row = get<SpendingRow>(anywhere, id);
      if (!row) return undefined;
      const { pk, company_pk: companyPk, account_pk, company_status, clock_offset_ms } = row;
      const place = { accountPk: account_pk, companyStatus: company_status, clockOffsetMs: clock_offset_ms };
      return { pk, companyPk, card: cardRecordOf(row), ...place };
    },
    list(companyPk, { memberPk, tokens, account_id, user_id, status, type, before, limit }) {
      const asked = [
        memberPk,
        tokens && JSON.stringify(tokens),
        account_id,
        user_id,
        status && JSON.stringify(status),
        type,
      ].flatMap((value) => [value ?? null, value ?? null]);
      const rows = database.all<CardRow>(list, clock.now(), companyPk, before ?? null, ...asked, limit);
      return rows.map((row) => ({ pk: row.pk, position: row.position, card: cardRecordOf(row) }));
    },
    insert(card, place) {
      database.run(insert, ...columnsOf(card, place));
      database.run(count, place.companyPk, endOfDay(card.expiryDate), hasEnded(card.status) ? 0 : 1);
    },
    update({ pk, companyPk, card, heldFrom }, hasJustEnded) {
      const { status, name, autoConvert, spendingLimit } = card;
      const limit = [spendingLimit?.period ?? null, spendingLimit?.amountMinor ?? null];
      database.run(update, status, heldFrom, name, autoConvert ? 1 : 0, ...limit, pk);
      if (hasJustEnded) database.run(countEnded, companyPk, pk);
    },
    recordReplacement({ companyPk, memberPk, key, oldPk, newId }) {
      database.run(recordReplacement, companyPk, memberPk, key, oldPk, newId);
    },
    isReplaced: (pk) => database.get(isReplaced, pk) !== undefined,
    parcel: (pk) => database.get<Parcel>(parcel, pk),
    moveParcel(pk, { status, movedAtMs }) {
      database.run(moveParcel, status, movedAtMs, pk);
    },
  };
}

function columnsOf(card: CardRecord, place: CardPlace): SqlValue[] {
  return [
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
    endOfDay(card.expiryDate),
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
  ];
}

/**
 * Finds a card of any company by its id.
 * @param nowMs - by the sandbox's clock
 */
export function findCard(database: Database, id: string, nowMs: number): KeptCard | undefined {
  const row = database.get<CardRow>(byIdAlone, nowMs, id.toLowerCase());
  return row && keptCardOf(row);
}

function keptCardOf(row: CardRow): KeptCard {
  return {
    pk: row.pk,
    companyPk: row.company_pk,
    memberPk: row.member_pk,
    heldFrom: row.held_from,
    card: cardRecordOf(row),
  };
}

function cardRecordOf(row: CardRow): CardRecord {
  return {
    id: row.id,
    token: row.token,
    companyId: row.company_id,
    accountId: row.account_id,
    memberId: row.member_id,
    type: row.type,
    designId: row.design_id,
    status: row.status_now,
    name: row.name,
    lastFour: row.last_four,
    expiryDate: row.expiry_date,
    autoConvert: row.auto_convert === 1,
    threeDsBiometric: row.three_ds_biometric === 1,
    spendingLimit:
      row.limit_period === null || row.limit_amount_minor === null
        ? null
        : { period: row.limit_period, amountMinor: row.limit_amount_minor },
    currency: row.currency,
    limits: limitsOf(row),
    createdAtMs: row.created_at_ms,
  };
}

/** A company, and the number of the latest cards that it has. */
export interface LatestCards {
  readonly companyPk: number;
  readonly clockOffsetMs: number;
  readonly limit: number;
}

/** The companies that have the latest cards. */
export function companiesOfLatestCards(database: Database, cards: number): LatestCards[] {
  const query = `
    SELECT c.pk AS companyPk, c.clock_offset_ms AS clockOffsetMs, count(*) AS "limit"
    FROM (SELECT company_pk FROM cards ORDER BY pk DESC LIMIT ?) k JOIN companies c ON c.pk = k.company_pk
    GROUP BY c.pk ORDER BY c.pk`;
  return database.all(query, cards);
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
