import type { Database } from "../core/ports.ts";
import { worldTables } from "./schema.ts";

/**
 * `start`: the world as it was planted. `company`: one company as it was made later. `named`: what a tester
 * keeps under a name.
 */
type Kind = "start" | "company" | "named";

/** A kept state of the world, without its rows. */
export interface SnapshotListing {
  readonly name: string;
  /** By the sandbox's clock. */
  readonly made_at: string;
}

interface SnapshotRow {
  pk: number;
  name: string;
  made_at_ms: number;
}

/** A table's rows are kept in a table of the same columns, behind the number of their snapshot. */
const keptIn = (table: string) => `snapshot_${table}`;

/** Which of a table's rows are a company's own; nothing where none is. */
const ofCompany: Readonly<Record<(typeof worldTables)[number], string | undefined>> = {
  clock: undefined,
  counters: "company_pk = ?",
  companies: "pk = ?",
  members: "company_pk = ?",
  memberships: "company_pk = ?",
  accounts: "company_pk = ?",
  api_keys: "company_pk = ?",
  access_tokens: "company_pk = ?",
  cards: "company_pk = ?",
  transactions: "company_pk = ?",
  invoices: "company_pk = ?",
  armed_scenarios: "company_pk = ?",
  chosen_scenarios: "company_pk = ?",
  replacements: "company_pk = ?",
  webhooks: "company_pk = ?",
  webhook_deliveries: "company_pk = ?",
  webhook_attempts: "company_pk = ?",
};

/** Keeps the whole world, in place of what the name kept before. */
export function captureWorld(database: Database, kind: Kind, name: string, madeAtMs: number): void {
  const pk = replaceSnapshot(database, kind, name, madeAtMs);
  for (const table of worldTables) {
    database.run(`INSERT INTO ${keptIn(table)} SELECT ?, * FROM ${table}`, pk);
  }
}

/** Keeps one company as it is, to reset it alone later. */
export function captureCompany(database: Database, companyPk: number, madeAtMs: number): void {
  const pk = replaceSnapshot(database, "company", String(companyPk), madeAtMs);
  for (const table of worldTables) {
    const own = ofCompany[table];
    if (own === undefined) continue;
    database.run(`INSERT INTO ${keptIn(table)} SELECT ?, * FROM ${table} WHERE ${own}`, pk, companyPk);
  }
}

function replaceSnapshot(database: Database, kind: Kind, name: string, madeAtMs: number): number {
  deleteSnapshot(database, kind, name);
  const insert = "INSERT INTO snapshots (kind, name, made_at_ms) VALUES (?, ?, ?) RETURNING pk";
  const row = database.get<{ pk: number }>(insert, kind, name, madeAtMs);
  if (!row) throw new Error("INSERT … RETURNING pk answered no row");
  return row.pk;
}

/** @returns whether there was one */
export function deleteSnapshot(database: Database, kind: Kind, name: string): boolean {
  const pk = snapshotPk(database, kind, name);
  if (pk === undefined) return false;
  for (const table of worldTables) database.run(`DELETE FROM ${keptIn(table)} WHERE snapshot_pk = ?`, pk);
  database.run("DELETE FROM snapshots WHERE pk = ?", pk);
  return true;
}

function snapshotPk(database: Database, kind: Kind, name: string): number | undefined {
  const query = "SELECT pk FROM snapshots WHERE kind = ? AND name = ?";
  return database.get<{ pk: number }>(query, kind, name)?.pk;
}

/**
 * Puts every row back as it was kept, counters and clock included. The caller holds the transaction.
 * @returns whether there is such a snapshot
 */
export function restoreWorld(database: Database, kind: Kind, name: string): boolean {
  const pk = snapshotPk(database, kind, name);
  if (pk === undefined) return false;
  for (const table of worldTables.toReversed()) database.run(`DELETE FROM ${table}`);
  for (const table of worldTables) {
    const columns = columnsOf(database, table);
    database.run(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${keptIn(table)} WHERE snapshot_pk = ?`,
      pk,
    );
  }
  return true;
}

/** What a row of a company needs beside the company: a member of elsewhere may be gone meanwhile. */
const needs: Partial<Record<(typeof worldTables)[number], string>> = {
  memberships: "member_pk IN (SELECT pk FROM members)",
  api_keys: "membership_pk IN (SELECT pk FROM memberships)",
  access_tokens: "api_key_pk IN (SELECT pk FROM api_keys)",
  cards: "member_pk IN (SELECT pk FROM members)",
  replacements: "old_card_pk IN (SELECT pk FROM cards) AND new_card_pk IN (SELECT pk FROM cards)",
  transactions: "(card_pk IS NULL OR card_pk IN (SELECT pk FROM cards))",
};

/**
 * Puts one company back as it was planted or made, and leaves every other alone. The caller holds the
 * transaction.
 * @returns whether it is known how the company began
 */
export function restoreCompany(database: Database, companyPk: number): boolean {
  const pk = beginningOf(database, companyPk);
  if (pk === undefined) return false;
  // A member's cards in other companies refer to rows that come back under the same number.
  database.exec("PRAGMA defer_foreign_keys = ON");
  for (const table of worldTables.toReversed()) {
    const own = ofCompany[table];
    if (own !== undefined) database.run(`DELETE FROM ${table} WHERE ${own}`, companyPk);
  }
  for (const table of worldTables) {
    const own = ofCompany[table];
    if (own === undefined) continue;
    const columns = columnsOf(database, table);
    const condition = [`snapshot_pk = ? AND ${own}`, needs[table]].filter(Boolean).join(" AND ");
    database.run(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${keptIn(table)} WHERE ${condition}`,
      pk,
      companyPk,
    );
  }
  // Where the outermost transaction never ends, nothing else would check them, nor end their deferral.
  if (database.get("PRAGMA foreign_key_check"))
    throw new Error("a company's reset would leave rows in the air");
  database.exec("PRAGMA defer_foreign_keys = OFF");
  return true;
}

/** The snapshot that holds a company's beginning. */
function beginningOf(database: Database, companyPk: number): number | undefined {
  const query = `
    SELECT s.pk FROM snapshots s
    JOIN ${keptIn("companies")} k ON k.snapshot_pk = s.pk
    JOIN companies c ON c.pk = k.pk AND c.id = k.id
    WHERE s.kind IN ('start', 'company') AND c.pk = ?`;
  return database.get<{ pk: number }>(query, companyPk)?.pk;
}

const columnsKnown = new WeakMap<Database, Map<string, string>>();

/** A table's columns; kept, since to ask for those of each table takes as long as putting all rows back. */
function columnsOf(database: Database, table: string): string {
  const tables = columnsKnown.get(database) ?? new Map<string, string>();
  columnsKnown.set(database, tables);
  const known = tables.get(table);
  if (known !== undefined) return known;
  const rows = database.all<{ name: string }>("SELECT name FROM pragma_table_info(?) ORDER BY cid", table);
  const columns = rows.map(({ name }) => name).join(", ");
  tables.set(table, columns);
  return columns;
}

/** The tester's own snapshots, oldest first. */
export function listSnapshots(database: Database): SnapshotListing[] {
  const query = "SELECT pk, name, made_at_ms FROM snapshots WHERE kind = 'named' ORDER BY pk";
  return database
    .all<SnapshotRow>(query)
    .map(({ name, made_at_ms }) => ({ name, made_at: new Date(made_at_ms).toISOString() }));
}
