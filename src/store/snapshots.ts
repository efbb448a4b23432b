import type { ClockState } from "../rules/clock.ts";
import { endOfDay, expiryDate } from "../rules/uk-calendar.ts";
import { countOf, type Database, inserted, type SqlValue } from "./database.ts";
import { columnsOf, companyColumn, snapshotColumns, type WorldTable, worldTables } from "./schema.ts";

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

/** The tables that hold rows of companies. */
const companyTables = worldTables.flatMap((table) => {
  const column = companyColumn(table);
  return column === undefined ? [] : [{ table, column }];
});

/**
 * Captures the whole world, and replaces an earlier snapshot with the same name. It runs as a script: prepared
 * statements would keep 120 KB in every sandbox.
 */
export function captureWorld(database: Database, kind: Kind, name: string, madeAtMs: number): void {
  const pk = replaceSnapshot(database, kind, name, madeAtMs);
  database.exec(worldTables.map((table) => `${capture(table, String(pk))};`).join(""));
}

/** Captures one company, so that it can be reset alone. */
export function captureCompany(database: Database, companyPk: number, madeAtMs: number): void {
  const pk = replaceSnapshot(database, "company", String(companyPk), madeAtMs);
  for (const statement of captureRowsOfCompany) database.run(statement, pk, companyPk);
}

const captureRowsOfCompany = companyTables.map(
  ({ table, column }) => `${capture(table, "?")} WHERE ${column} = ?`,
);

/** @param pk - the number of the snapshot, as an SQL expression */
function capture(table: WorldTable, pk: string): string {
  const columns = columnsOf(table);
  return `
    INSERT INTO snapshot_rows (snapshot_pk, of_table, company_pk, ${snapshotColumns(columns.length).join(", ")})
    SELECT ${pk}, '${table}', ${companyColumn(table) ?? "NULL"}, ${columns.join(", ")} FROM ${table}`;
}

/** The rows of a table in a snapshot, as a subquery. Its parameters are the numbers of the snapshot and the company. */
function captured(table: WorldTable, company = false): string {
  const columns = columnsOf(table);
  const named = snapshotColumns(columns.length).map((column, n) => `${column} AS ${columns[n]}`);
  const rows = `snapshot_pk = ? AND of_table = '${table}'${company ? " AND company_pk = ?" : ""}`;
  return `(SELECT ${named.join(", ")} FROM snapshot_rows WHERE ${rows})`;
}

/**
 * Moves a world that has just started, and the snapshot of its start, to another start of the clock. Only these columns
 * depend on it. A script, like `captureWorld`.
 */
export function restartAt(database: Database, { frozenAtMs, offsetMs }: ClockState, nowMs: number): void {
  const expiry = expiryDate(nowMs);
  const dates: Partial<Record<WorldTable, Readonly<Record<string, SqlValue>>>> = {
    clock: { frozen_at_ms: frozenAtMs, offset_ms: offsetMs },
    companies: { created_at_ms: nowMs },
    card_counts: { expires_at_ms: endOfDay(expiry) },
    accounts: { created_at_ms: nowMs, updated_at_ms: nowMs },
    cards: { created_at_ms: nowMs, expiry_date: `'${expiry}'`, expires_at_ms: endOfDay(expiry) },
  };
  const updates = Object.entries(dates).map(([table, values]) => {
    const columns = columnsOf(table as WorldTable);
    const set = (nameOf: (column: string) => string) =>
      Object.entries(values).map(([column, value]) => `${nameOf(column)} = ${value}`);
    return `
      UPDATE ${table} SET ${set((column) => column)};
      UPDATE snapshot_rows SET ${set((column) => `c${columns.indexOf(column) + 1}`)} WHERE of_table = '${table}';`;
  });
  database.exec(`${updates.join("")} UPDATE snapshots SET made_at_ms = ${nowMs};`);
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
  database.run("DELETE FROM snapshot_rows WHERE snapshot_pk = ?", pk);
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
        JOIN snapshot_rows r ON r.snapshot_pk = n.pk AND r.of_table = 'companies'
          AND r.company_pk = CAST(b.name AS INTEGER)
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
  emptyWorld(database);
  for (const table of worldTables) {
    const columns = columnsOf(table).join(", ");
    database.run(`INSERT INTO ${table} (${columns}) SELECT * FROM ${captured(table)}`, pk);
  }
  deleteUnusedStarts(database);
  return true;
}

/** Deletes every row of the world, in the caller's transaction. Snapshots stay. */
export function emptyWorld(database: Database): void {
  for (const table of worldTables.toReversed()) database.run(`DELETE FROM ${table}`);
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
  for (const { table } of companyTables) {
    const columns = columnsOf(table);
    const from = `${captured(table, true)} WHERE ${conditions[table] ?? "true"}`;
    const insert = `INSERT INTO ${table} (${columns.join(", ")}) SELECT * FROM ${from}`;
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
  const query = `SELECT 1 FROM ${captured("companies", true)}`;
  return start !== undefined && database.get(query, start, companyPk) ? start : undefined;
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
  const query =
    "SELECT count(*) AS n FROM snapshot_rows WHERE snapshot_pk IN (SELECT value FROM json_each(?))";
  const rows = countOf(database, query, JSON.stringify(pks));
  return { count: pks.length, rows };
}
