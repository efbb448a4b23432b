import type { AccountId, CompanyId } from "../contract/identifiers.ts";
import type { AccountStatus } from "../rules/statuses.ts";
import type { Database, Listed, Page } from "./database.ts";
import { inserted, nextPosition } from "./inserted.ts";
import type { Store } from "./open-store.ts";

export interface NewAccount {
  readonly id: AccountId;
  readonly companyPk: number;
  readonly slug: string;
  readonly name: string;
  readonly currency: string;
  readonly status: AccountStatus;
  readonly balanceMinor: number;
  readonly createdAtMs: number;
}

/** An account as it is kept, its amounts in minor units of its currency. */
export interface AccountRecord {
  readonly pk: number;
  readonly id: AccountId;
  readonly companyPk: number;
  readonly companyId: CompanyId;
  readonly name: string;
  readonly currency: string;
  readonly status: AccountStatus;
  readonly balanceMinor: number;
  /** What pending card payments hold of the balance. */
  readonly heldMinor: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface AccountQueries {
  /** One that is there. */
  byPk(pk: number): AccountRecord;
  /** Whichever company's it is. */
  anywhere(id: AccountId): AccountRecord | undefined;
  /** A company's active accounts, the oldest first. */
  activeOf(companyPk: number): AccountRecord[];
  /** Keeps its balance, what is held, and when that changed. */
  update(account: AccountRecord): void;
  byId(companyPk: number, id: AccountId): AccountRecord | undefined;
  list(companyPk: number, page: Page): Listed<AccountRecord>[];
}

const insert = `
  INSERT INTO accounts (id, company_pk, slug, name, currency, status, balance_minor, created_at_ms,
    updated_at_ms, position)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ${nextPosition("accounts", "company_pk")}) RETURNING pk`;

const record = `
  SELECT a.pk, a.position, a.id, a.company_pk AS companyPk, c.id AS companyId, a.name, a.currency, a.status,
    a.balance_minor AS balanceMinor, a.held_minor AS heldMinor, a.created_at_ms AS createdAtMs,
    a.updated_at_ms AS updatedAtMs
  FROM accounts a JOIN companies c ON c.pk = a.company_pk`;
const recordById = `${record} WHERE a.company_pk = ? AND a.id = ?`;
const recordByPk = `${record} WHERE a.pk = ?`;
const anywhere = `${record} WHERE a.id = ?`;
const activeOf = `${record} WHERE a.company_pk = ? AND a.status = 'active' ORDER BY a.pk`;
const update = "UPDATE accounts SET balance_minor = ?, held_minor = ?, updated_at_ms = ? WHERE pk = ?";
const list = `
  ${record}
  WHERE a.company_pk = ? AND a.position < coalesce(?, 9007199254740991) ORDER BY a.position DESC LIMIT ?`;

export function accounts(database: Database): Store["accounts"] {
  return {
    insert({ id, companyPk, slug, name, currency, status, balanceMinor, createdAtMs: at }) {
      return inserted(
        database.get(insert, id, companyPk, slug, name, currency, status, balanceMinor, at, at, companyPk),
      );
    },
    byPk(pk) {
      const row = database.get<AccountRecord>(recordByPk, pk);
      if (!row) throw new Error(`account ${pk} is gone from the store`);
      return row;
    },
    anywhere: (id) => database.get<AccountRecord>(anywhere, id),
    activeOf: (companyPk) => database.all<AccountRecord>(activeOf, companyPk),
    update({ pk, balanceMinor, heldMinor, updatedAtMs }) {
      database.run(update, balanceMinor, heldMinor, updatedAtMs, pk);
    },
    byId: (companyPk, id) => database.get<AccountRecord>(recordById, companyPk, id),
    list: (companyPk, { before, limit }) => database.all(list, companyPk, before ?? null, limit),
  };
}

export interface NamedAccount {
  readonly pk: number;
  readonly id: string;
  readonly companyPk: number;
  readonly companyId: string;
}

const named =
  "SELECT a.pk, a.id, c.pk AS companyPk, c.id AS companyId FROM accounts a JOIN companies c ON c.pk = a.company_pk";
const byId = `${named} WHERE a.id = ?`;
const inCompany = `${named} WHERE (a.id = ? OR a.slug = ?) AND a.company_pk = ?`;

/** Finds an account by its id, or by its id or slug in a company. */
export function findAccount(database: Database, name: string, companyPk?: number): NamedAccount | undefined {
  return companyPk === undefined
    ? database.get(byId, name.toLowerCase())
    : database.get(inCompany, name.toLowerCase(), name, companyPk);
}

export function setAccountStatus(
  database: Database,
  accountPk: number,
  status: AccountStatus,
  nowMs: number,
): void {
  database.run("UPDATE accounts SET status = ?, updated_at_ms = ? WHERE pk = ?", status, nowMs, accountPk);
}
