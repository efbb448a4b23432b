import type { CompanyId, Environment, MemberId } from "../contract/identifiers.ts";
import type { Area } from "../contract/operations.ts";
import type { Role } from "../rules/permissions.ts";
import type { Database } from "./database.ts";

/** The member who calls, in the company acted for. `…Pk` are the store's own row numbers. */
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

/** A company by what it can be named by. */
export type CompanyNames = Pick<Caller, "companyId" | "companySlug" | "environment">;

/** What every query for a caller selects: `c` is the company, `m` the member, `s` the membership, `k` the key. */
export const callerColumns = `
  c.environment, c.pk AS company_pk, c.id AS company_id, c.slug AS company_slug, c.entitlements,
  c.clock_offset_ms,
  m.pk AS member_pk, m.id AS member_id, m.slug AS member_slug, s.role,
  k.pk AS api_key_pk, k.id AS api_key_id, k.prefix AS api_key_prefix`;

export interface CallerRow {
  environment: Environment;
  company_pk: number;
  company_id: CompanyId;
  company_slug: string;
  entitlements: string;
  clock_offset_ms: number;
  member_pk: number;
  member_id: MemberId;
  member_slug: string;
  role: Role;
  api_key_pk: number;
  api_key_id: string;
  api_key_prefix: string;
}

export function callerOf(row: CallerRow): Caller {
  return {
    environment: row.environment,
    companyPk: row.company_pk,
    companyId: row.company_id,
    companySlug: row.company_slug,
    entitlements: areasOf(row.entitlements),
    clockOffsetMs: row.clock_offset_ms,
    memberPk: row.member_pk,
    memberId: row.member_id,
    memberSlug: row.member_slug,
    role: row.role,
    apiKeyPk: row.api_key_pk,
    apiKeyId: row.api_key_id,
    apiKeyPrefix: row.api_key_prefix,
  };
}

/** The areas that a company is entitled to, as its row keeps them. */
export function areasOf(entitlements: string): Area[] {
  return entitlements === "" ? [] : (entitlements.split(" ") as Area[]);
}

/** Of whom callers are made, and when what is known of them may be so no more. A new row changes nobody known. */
const changes = {
  companies: ["UPDATE OF slug, entitlements, clock_offset_ms", "DELETE"],
  members: ["UPDATE", "DELETE"],
  memberships: ["UPDATE", "DELETE"],
  api_keys: ["UPDATE", "DELETE"],
  access_tokens: ["UPDATE", "DELETE"],
};

const mostKnown = 1000;

/**
 * Who calls, by the access token that is sent: nearly each request asks anew for the same few. Whatever changes one of
 * the rows, through whichever statement, forgets all of them.
 */
export function callersKnown<Known>(database: Database) {
  const known = new Map<string, Known>();
  let isWatched = false;
  return {
    /** Begins to keep them. The tables have to be there, and no transaction open: with it, the triggers would be lost. */
    watch() {
      database.define("forget_callers", () => known.clear());
      const triggers = Object.entries(changes).flatMap(([table, events]) =>
        events.map(
          (event, n) => `
            CREATE TEMP TRIGGER forget_callers_of_${table}_${n} AFTER ${event} ON main.${table}
            BEGIN SELECT forget_callers(); END;`,
        ),
      );
      database.exec(triggers.join(""));
      isWatched = true;
    },
    get: (accessToken: string) => known.get(accessToken),
    set(accessToken: string, caller: Known) {
      if (!isWatched) return;
      if (known.size >= mostKnown) known.clear();
      known.set(accessToken, caller);
    },
  };
}
