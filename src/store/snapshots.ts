import { countOf, type Database, inserted } from "./database.ts";
import { companyColumn, type WorldTable, worldTables } from "./schema.ts";

/**
 * `start`: the world after its fixtures were loaded. `company`: one company after it was created later. `named`: the
 * snapshots of users.
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

/** The table that holds a table's rows in snapshots: the snapshot's number, then the same columns. */
const snapshotOf = (table: string) => `snapshot_${table}`;

/** The tables that hold rows of companies. */
const companyTables = worldTables.flatMap((table) => {
  const column = companyColumn(table);
  return column === undefined ? [] : [{ table, column }];
});

/** Captures the whole world, and replaces an earlier snapshot with the same name. */
export function captureWorld(database: Database, kind: Kind, name: string, madeAtMs: number): void {
  const pk = replaceSnapshot(database, kind, name, madeAtMs);
  for (const table of worldTables) {
    database.run(`INSERT INTO ${snapshotOf(table)} SELECT ?, * FROM ${table}`, pk);
  }
}

/** Captures one company, so that it can be reset alone. */
export function captureCompany(database: Database, companyPk: number, madeAtMs: number): void {
  const pk = replaceSnapshot(database, "company", String(companyPk), madeAtMs);
  for (const { table, column } of companyTables) {
    database.run(
      `INSERT INTO ${snapshotOf(table)} SELECT ?, * FROM ${table} WHERE ${column} = ?`,
      pk,
      companyPk,
    );
  }
}

function replaceSnapshot(database: Database, kind: Kind, name: string, madeAtMs: number): number {
  deleteSnapshot(database, kind, name);
  const insert = "INSERT INTO snapshots (kind, name, made_at_ms) VALUES (?, ?, ?) RETURNING pk";
  return inserted(database.get(insert, kind, name, madeAtMs));
}

/** @returns whether there was such a snapshot */
export function deleteSnapshot(database: Database, kind: Kind, name: string): boolean {
  const pk = snapshotPk(database, kind, name);
  if (pk === undefined) return false;
  for (const table of worldTables) database.run(`DELETE FROM ${snapshotOf(table)} WHERE snapshot_pk = ?`, pk);
  database.run("DELETE FROM snapshots WHERE pk = ?", pk);
  if (kind === "named") deleteUnusedStarts(database);
  return true;
}

/**
 * Deletes the start snapshots of companies that are neither in the world nor in a named snapshot.
 * @param companyPk - the company that was deleted; without it, all of them are checked
 */
export function deleteUnusedStarts(database: Database, companyPk?: number): void {
  const unused = `
    SELECT b.name FROM snapshots b WHERE b.kind = 'company'
      AND NOT EXISTS (SELECT 1 FROM companies WHERE pk = CAST(b.name AS INTEGER))
      AND NOT EXISTS (
        SELECT 1 FROM snapshots n
        JOIN ${snapshotOf("companies")} k ON k.snapshot_pk = n.pk AND k.pk = CAST(b.name AS INTEGER)
        WHERE n.kind = 'named')`;
  const starts =
    companyPk === undefined
      ? database.all<{ name: string }>(unused)
      : database.all<{ name: string }>(`${unused} AND b.name = ?`, String(companyPk));
  for (const { name } of starts) deleteSnapshot(database, "company", name);
}

function snapshotPk(database: Database, kind: Kind, name: string): number | undefined {
  const query = "SELECT pk FROM snapshots WHERE kind = ? AND name = ?";
  return database.get<{ pk: number }>(query, kind, name)?.pk;
}

/**
 * Restores every row of the snapshot, counters and clock included, in the caller's transaction.
 * @returns whether there is such a snapshot
 */
export function restoreWorld(database: Database, kind: Kind, name: string): boolean {
  const pk = snapshotPk(database, kind, name);
  if (pk === undefined) return false;
  for (const table of worldTables.toReversed()) database.run(`DELETE FROM ${table}`);
  for (const table of worldTables) {
    const columns = columnsOf(database, table).join(", ");
    database.run(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${snapshotOf(table)} WHERE snapshot_pk = ?`,
      pk,
    );
  }
  deleteUnusedStarts(database);
  return true;
}

/** Conditions for rows that refer to rows of other companies, which may have been deleted since. */
const conditions: Partial<Record<WorldTable, string>> = {
  memberships: "member_pk IN (SELECT pk FROM members)",
  api_keys: "membership_pk IN (SELECT pk FROM memberships)",
  access_tokens: "api_key_pk IN (SELECT pk FROM api_keys)",
  cards: "(company_pk, member_pk) IN (SELECT company_pk, member_pk FROM memberships)",
  replacements: "old_card_pk IN (SELECT pk FROM cards) AND new_card_pk IN (SELECT pk FROM cards)",
  transactions: "(card_pk IS NULL OR card_pk IN (SELECT pk FROM cards))",
};

/** Rows of other companies refer to these, so they are updated and never deleted. */
const isUpdated = (table: WorldTable) => table === "companies" || table === "members";

/**
 * Restores one company as it was at its start, in the caller's transaction. Other companies do not change.
 * @returns whether there is a snapshot of its start
 */
export function restoreCompany(database: Database, companyPk: number): boolean {
  const pk = startSnapshotPk(database, companyPk);
  if (pk === undefined) return false;
  for (const { table, column } of companyTables.toReversed()) {
    if (!isUpdated(table)) database.run(`DELETE FROM ${table} WHERE ${column} = ?`, companyPk);
  }
  for (const { table, column } of companyTables) {
    const columns = columnsOf(database, table);
    const list = columns.join(", ");
    const condition = [`snapshot_pk = ? AND ${column} = ?`, conditions[table]].filter(Boolean).join(" AND ");
    const insert = `INSERT INTO ${table} (${list}) SELECT ${list} FROM ${snapshotOf(table)} WHERE ${condition}`;
    const assignments = columns.filter((name) => name !== "pk").map((name) => `${name} = excluded.${name}`);
    const onConflict = isUpdated(table) ? ` ON CONFLICT (pk) DO UPDATE SET ${assignments.join(", ")}` : "";
    database.run(insert + onConflict, pk, companyPk);
  }
  return true;
}

/** The snapshot with a company's start: its own, or that of the world. */
function startSnapshotPk(database: Database, companyPk: number): number | undefined {
  const own = snapshotPk(database, "company", String(companyPk));
  if (own !== undefined) return own;
  const start = snapshotPk(database, "start", "");
  const query = `SELECT 1 FROM ${snapshotOf("companies")} WHERE snapshot_pk = ? AND pk = ?`;
  return start !== undefined && database.get(query, start, companyPk) ? start : undefined;
}

const columnsByDatabase = new WeakMap<Database, Map<string, readonly string[]>>();

/** A table's columns. They are cached, because reading those of each table takes as long as restoring all rows. */
function columnsOf(database: Database, table: string): readonly string[] {
  const tables = columnsByDatabase.get(database) ?? new Map<string, readonly string[]>();
  columnsByDatabase.set(database, tables);
  const cached = tables.get(table);
  if (cached !== undefined) return cached;
  const rows = database.all<{ name: string }>("SELECT name FROM pragma_table_info(?) ORDER BY cid", table);
  const columns = rows.map(({ name }) => name);
  tables.set(table, columns);
  return columns;
}

/** The snapshots of users, the oldest first. */
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
  const counts = worldTables.map(
    (table) =>
      `(SELECT count(*) FROM ${snapshotOf(table)} WHERE snapshot_pk IN (SELECT value FROM json_each(?)))`,
  );
  const query = `SELECT ${counts.join(" + ")} AS n`;
  const rows = countOf(database, query, ...worldTables.map(() => JSON.stringify(pks)));
  return { count: pks.length, rows };
}
