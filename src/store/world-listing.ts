import type { Environment } from "../contract/identifiers.ts";
import type { Area } from "../contract/operations.ts";
import type { AccountStatus, CompanyStatus, KeyStatus, MemberStatus, Role } from "../rules/company.ts";
import { formatMinor } from "../rules/money.ts";
import { areasOf } from "./callers.ts";
import type { Database } from "./database.ts";

/** A page of the world as `GET /_sandbox/world` lists it. */
export interface WorldListing {
  /** In the order of their creation. */
  readonly companies: readonly CompanyListing[];
  /** Whether more follow: request them with the last one's id as `after`. */
  readonly has_more: boolean;
}

export interface CompanyListing {
  readonly id: string;
  readonly slug: string;
  readonly environment: Environment;
  readonly name: string;
  readonly status: CompanyStatus;
  readonly country_code: string;
  readonly details_complete: boolean;
  readonly entitlements: readonly Area[];
  readonly card_quota: number;
  readonly live_cards: number;
  readonly members: readonly MemberListing[];
  readonly accounts: readonly AccountListing[];
}

export interface MemberListing {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly role: Role;
  readonly status: MemberStatus;
  readonly details_complete: boolean;
  readonly api_keys: readonly ApiKeyListing[];
}

export interface ApiKeyListing {
  readonly id: string;
  readonly environment: Environment;
  readonly prefix: string;
  readonly status: KeyStatus;
  /** Present only for fixture keys, whose secret is public, and in the response that creates the key. */
  readonly secret?: string;
}

export interface AccountListing {
  readonly id: string;
  readonly slug: string;
  readonly currency: string;
  readonly status: AccountStatus;
  /** A decimal with two places. */
  readonly balance: string;
}

type CompanyRow = Omit<CompanyListing, "members" | "accounts" | "details_complete" | "entitlements"> & {
  pk: number;
  details_complete: number;
  entitlements: string;
};
type MemberRow = Omit<MemberListing, "api_keys" | "details_complete"> & {
  pk: number;
  company_pk: number;
  details_complete: number;
};
type KeyRow = Omit<ApiKeyListing, "secret"> & { membership_pk: number; public_secret: string | null };
type AccountRow = Omit<AccountListing, "balance"> & { company_pk: number; balance_minor: number };

const companies = `
  SELECT pk, id, slug, environment, name, status, country_code, details_complete, entitlements, card_quota,
    (SELECT total(not_ended) FROM card_counts n
      WHERE n.company_pk = companies.pk AND n.expires_at_ms > ? + clock_offset_ms) AS live_cards
  FROM companies`;

const members = `
  SELECT s.pk, s.company_pk, m.id, m.slug, m.name, s.role, s.status, m.details_complete
  FROM memberships s JOIN members m ON m.pk = s.member_pk`;

const apiKeys = `
  SELECT membership_pk, id, environment, prefix, status, public_secret FROM api_keys`;

const accounts = `
  SELECT company_pk, id, slug, currency, status, balance_minor FROM accounts`;

/**
 * Lists companies with their members, keys and accounts, in the order of their creation.
 * @param nowMs - by the sandbox's clock
 * @param fixtureKeys - whether the fixtures' keys are listed too
 */
export function listCompanies(
  database: Database,
  nowMs: number,
  fixtureKeys: boolean,
  pks: readonly number[],
): CompanyListing[] {
  const pksJson = JSON.stringify(pks);
  const list = <Row>(query: string, column: string, order: string, ...params: number[]): Row[] => {
    const ofCompanies = `${query} WHERE ${column} IN (SELECT value FROM json_each(?)) ORDER BY ${order}`;
    return database.all(ofCompanies, ...params, pksJson);
  };
  const keys = list<KeyRow>(apiKeys, "company_pk", "pk").filter(
    ({ public_secret }) => fixtureKeys || public_secret === null,
  );
  const keysByMembership = groupBy(keys, (key) => key.membership_pk);
  const membersByCompany = groupBy(
    list<MemberRow>(members, "s.company_pk", "s.pk"),
    (member) => member.company_pk,
  );
  const accountsByCompany = groupBy(
    list<AccountRow>(accounts, "company_pk", "pk"),
    (account) => account.company_pk,
  );
  return list<CompanyRow>(companies, "pk", "pk", nowMs).map(({ pk, ...company }) => ({
    ...company,
    details_complete: company.details_complete === 1,
    entitlements: areasOf(company.entitlements),
    members: (membersByCompany.get(pk) ?? []).map(({ pk, company_pk: _, ...member }) => ({
      ...member,
      details_complete: member.details_complete === 1,
      api_keys: (keysByMembership.get(pk) ?? []).map(
        ({ membership_pk: _, public_secret: secret, ...key }) => ({
          ...key,
          ...(secret !== null && { secret }),
        }),
      ),
    })),
    accounts: (accountsByCompany.get(pk) ?? []).map(({ company_pk: _, balance_minor, ...account }) => ({
      ...account,
      balance: formatMinor(balance_minor),
    })),
  }));
}

function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => number): Map<number, Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}
