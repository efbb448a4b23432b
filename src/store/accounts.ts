import type { Database, Store } from "../core/ports.ts";
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
