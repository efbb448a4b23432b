import type { Environment } from "../contract/identifiers.ts";
import { quoted } from "../rules/errors.ts";
import { findCompany, type NamedCompany } from "../store/companies.ts";
import type { Database } from "../store/database.ts";
import { findMembership, type NamedMembership } from "../store/members.ts";
import { ControlError } from "./errors.ts";

/**
 * Finds a company by its id, its slug, or `live/SLUG`.
 * @param field - the field that names it
 * @throws ControlError 404
 */
export function requireCompany(database: Database, name: string, field = "company"): NamedCompany {
  // JavaScript callers in the same process can pass any type.
  const company = typeof name === "string" ? findCompany(database, name) : undefined;
  if (company) return company;
  throw new ControlError(
    404,
    `${field}: no company has the id or slug ${quoted(name)}. Use the id, slug or live/SLUG of a company. GET /_sandbox/world lists all companies.`,
  );
}

/**
 * The primary key of an optional company.
 * @throws ControlError 404
 */
export function optionalCompanyPk(
  database: Database,
  name: string | undefined,
  field?: string,
): number | undefined {
  return name === undefined ? undefined : requireCompany(database, name, field).pk;
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
  const where = `${company ? ` in ${companyName}` : ""}${expected ? ` in the ${expected} environment` : ""}`;
  throw new ControlError(
    404,
    `member: no member has the id or slug ${quoted(name)}${where}. GET /_sandbox/world lists all members.`,
  );
}
