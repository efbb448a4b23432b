import type { Environment } from "../contract/identifiers.ts";
import { quoted } from "../rules/errors.ts";
import { findCompany, type NamedCompany } from "../store/companies.ts";
import type { Database } from "../store/database.ts";
import { findMembership, type NamedMembership } from "../store/members.ts";
import { ControlError } from "./control-error.ts";

/**
 * The company that a tester names by its id, its slug, or `live/SLUG`.
 * @throws ControlError 404 where there is none
 */
export function companyNamed(database: Database, name: string): NamedCompany {
  // A test process may hand on what no schema and no type held.
  const company = typeof name === "string" ? findCompany(database, name) : undefined;
  if (company) return company;
  throw new ControlError(
    404,
    `no company ${quoted(name)}: name it by its id, its slug, or live/SLUG; GET /_sandbox/world lists them`,
  );
}

/**
 * The member that a tester names by id or slug, in the company named, or in the one that made it known.
 * @throws ControlError 404 where there is none
 */
export function memberNamed(
  database: Database,
  name: string,
  environment: Environment | undefined,
  company?: string,
): NamedMembership {
  const within = company === undefined ? undefined : companyNamed(database, company);
  // A slug is of the environment asked for, or the company's; an id is of its own.
  const wanted = environment ?? within?.environment;
  const member = findMembership(database, name, wanted ?? "sandbox", within?.pk);
  if (member && (wanted === undefined || member.environment === wanted)) return member;
  throw new ControlError(
    404,
    `no member ${quoted(name)}${wanted ? ` of the ${wanted} environment` : ""}${company === undefined ? "" : ` in ${company}`}: GET /_sandbox/world lists them`,
  );
}
