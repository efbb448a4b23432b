import { countOf, type Database, inserted } from "./database.ts";
import { companyColumn, type WorldTable, worldTables } from "./schema.ts";

/**
 * `start`: the world as it was planted. `company`: one company as it was created later. `named`: the snapshots that
 * users name.
 */
type Kind = "start" | "company" | "named";

/** A snapshot without its rows. */
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

/** The table with the snapshot rows of a table: the snapshot's number, then the same columns. */
const keptIn = (table: string) => `snapshot_${table}`;

/** The tables that hold rows of companies. */
const companyTables = worldTables.flatMap((table) => {
  const column = companyColumn(table);
  return column === undefined ? [] : [{ table, column }];
});

/** Keeps the whole world, in place of the snapshot that had the name before. */
export function captureWorld(database: Database, kind: Kind, name: string, madeAtMs: number): void {
  const pk = replaceSnapshot(database, kind, name, madeAtMs);
  for (const table of worldTables) {
    database.run(`INSERT INTO ${keptIn(table)} SELECT ?, * FROM ${table}`, pk);
  }
}

/** Keeps one company as it is now, to reset it alone later. */
export function captureCompany(database: Database, companyPk: number, madeAtMs: number): void {
  const pk = replaceSnapshot(database, "company", String(companyPk), madeAtMs);
  for (const { table, column } of companyTables) {
    database.run(`INSERT INTO ${keptIn(table)} SELECT ?, * FROM ${table} WHERE ${column} = ?`, pk, companyPk);
  }
}

function replaceSnapshot(database: Database, kind: Kind, name: string, madeAtMs: number): number {
  deleteSnapshot(database, kind, name);
  const insert = "INSERT INTO snapshots (kind, name, made_at_ms) VALUES (?, ?, ?) RETURNING pk";
  return inserted(database.get(insert, kind, name, madeAtMs));
}

/** @returns whether there was one */
export function deleteSnapshot(database: Database, kind: Kind, name: string): boolean {
  const pk = snapshotPk(database, kind, name);
  if (pk === undefined) return false;
  for (const table of worldTables) database.run(`DELETE FROM ${keptIn(table)} WHERE snapshot_pk = ?`, pk);
  database.run("DELETE FROM snapshots WHERE pk = ?", pk);
  if (kind === "named") forgetLostBeginnings(database);
  return true;
}

/**
 * Deletes the start snapshots of companies that can no longer come back: neither the world nor a named snapshot has
 * them.
 * @param companyPk - the company that was deleted; without it, all of them are checked
 */
export function forgetLostBeginnings(database: Database, companyPk?: number): void {
  const lost = `
    SELECT b.name FROM snapshots b WHERE b.kind = 'company'
      AND NOT EXISTS (SELECT 1 FROM companies WHERE pk = CAST(b.name AS INTEGER))
      AND NOT EXISTS (
        SELECT 1 FROM snapshots n
        JOIN ${keptIn("companies")} k ON k.snapshot_pk = n.pk AND k.pk = CAST(b.name AS INTEGER)
        WHERE n.kind = 'named')`;
  const beginnings =
    companyPk === undefined
      ? database.all<{ name: string }>(lost)
      : database.all<{ name: string }>(`${lost} AND b.name = ?`, String(companyPk));
  for (const { name } of beginnings) deleteSnapshot(database, "company", name);
}

function snapshotPk(database: Database, kind: Kind, name: string): number | undefined {
  const query = "SELECT pk FROM snapshots WHERE kind = ? AND name = ?";
  return database.get<{ pk: number }>(query, kind, name)?.pk;
}

/**
 * Puts every row back as the snapshot holds it, counters and clock included. The caller holds the transaction.
 * @returns whether there is such a snapshot
 */
export function restoreWorld(database: Database, kind: Kind, name: string): boolean {
  const pk = snapshotPk(database, kind, name);
  if (pk === undefined) return false;
  for (const table of worldTables.toReversed()) database.run(`DELETE FROM ${table}`);
  for (const table of worldTables) {
    const columns = columnsOf(database, table).join(", ");
    database.run(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${keptIn(table)} WHERE snapshot_pk = ?`,
      pk,
    );
  }
  forgetLostBeginnings(database);
  return true;
}

/** Conditions for rows that refer, directly or not, to rows of other companies, which may have been deleted since. */
const needs: Partial<Record<WorldTable, string>> = {
  memberships: "member_pk IN (SELECT pk FROM members)",
  api_keys: "membership_pk IN (SELECT pk FROM memberships)",
  access_tokens: "api_key_pk IN (SELECT pk FROM api_keys)",
  cards: "(company_pk, member_pk) IN (SELECT company_pk, member_pk FROM memberships)",
  replacements: "old_card_pk IN (SELECT pk FROM cards) AND new_card_pk IN (SELECT pk FROM cards)",
  transactions: "(card_pk IS NULL OR card_pk IN (SELECT pk FROM cards))",
};

/** Members have memberships in other companies, so these rows are updated and never deleted. */
const stays = (table: WorldTable) => table === "companies" || table === "members";

/**
 * Puts one company back as it began, and leaves every other alone. The caller holds the transaction.
 * @returns whether it is known how the company began
 */
export function restoreCompany(database: Database, companyPk: number): boolean {
  const pk = beginningOf(database, companyPk);
  if (pk === undefined) return false;
  for (const { table, column } of companyTables.toReversed()) {
    if (!stays(table)) database.run(`DELETE FROM ${table} WHERE ${column} = ?`, companyPk);
  }
  for (const { table, column } of companyTables) {
    const columns = columnsOf(database, table);
    const list = columns.join(", ");
    const condition = [`snapshot_pk = ? AND ${column} = ?`, needs[table]].filter(Boolean).join(" AND ");
    const put = `INSERT INTO ${table} (${list}) SELECT ${list} FROM ${keptIn(table)} WHERE ${condition}`;
    const back = columns.filter((name) => name !== "pk").map((name) => `${name} = excluded.${name}`);
    const orChangeBack = stays(table) ? ` ON CONFLICT (pk) DO UPDATE SET ${back.join(", ")}` : "";
    database.run(put + orChangeBack, pk, companyPk);
  }
  return true;
}

/** The snapshot that holds a company as it began: its own, or that of the world as it was planted. */
function beginningOf(database: Database, companyPk: number): number | undefined {
  const own = snapshotPk(database, "company", String(companyPk));
  if (own !== undefined) return own;
  const start = snapshotPk(database, "start", "");
  const query = `SELECT 1 FROM ${keptIn("companies")} WHERE snapshot_pk = ? AND pk = ?`;
  return start !== undefined && database.get(query, start, companyPk) ? start : undefined;
}

const columnsKnown = new WeakMap<Database, Map<string, readonly string[]>>();

/** A table's columns; cached, because reading those of each table takes as long as putting all rows back. */
function columnsOf(database: Database, table: string): readonly string[] {
  const tables = columnsKnown.get(database) ?? new Map<string, readonly string[]>();
  columnsKnown.set(database, tables);
  const known = tables.get(table);
  if (known !== undefined) return known;
  const rows = database.all<{ name: string }>("SELECT name FROM pragma_table_info(?) ORDER BY cid", table);
  const columns = rows.map(({ name }) => name);
  tables.set(table, columns);
  return columns;
}

/** The snapshots that users named, oldest first. */
export function listSnapshots(database: Database): SnapshotListing[] {
  const query = "SELECT pk, name, made_at_ms FROM snapshots WHERE kind = 'named' ORDER BY pk";
  return database
    .all<SnapshotRow>(query)
    .map(({ name, made_at_ms }) => ({ name, made_at: new Date(made_at_ms).toISOString() }));
}

/** The number of rows of the world. */
export function countWorldRows(database: Database): number {
  const counts = worldTables.map((table) => `(SELECT count(*) FROM ${table})`);
  return countOf(database, `SELECT ${counts.join(" + ")} AS n`);
}

/** The number of named snapshots other than one, and of their rows. */
export function otherSnapshots(
  database: Database,
  name: string,
): { readonly count: number; readonly rows: number } {
  const pks = database
    .all<{ pk: number }>("SELECT pk FROM snapshots WHERE kind = 'named' AND name <> ?", name)
    .map(({ pk }) => pk);
  const kept = worldTables.map(
    (table) =>
      `(SELECT count(*) FROM ${keptIn(table)} WHERE snapshot_pk IN (SELECT value FROM json_each(?)))`,
  );
  const query = `SELECT ${kept.join(" + ")} AS n`;
  const rows = countOf(database, query, ...worldTables.map(() => JSON.stringify(pks)));
  return { count: pks.length, rows };
}
