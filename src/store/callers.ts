import type { CompanyId, Environment, MemberId } from "../contract/identifiers.ts";
import type { Area } from "../contract/operations.ts";
import type { Role } from "../rules/company.ts";
import { hashOfSecret } from "../rules/random.ts";
import { type Database, inserted } from "./database.ts";

/** The member who sends a request, and the company for which it acts. `…Pk` are row numbers of the store. */
export interface Caller {
  readonly environment: Environment;
  readonly companyPk: number;
  readonly companyId: CompanyId;
  readonly companySlug: string;
  readonly entitlements: readonly Area[];
  /** How far the company's time is ahead of the sandbox's clock. */
  readonly clockOffsetMs: number;
  readonly memberPk: number;
  readonly memberId: MemberId;
  readonly memberSlug: string;
  readonly role: Role;
  /** The API key behind the access token, or the one that is exchanged. */
  readonly apiKeyPk: number;
  readonly apiKeyId: string;
  readonly apiKeyPrefix: string;
}

/** The row number and the names of a company. After a reset, a new company can have the id of an earlier one. */
export type CompanyNames = Pick<Caller, "companyPk" | "companyId" | "companySlug" | "environment">;

/** The columns of a `CallerRow`: `c` is the company, `m` the member, `s` the membership, `k` the API key. */
export const callerColumns = `
  c.environment, c.pk AS companyPk, c.id AS companyId, c.slug AS companySlug, c.entitlements,
  c.clock_offset_ms AS clockOffsetMs, m.pk AS memberPk, m.id AS memberId, m.slug AS memberSlug, s.role,
  k.pk AS apiKeyPk, k.id AS apiKeyId, k.prefix AS apiKeyPrefix`;

export type CallerRow = Omit<Caller, "entitlements"> & { readonly entitlements: string };

export function callerOf<Row extends CallerRow>(row: Row) {
  return { ...row, entitlements: areasOf(row.entitlements) };
}

/** The areas that a company is entitled to, from the text in its row. */
export function areasOf(entitlements: string): Area[] {
  return entitlements === "" ? [] : (entitlements.split(" ") as Area[]);
}

const inCompany = `
  SELECT ${callerColumns}
  FROM companies c
  JOIN memberships s ON s.company_pk = c.pk
  JOIN members m ON m.pk = s.member_pk
  JOIN api_keys k ON k.pk = ?
  WHERE c.id = ? AND s.member_pk = ? AND s.status = 'active'`;

/** The caller as an active member of another company. */
export function callerInCompany(
  database: Database,
  caller: Caller,
  companyId: CompanyId,
): Caller | undefined {
  const row = database.get<CallerRow>(inCompany, caller.apiKeyPk, companyId, caller.memberPk);
  return row && callerOf(row);
}

const insertToken = `
  INSERT INTO access_tokens (hash, company_pk, api_key_pk, expires_at_ms)
  VALUES (?, ?, ?, ?) RETURNING pk`;

/** @returns the new row's number */
export function insertAccessToken(
  database: Database,
  token: {
    readonly hash: Uint8Array;
    readonly companyPk: number;
    readonly apiKeyPk: number;
    readonly expiresAtMs: number;
  },
): number {
  return inserted(database.get(insertToken, token.hash, token.companyPk, token.apiKeyPk, token.expiresAtMs));
}

/** The latest tokens stay after they expired: their 401 response then names the expiry. */
const latestTokens = 10_000;

/** Tokens expire roughly in the order of their rows, so a valid token among the oldest delays few others. */
const deleteExpired = `
  DELETE FROM access_tokens WHERE pk IN (
    SELECT t.pk FROM (
      SELECT pk, company_pk, expires_at_ms FROM access_tokens WHERE pk <= ? - ${latestTokens} ORDER BY pk LIMIT 4
    ) t
    JOIN companies c ON c.pk = t.company_pk
    WHERE t.expires_at_ms <= ? + c.clock_offset_ms)`;

/** Deletes a few of the oldest expired tokens, so that they do not accumulate. Call it for each new token. */
export function deleteExpiredTokens(database: Database, latestPk: number, nowMs: number): void {
  if (latestPk > latestTokens) database.run(deleteExpired, latestPk, nowMs);
}

const byHash = `
  SELECT t.expires_at_ms AS expiresAtMs, ${callerColumns}
  FROM access_tokens t
  JOIN api_keys k ON k.pk = t.api_key_pk
  JOIN memberships s ON s.pk = k.membership_pk
  JOIN companies c ON c.pk = s.company_pk
  JOIN members m ON m.pk = s.member_pk
  WHERE t.hash = ?`;

interface AccessToken {
  readonly expiresAtMs: number;
  readonly caller: Caller;
}

/** The tables whose changes invalidate the cached callers. A new row changes no cached caller. */
const invalidatingChanges = {
  companies: ["UPDATE OF slug, entitlements, clock_offset_ms", "DELETE"],
  members: ["UPDATE", "DELETE"],
  memberships: ["UPDATE", "DELETE"],
  api_keys: ["UPDATE", "DELETE"],
  access_tokens: ["UPDATE", "DELETE"],
};

const mostCached = 1000;

/**
 * Finds callers by their access tokens, and caches them: most requests come from the same few callers. Temporary
 * triggers empty the cache when a statement changes a row that callers are built from.
 */
export class Callers {
  readonly #database: Database;
  readonly #cache = new Map<string, AccessToken>();
  #isCaching = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Starts caching. Call it after the tables exist and outside a transaction: a rollback would drop the triggers. */
  startCaching(): void {
    this.#database.define("empty_caller_cache", () => this.#cache.clear());
    const triggers = Object.entries(invalidatingChanges).flatMap(([table, events]) =>
      events.map(
        (event, n) => `
          CREATE TEMP TRIGGER empty_caller_cache_${table}_${n} AFTER ${event} ON main.${table}
          BEGIN SELECT empty_caller_cache(); END;`,
      ),
    );
    this.#database.exec(triggers.join(""));
    this.#isCaching = true;
  }

  byAccessToken(accessToken: string): AccessToken | undefined {
    const cached = this.#cache.get(accessToken);
    if (cached) return cached;
    const row = this.#database.get<CallerRow & { expiresAtMs: number }>(byHash, hashOfSecret(accessToken));
    if (!row) return undefined;
    const { expiresAtMs, ...caller } = row;
    const found = { expiresAtMs, caller: callerOf(caller) };
    if (this.#isCaching) {
      if (this.#cache.size >= mostCached) this.#cache.clear();
      this.#cache.set(accessToken, found);
    }
    return found;
  }
}
