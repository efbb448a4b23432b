import type { AccountId, CompanyId } from "../contract/identifiers.ts";
import type { AccountStatus } from "../rules/company.ts";
import { type Database, inserted, type Listed, limitParameter, nextPosition, type Page } from "./database.ts";

/** An account. Amounts are in minor units of its currency. */
export interface AccountRecord {
  readonly pk: number;
  readonly id: AccountId;
  readonly companyPk: number;
  readonly companyId: CompanyId;
  readonly name: string;
  readonly currency: string;
  readonly status: AccountStatus;
  readonly balanceMinor: number;
  /** The part of the balance that pending card payments hold. */
  readonly heldMinor: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

const insert = `
  INSERT INTO accounts (id, company_pk, slug, name, currency, status, balance_minor, created_at_ms,
    updated_at_ms, position)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ${nextPosition("accounts", "company_pk")}) RETURNING pk`;

/** @returns the new row's number */
export function insertAccount(
  database: Database,
  account: Omit<AccountRecord, "pk" | "companyId" | "heldMinor" | "updatedAtMs"> & { readonly slug: string },
): number {
  const { id, companyPk, slug, name, currency, status, balanceMinor, createdAtMs: at } = account;
  const values = [id, companyPk, slug, name, currency, status, balanceMinor, at, at, companyPk];
  return inserted(database.get(insert, ...values));
}

const selected = `
  SELECT a.pk, a.position, a.id, a.company_pk AS companyPk, c.id AS companyId, a.name, a.currency, a.status,
    a.balance_minor AS balanceMinor, a.held_minor AS heldMinor, a.created_at_ms AS createdAtMs,
    a.updated_at_ms AS updatedAtMs
  FROM accounts a JOIN companies c ON c.pk = a.company_pk`;

/** @throws if there is no such row */
export function accountByPk(database: Database, pk: number): AccountRecord {
  const account = database.get<AccountRecord>(`${selected} WHERE a.pk = ?`, pk);
  if (!account) throw new Error(`account ${pk} does not exist in the database`);
  return account;
}

export function accountOfCompany(
  database: Database,
  companyPk: number,
  id: AccountId,
): AccountRecord | undefined {
  return database.get(`${selected} WHERE a.company_pk = ? AND a.id = ?`, companyPk, id);
}

/** A company's active accounts, the oldest first. */
export function activeAccounts(database: Database, companyPk: number): AccountRecord[] {
  return database.all(`${selected} WHERE a.company_pk = ? AND a.status = 'active' ORDER BY a.pk`, companyPk);
}

const list = `
  ${selected}
  WHERE a.company_pk = ? AND a.position < coalesce(?, 9007199254740991) AND (? = 0 OR a.status = 'active')
  ORDER BY a.position DESC ${limitParameter}`;

/** @param isOpenOnly - leaves out closed accounts */
export function pageOfAccounts(
  database: Database,
  companyPk: number,
  { before, limit }: Page,
  isOpenOnly: boolean,
): Listed<AccountRecord>[] {
  return database.all(list, companyPk, before ?? null, isOpenOnly ? 1 : 0, limit);
}

/** Stores the account's balance, held amount and time of change. */
export function updateAccount(database: Database, account: AccountRecord): void {
  const { pk, balanceMinor, heldMinor, updatedAtMs } = account;
  const query = "UPDATE accounts SET balance_minor = ?, held_minor = ?, updated_at_ms = ? WHERE pk = ?";
  database.run(query, balanceMinor, heldMinor, updatedAtMs, pk);
}

/** Finds an account of any company by its id, or one of the given company by its id or slug. */
export function findAccount(database: Database, name: string, companyPk?: number): AccountRecord | undefined {
  const id = name.toLowerCase();
  if (companyPk === undefined) return database.get(`${selected} WHERE a.id = ?`, id);
  return database.get(`${selected} WHERE (a.id = ? OR a.slug = ?) AND a.company_pk = ?`, id, name, companyPk);
}

export function setAccountStatus(
  database: Database,
  accountPk: number,
  status: AccountStatus,
  nowMs: number,
): void {
  database.run("UPDATE accounts SET status = ?, updated_at_ms = ? WHERE pk = ?", status, nowMs, accountPk);
}
