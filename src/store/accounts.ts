import type { Database, Store } from "../core/ports.ts";
import type { AccountStatus } from "../core/statuses.ts";
import { inserted } from "./inserted.ts";

const insert = `
  INSERT INTO accounts (id, company_pk, slug, name, currency, status, balance_minor)
  VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING pk`;

export function accounts(database: Database): Store["accounts"] {
  return {
    insert({ id, companyPk, slug, name, currency, status, balanceMinor }) {
      return inserted(database.get(insert, id, companyPk, slug, name, currency, status, balanceMinor));
    },
  };
}

export interface NamedAccount {
  readonly pk: number;
  readonly id: string;
  readonly companyId: string;
}

const named = "SELECT a.pk, a.id, c.id AS companyId FROM accounts a JOIN companies c ON c.pk = a.company_pk";
const byId = `${named} WHERE a.id = ?`;
const inCompany = `${named} WHERE (a.id = ? OR a.slug = ?) AND a.company_pk = ?`;

/** Finds an account by its id, or by its id or slug in a company. */
export function findAccount(database: Database, name: string, companyPk?: number): NamedAccount | undefined {
  return companyPk === undefined
    ? database.get(byId, name.toLowerCase())
    : database.get(inCompany, name.toLowerCase(), name, companyPk);
}

export function setAccountStatus(database: Database, accountPk: number, status: AccountStatus): void {
  database.run("UPDATE accounts SET status = ? WHERE pk = ?", status, accountPk);
}
