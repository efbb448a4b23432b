import { hashOfSecret } from "../rules/random.ts";
import type { Database, SqlValue } from "./database.ts";
import { prepareSchema } from "./meta.ts";
import { columnsOf, firstReleased, migrations, snapshotColumns, worldTables } from "./schema.ts";

/** A value of a row in JSON; a BLOB in hexadecimal. */
export type StoredValue = string | number | null | { readonly hex: string };

/** All rows of a database by table, without its private secret. */
export type StoredRows = Readonly<Record<string, readonly (readonly StoredValue[])[]>>;

const mostColumns = Math.max(...worldTables.map((table) => columnsOf(table).length));

/** Each table and its columns, in an order in which rows can be inserted. */
const tables: Readonly<Record<string, readonly string[]>> = {
  meta: ["key", "value"],
  ...Object.fromEntries(worldTables.map((table) => [table, columnsOf(table)])),
  snapshots: ["pk", "kind", "name", "made_at_ms"],
  snapshot_rows: ["snapshot_pk", "of_table", "company_pk", ...snapshotColumns(mostColumns)],
};

/** The number of rows that `storedRows` would return. */
export function countStoredRows(database: Database): number {
  const counts = Object.keys(tables).map((table) => `(SELECT count(*) FROM ${table})`);
  return database.get<{ n: number }>(`SELECT ${counts.join(" + ")} AS n`)?.n ?? 0;
}

/** Reads all rows, in the order of their numbers. */
export function storedRows(database: Database): StoredRows {
  return Object.fromEntries(
    Object.entries(tables).map(([table, columns]) => {
      const condition = table === "meta" ? " WHERE key <> 'private_secret'" : "";
      const rows = database.all<Record<string, SqlValue>>(
        `SELECT ${columns.join(", ")} FROM ${table}${condition}`,
      );
      return [table, rows.map((row) => columns.map((column) => jsonOf(row[column] ?? null)))];
    }),
  );
}

/** Why this version cannot insert the rows, as the end of a sentence; undefined if it can. */
export function storedRowsProblem(rows: StoredRows): string | undefined {
  const current = String(firstReleased + migrations.length);
  const version = rows.meta?.find(([key]) => key === "schema_version")?.[1];
  if (version !== current) {
    return `it begins with the rows of a database of schema version ${version ?? "unknown"}, and this version has ${current}`;
  }
  for (const [table, all] of Object.entries(rows)) {
    const columns = tables[table];
    if (!columns || !all.every((row) => row.length === columns.length && row.every(isStoredValue))) {
      return `it begins with the rows of a database, and those of ${table} are invalid`;
    }
  }
  return undefined;
}

function isStoredValue(value: unknown): value is StoredValue {
  if (typeof value !== "object" || value === null) return value === null || /^(str|num)/.test(typeof value);
  return "hex" in value && typeof value.hex === "string" && /^([0-9a-f]{2})*$/.test(value.hex);
}

/** Creates the tables of an empty database and inserts the rows. */
export function insertStoredRows(database: Database, rows: StoredRows): void {
  database.transaction(() => {
    prepareSchema(database);
    insertRows(database, rows);
  });
}

function insertRows(database: Database, rows: StoredRows): void {
  for (const [table, columns] of Object.entries(tables)) {
    if (table === "meta") database.run("DELETE FROM meta");
    const places = columns.map(() => "?").join(", ");
    const insert = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`;
    for (const row of rows[table] ?? []) database.run(insert, ...row.map(sqlValueOf));
  }
}

/** Replaces the hash of an API key or access token, also in snapshots, unless another one has the new hash already. */
export function replaceHash(database: Database, before: Uint8Array, after: Uint8Array): void {
  for (const table of ["api_keys", "access_tokens"] as const) {
    database.run(`UPDATE OR IGNORE ${table} SET hash = ? WHERE hash = ?`, after, before);
    const column = `c${columnsOf(table).indexOf("hash") + 1}`;
    const ofTable = `of_table = '${table}' AND ${column} = ?`;
    database.run(`UPDATE snapshot_rows SET ${column} = ? WHERE ${ofTable}`, after, before);
  }
}

/** Replaces a fixture key, whose secret is public, also in snapshots. */
export function replacePublicKey(database: Database, before: string, after: string): void {
  replaceHash(database, hashOfSecret(before), hashOfSecret(after));
  database.run("UPDATE api_keys SET public_secret = ? WHERE public_secret = ?", after, before);
  const column = `c${columnsOf("api_keys").indexOf("public_secret") + 1}`;
  const update = `UPDATE snapshot_rows SET ${column} = ? WHERE of_table = 'api_keys' AND ${column} = ?`;
  database.run(update, after, before);
}

/** Whether an API key or an access token has this hash. */
export function isCredential(database: Database, hash: Uint8Array): boolean {
  const query = "SELECT 1 FROM api_keys WHERE hash = ? UNION ALL SELECT 1 FROM access_tokens WHERE hash = ?";
  return database.get(query, hash, hash) !== undefined;
}

function jsonOf(value: SqlValue): StoredValue {
  if (!(value instanceof Uint8Array)) return value;
  return { hex: Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("") };
}

function sqlValueOf(value: StoredValue): SqlValue {
  if (typeof value !== "object" || value === null) return value;
  return Uint8Array.from(value.hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
