import type { Environment } from "../contract/identifiers.ts";
import type { KeyStatus, MemberStatus } from "../rules/company.ts";
import { type Caller, type CallerRow, callerColumns, callerOf } from "./callers.ts";
import { countOf, type Database, inserted, limitParameter } from "./database.ts";

export interface NewApiKey {
  readonly id: string;
  readonly companyPk: number;
  readonly membershipPk: number;
  readonly environment: Environment;
  readonly hash: Uint8Array;
  readonly prefix: string;
  readonly status: KeyStatus;
  /** The secret of a fixture key, which is public; every other key is stored as a hash only. */
  readonly publicSecret: string | null;
  readonly label: string | null;
}

const insert = `
  INSERT INTO api_keys (id, company_pk, membership_pk, environment, hash, prefix, status, public_secret,
    label)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING pk`;

/** @returns the new row's number */
export function insertApiKey(database: Database, key: NewApiKey): number {
  const { id, companyPk, membershipPk, environment, hash, prefix, status, publicSecret, label } = key;
  const values = [id, companyPk, membershipPk, environment, hash, prefix, status, publicSecret, label];
  return inserted(database.get(insert, ...values));
}

/** The end of a WHERE clause that may exclude fixture keys: only they have a public secret. */
const without = (fixtureKeys: boolean) => (fixtureKeys ? "" : " AND public_secret IS NULL");

/** An API key and the member that owns it. */
export interface ApiKeyRecord {
  readonly status: KeyStatus;
  readonly membershipPk: number;
  readonly memberStatus: MemberStatus;
  readonly caller: Caller;
}

const withOwner = `
  SELECT k.status, k.membership_pk AS membershipPk, s.status AS memberStatus, ${callerColumns}
  FROM api_keys k
  JOIN memberships s ON s.pk = k.membership_pk
  JOIN companies c ON c.pk = s.company_pk
  JOIN members m ON m.pk = s.member_pk`;

/** @param fixtureKeys - whether fixture keys are found too */
export function apiKeyByHash(
  database: Database,
  fixtureKeys: boolean,
  hash: Uint8Array,
): ApiKeyRecord | undefined {
  return recordOf(database.get(`${withOwner} WHERE k.hash = ?${without(fixtureKeys)}`, hash));
}

/** @param fixtureKeys - whether fixture keys are found too */
export function apiKeyById(database: Database, fixtureKeys: boolean, id: string): ApiKeyRecord | undefined {
  return recordOf(database.get(`${withOwner} WHERE k.id = ?${without(fixtureKeys)}`, id.toLowerCase()));
}

function recordOf(row: (CallerRow & Omit<ApiKeyRecord, "caller">) | undefined): ApiKeyRecord | undefined {
  if (!row) return undefined;
  const { status, membershipPk, memberStatus, ...caller } = row;
  return { status, membershipPk, memberStatus, caller: callerOf(caller) };
}

/** An API key in lists of the control API: never with its secret. */
export interface ListedKey {
  readonly id: string;
  readonly environment: Environment;
  readonly prefix: string;
  readonly status: KeyStatus;
  readonly label: string | null;
  /** The member's slug. */
  readonly member: string;
  /** The company's slug. */
  readonly company: string;
}

const listed = `
  SELECT k.id, k.environment, k.prefix, k.status, k.label, m.slug AS member, c.slug AS company
  FROM api_keys k
  JOIN memberships s ON s.pk = k.membership_pk
  JOIN members m ON m.pk = s.member_pk
  JOIN companies c ON c.pk = k.company_pk`;

/** Keys in the order of their creation, of one company or of all. */
export function listKeys(
  database: Database,
  fixtureKeys: boolean,
  companyPk: number | undefined,
  limit: number,
): ListedKey[] {
  const rest = `${without(fixtureKeys)} ORDER BY k.pk ${limitParameter}`;
  // A condition that also fits every company would not use the index.
  return companyPk === undefined
    ? database.all(`${listed} WHERE true${rest}`, limit)
    : database.all(`${listed} WHERE k.company_pk = ?${rest}`, companyPk, limit);
}

/** @returns the revoked key, or `undefined` if there is none */
export function revokeKey(database: Database, id: string): ListedKey | undefined {
  database.run("UPDATE api_keys SET status = 'revoked' WHERE id = ?", id.toLowerCase());
  return database.get(`${listed} WHERE k.id = ?`, id.toLowerCase());
}

/** How many active keys a company, or one of its memberships, has. */
export function countActiveKeys(
  database: Database,
  fixtureKeys: boolean,
  companyPk: number,
  membershipPk?: number,
): number {
  const query = `
    SELECT count(*) AS n FROM api_keys
    WHERE company_pk = ? AND status = 'active' AND membership_pk = coalesce(?, membership_pk)${without(fixtureKeys)}`;
  return countOf(database, query, companyPk, membershipPk ?? null);
}

/** How many keys a company has, revoked ones included. */
export function countKeys(database: Database, companyPk: number): number {
  return countOf(database, "SELECT count(*) AS n FROM api_keys WHERE company_pk = ?", companyPk);
}

/** Finds a key by its id. */
export function findKey(
  database: Database,
  id: string,
): { readonly pk: number; readonly companyPk: number; readonly environment: Environment } | undefined {
  return database.get(
    "SELECT pk, company_pk AS companyPk, environment FROM api_keys WHERE id = ?",
    id.toLowerCase(),
  );
}

/** A fixture key's secret, which is public. */
export function publicSecretOf(database: Database, fixtureKeys: boolean, id: string): string | undefined {
  const query = `SELECT public_secret AS secret FROM api_keys WHERE id = ?`;
  const secret = fixtureKeys && database.get<{ secret: string | null }>(query, id)?.secret;
  return secret || undefined;
}
