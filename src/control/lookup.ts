import type { Environment } from "../contract/identifiers.ts";
import { quoted } from "../rules/errors.ts";
import { findCompany, type NamedCompany } from "../store/companies.ts";
import type { Database } from "../store/database.ts";
import { findMembership, type NamedMembership } from "../store/members.ts";
import { ControlError } from "./errors.ts";

/**
 * Finds a company by its id, its slug, or `live/SLUG`.
 * @throws ControlError 404
 */
export function requireCompany(database: Database, name: string): NamedCompany {
  // JavaScript callers in the same process can pass any type.
  const company = typeof name === "string" ? findCompany(database, name) : undefined;
  if (company) return company;
  throw new ControlError(
    404,
    `no company ${quoted(name)}: name it by its id, its slug, or live/SLUG; GET /_sandbox/world lists them`,
  );
}

/**
 * The primary key of an optional company.
 * @throws ControlError 404
 */
export function optionalCompanyPk(database: Database, name: string | undefined): number | undefined {
  return name === undefined ? undefined : requireCompany(database, name).pk;
}

/**
 * Finds a member by id or slug, in the given company or else in the member's first company.
 * @throws ControlError 404
 */
export function requireMember(
  database: Database,
  name: string,
  environment: Environment | undefined,
  companyName?: string,
): NamedMembership {
  const company = companyName === undefined ? undefined : requireCompany(database, companyName);
  // A slug is unique within an environment; an id determines its environment.
  const expected = environment ?? company?.environment;
  const member = findMembership(database, name, expected ?? "sandbox", company?.pk);
  if (member && (expected === undefined || member.environment === expected)) return member;
  const where = `${expected ? ` of the ${expected} environment` : ""}${company ? ` in ${companyName}` : ""}`;
  throw new ControlError(404, `no member ${quoted(name)}${where}: GET /_sandbox/world lists them`);
}
