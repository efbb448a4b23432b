import type { OperationId } from "../contract/operations.ts";
import { findCardByPk, type IdempotencyScope, type StoredCard } from "./cards.ts";
import { type Database, optional } from "./database.ts";

/** Where a key counts as the same. Undefined: for all members, for all operations. */
export interface SharedScope extends Pick<IdempotencyScope, "companyPk" | "key"> {
  readonly memberPk: number | undefined;
  readonly operation: OperationId | undefined;
}

/** A card and the operation whose key created it. */
export interface KeyedCard {
  readonly operation: OperationId;
  readonly card: StoredCard;
}

const byKey = `
  SELECT pk, operation FROM (
    SELECT pk, operation, company_pk, member_pk, idempotency_key FROM cards
    UNION ALL
    SELECT new_card_pk, 'replaceCard', company_pk, member_pk, idempotency_key FROM replacements)
  WHERE company_pk = ? AND idempotency_key = ? AND (? IS NULL OR member_pk = ?) AND (? IS NULL OR operation = ?)
  ORDER BY pk DESC LIMIT 1`;

/** The latest card that a key created in a scope of a dialect. The scopes without one have indexes, in store/cards.ts. */
export function cardBySharedKey(
  database: Database,
  nowMs: number,
  { companyPk, key, memberPk, operation }: SharedScope,
): KeyedCard | undefined {
  const scope = optional(memberPk, operation);
  const row = database.get<{ pk: number; operation: OperationId }>(byKey, companyPk, key, ...scope);
  const card = row && findCardByPk(database, nowMs, row.pk);
  return row && card && { operation: row.operation, card };
}

/** A card that a key created. */
export interface CreatedCard {
  readonly id: string;
  readonly name: string;
  readonly lastFour: string;
}

const createdByKey = `
  SELECT id, name, last_four AS lastFour FROM cards
  WHERE company_pk = ? AND member_pk = ? AND operation IN ('orderPhysicalCard', 'orderVirtualCard')
    AND idempotency_key = ?
  UNION ALL
  SELECT k.id, k.name, k.last_four FROM replacements r JOIN cards k ON k.pk = r.new_card_pk
  WHERE r.company_pk = ? AND r.member_pk = ? AND r.idempotency_key = ?
  LIMIT 10`;

/** The cards that a member's key created: at most one for each operation. */
export function cardsByKey(
  database: Database,
  { companyPk, memberPk, key }: Omit<IdempotencyScope, "operation">,
): CreatedCard[] {
  const scope = [companyPk, memberPk, key];
  return database.all<CreatedCard>(createdByKey, ...scope, ...scope);
}

/** Frees the key that created a card. */
export function forgetKeyOf(database: Database, cardPk: number): void {
  database.run("UPDATE cards SET operation = NULL, idempotency_key = NULL WHERE pk = ?", cardPk);
  database.run("UPDATE replacements SET idempotency_key = NULL WHERE new_card_pk = ?", cardPk);
}

/** Stores the response that created a card, as JSON. */
export function storeFirstResponse(database: Database, cardId: string, response: string): void {
  database.run("UPDATE cards SET first_response = ? WHERE id = ?", response, cardId);
}

/** The response that created a card; undefined if it was not stored. */
export function firstResponseOf(database: Database, cardPk: number): string | undefined {
  const query = "SELECT first_response AS response FROM cards WHERE pk = ?";
  return database.get<{ response: string | null }>(query, cardPk)?.response ?? undefined;
}

/** A refusal that is stored under its key. */
export interface StoredRefusal {
  /** The contract point. */
  readonly point: string;
  readonly message: string;
  /** By the company's clock. */
  readonly refusedAtMs: number;
}

/** Stores a refusal, in place of an earlier one with the key. */
export function storeRefusal(
  database: Database,
  { companyPk, memberPk, operation, key }: IdempotencyScope,
  { point, message, refusedAtMs }: StoredRefusal,
): void {
  const insert = `
    INSERT OR REPLACE INTO stored_refusals
      (company_pk, idempotency_key, member_pk, operation, point, message, refused_at_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?)`;
  database.run(insert, companyPk, key, memberPk, operation, point, message, refusedAtMs);
}

const refusalByKey = `
  SELECT point, message, refused_at_ms AS refusedAtMs FROM stored_refusals
  WHERE company_pk = ? AND idempotency_key = ? AND (? IS NULL OR member_pk = ?) AND (? IS NULL OR operation = ?)
  ORDER BY refused_at_ms DESC LIMIT 1`;

/** The latest refusal that is stored under a key. */
export function refusalByKeyIn(
  database: Database,
  { companyPk, key, memberPk, operation }: SharedScope,
): StoredRefusal | undefined {
  return database.get<StoredRefusal>(refusalByKey, companyPk, key, ...optional(memberPk, operation));
}
