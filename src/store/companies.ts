import type { CompanyId, Environment } from "../contract/identifiers.ts";
import type { Area } from "../contract/operations.ts";
import type { CompanyStatus, Role } from "../rules/company.ts";
import type { CardLimitsMinor } from "../rules/limits.ts";
import { countOf, type Database, inserted, type Listed, limitParameter, type Page } from "./database.ts";

const insert = `
  INSERT INTO companies (id, environment, slug, name, country_code, status, details_complete, entitlements,
    card_quota, design_id, max_per_purchase_minor, daily_minor, rolling_32_days_minor,
    created_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING pk`;

/** @returns the new row's number */
export function insertCompany(
  database: Database,
  company: {
    readonly id: CompanyId;
    readonly environment: Environment;
    readonly slug: string;
    readonly name: string;
    readonly countryCode: string;
    readonly status: CompanyStatus;
    readonly detailsComplete: boolean;
    readonly entitlements: readonly Area[];
    readonly cardQuota: number;
    readonly designId: string;
    readonly limits: CardLimitsMinor;
    readonly createdAtMs: number;
  },
): number {
  const { limits } = company;
  return inserted(
    database.get(
      insert,
      company.id,
      company.environment,
      company.slug,
      company.name,
      company.countryCode,
      company.status,
      company.detailsComplete ? 1 : 0,
      company.entitlements.join(" "),
      company.cardQuota,
      company.designId,
      limits.maxPerPurchaseMinor,
      limits.dailyMinor,
      limits.rolling32DaysMinor,
      company.createdAtMs,
    ),
  );
}

/** The columns of the card limits, of a company `c` or of a card `k`. */
export const limitColumns = (table: "c" | "k"): string => `
  ${table}.max_per_purchase_minor AS maxPerPurchaseMinor, ${table}.daily_minor AS dailyMinor,
  ${table}.rolling_32_days_minor AS rolling32DaysMinor`;

export function limitsOf({ maxPerPurchaseMinor, dailyMinor, rolling32DaysMinor }: CardLimitsMinor) {
  return { maxPerPurchaseMinor, dailyMinor, rolling32DaysMinor };
}

/** The card limits of the world's first company; undefined if there is no company. */
export function firstCompanyLimits(database: Database): CardLimitsMinor | undefined {
  return database.get(`SELECT ${limitColumns("c")} FROM companies c ORDER BY pk LIMIT 1`);
}

/** A company of which a member is an active member. */
export interface CompanyOfMember {
  readonly id: CompanyId;
  readonly name: string;
  readonly countryCode: string;
  readonly status: CompanyStatus;
  readonly role: Role;
  readonly createdAtMs: number;
}

const ofMember = `
  SELECT s.position, c.id, c.name, c.country_code AS countryCode, c.status, s.role, c.created_at_ms AS createdAtMs
  FROM memberships s JOIN companies c ON c.pk = s.company_pk
  WHERE s.member_pk = ? AND s.status = 'active' AND s.position < coalesce(?, 9007199254740991)
  ORDER BY s.position DESC ${limitParameter}`;

export function companiesOfMember(
  database: Database,
  memberPk: number,
  { before, limit }: Page,
): Listed<CompanyOfMember>[] {
  return database.all(ofMember, memberPk, before ?? null, limit);
}

/** A company that the control API found by its name. */
export interface NamedCompany {
  readonly pk: number;
  readonly id: CompanyId;
  readonly slug: string;
  readonly environment: Environment;
  readonly clockOffsetMs: number;
}

const named = `
  SELECT pk, id, slug, environment, clock_offset_ms AS clockOffsetMs FROM companies
  WHERE id = ? OR (slug = ? AND environment = ?)`;

/** Finds a company by its id, its slug in the sandbox environment, or `live/SLUG`. */
export function findCompany(database: Database, name: string): NamedCompany | undefined {
  const live = name.startsWith("live/");
  const slug = live ? name.slice("live/".length) : name;
  return database.get(named, name.toLowerCase(), slug, live ? "live" : "sandbox");
}

/** Which companies to list. */
export interface CompanyFilter {
  readonly environment?: Environment | undefined;
  /** Part of the name, of the slug (or `live/SLUG`) or of the id, in any letter case. */
  readonly search?: string | undefined;
}

const filtered = `
  environment = coalesce(?, environment) AND
  name || ' ' || id || ' ' || CASE environment WHEN 'live' THEN 'live/' || slug ELSE slug END LIKE ? ESCAPE '\\'`;

const filterParameters = ({ environment, search = "" }: CompanyFilter) => [
  environment ?? null,
  `%${search.replace(/[\\%_]/g, "\\$&")}%`,
];

/** A page of companies in the order of their creation. */
export function pageOfCompanies(
  database: Database,
  filter: CompanyFilter,
  { afterPk = 0, limit }: { readonly afterPk?: number | undefined; readonly limit: number },
): { readonly companyPk: number; readonly clockOffsetMs: number }[] {
  const query = `
    SELECT pk AS companyPk, clock_offset_ms AS clockOffsetMs FROM companies
    WHERE pk > ? AND ${filtered} ORDER BY pk ${limitParameter}`;
  return database.all(query, afterPk, ...filterParameters(filter), limit);
}

export function countCompanies(database: Database, filter?: CompanyFilter): number {
  if (!filter) return countOf(database, "SELECT count(*) AS n FROM companies");
  return countOf(
    database,
    `SELECT count(*) AS n FROM companies WHERE ${filtered}`,
    ...filterParameters(filter),
  );
}

/** Sets how far a company's time is ahead of the sandbox's clock. */
export function setClockOffset(database: Database, companyPk: number, offsetMs: number): void {
  database.run("UPDATE companies SET clock_offset_ms = ? WHERE pk = ?", offsetMs, companyPk);
}

/** How far a company's time is ahead of the sandbox's clock. */
export function clockOffsetOf(database: Database, companyPk: number): number {
  const query = "SELECT clock_offset_ms AS offsetMs FROM companies WHERE pk = ?";
  return database.get<{ offsetMs: number }>(query, companyPk)?.offsetMs ?? 0;
}

/** How far the company that is furthest ahead is ahead of the sandbox's clock. */
export function greatestClockOffset(database: Database): number {
  const query = "SELECT max(clock_offset_ms) AS greatest FROM companies";
  return database.get<{ greatest: number | null }>(query)?.greatest ?? 0;
}

/** A company whose clock is ahead of the sandbox's. */
export interface CompanyAhead {
  readonly id: CompanyId;
  readonly environment: Environment;
  readonly slug: string;
  readonly name: string;
  readonly clockOffsetMs: number;
}

/** The companies whose clocks are ahead of the sandbox's, the one that is furthest ahead first. */
export function companiesAhead(database: Database, limit: number): CompanyAhead[] {
  const query = `
    SELECT id, environment, slug, name, clock_offset_ms AS clockOffsetMs FROM companies
    WHERE clock_offset_ms <> 0 ORDER BY clock_offset_ms DESC, pk ${limitParameter}`;
  return database.all(query, limit);
}

/** Changes a company. Absent fields stay. */
export function updateCompany(
  database: Database,
  companyPk: number,
  change: {
    readonly status?: CompanyStatus | undefined;
    readonly cardQuota?: number | undefined;
    readonly detailsComplete?: boolean | undefined;
    readonly entitlements?: readonly Area[] | undefined;
  },
): void {
  const { status, cardQuota, detailsComplete, entitlements } = change;
  database.run(
    `UPDATE companies SET status = coalesce(?, status), card_quota = coalesce(?, card_quota),
       details_complete = coalesce(?, details_complete), entitlements = coalesce(?, entitlements) WHERE pk = ?`,
    status ?? null,
    cardQuota ?? null,
    detailsComplete === undefined ? null : Number(detailsComplete),
    entitlements?.join(" ") ?? null,
    companyPk,
  );
}

const membersOf = "SELECT pk FROM members WHERE company_pk = ?";
const membershipsOf = `SELECT pk FROM memberships WHERE company_pk = ? OR member_pk IN (${membersOf})`;

/** The companies in which a company's members have memberships. */
export function companiesOfMembers(database: Database, companyPk: number): number[] {
  const query = `SELECT DISTINCT company_pk FROM memberships WHERE member_pk IN (${membersOf})`;
  return database.all<{ company_pk: number }>(query, companyPk).map(({ company_pk }) => company_pk);
}

/** Whether a company's members have cards in other companies. */
export function hasCardsElsewhere(database: Database, companyPk: number): boolean {
  const query = `
    SELECT 1 FROM memberships s
    JOIN cards k ON k.company_pk = s.company_pk AND k.member_pk = s.member_pk
    WHERE s.company_pk <> ? AND s.member_pk IN (${membersOf}) LIMIT 1`;
  return database.get(query, companyPk, companyPk) !== undefined;
}

/** Deletes a company with all its rows, including its members' memberships of other companies. */
export function deleteCompany(database: Database, pk: number): void {
  const keys = `FROM api_keys WHERE membership_pk IN (${membershipsOf})`;
  database.run(
    `DELETE FROM armed_scenarios WHERE company_pk = ? OR api_key_pk IN (SELECT pk ${keys})`,
    pk,
    pk,
    pk,
  );
  database.run(
    `DELETE FROM access_tokens WHERE (company_pk, api_key_pk) IN (SELECT company_pk, pk ${keys})`,
    pk,
    pk,
  );
  database.run(`DELETE ${keys}`, pk, pk);
  for (const table of [
    "invoices",
    "transactions",
    "replacements",
    "stored_refusals",
    "cards",
    "webhook_attempts",
    "webhook_deliveries",
    "webhooks",
  ]) {
    database.run(`DELETE FROM ${table} WHERE company_pk = ?`, pk);
  }
  database.run(`DELETE FROM memberships WHERE company_pk = ? OR member_pk IN (${membersOf})`, pk, pk);
  for (const table of ["members", "accounts", "dialects", "counters", "card_counts", "chosen_scenarios"]) {
    database.run(`DELETE FROM ${table} WHERE company_pk = ?`, pk);
  }
  database.run("DELETE FROM companies WHERE pk = ?", pk);
}
