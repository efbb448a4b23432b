import type { Database } from "../core/ports.ts";
import { findCompany, type NamedCompany } from "../store/companies.ts";
import { ControlError } from "./control-error.ts";

/**
 * The company that a tester names by its id, its slug, or `live/SLUG`.
 * @throws ControlError 404 where there is none
 */
export function companyNamed(database: Database, name: string): NamedCompany {
  const company = findCompany(database, name);
  if (company) return company;
  throw new ControlError(
    404,
    `no company ${JSON.stringify(name)}: name it by its id, its slug, or live/SLUG; GET /_sandbox/world lists them`,
  );
}
