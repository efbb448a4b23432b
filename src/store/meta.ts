import { SetupError } from "../core/errors.ts";
import type { Database } from "../core/ports.ts";
import { migrate, schemaVersion } from "./schema.ts";

/** What a database keeps about itself, and a reopened one must not be told otherwise. */
export interface Origin {
  readonly seed: number;
  /** The ISO instant at which time stands still, or `real`. */
  readonly clock: string;
  /** What tells one seed world from another: a digest of its fixtures. */
  readonly fixtures: string;
}

/** @returns how the database was made, or `undefined` where it is empty */
export function readOrigin(database: Database): Origin | undefined {
  const kept = readMeta(database);
  const seed = kept.get("seed");
  const clock = kept.get("clock");
  const fixtures = kept.get("fixtures");
  if (seed === undefined || clock === undefined || fixtures === undefined) return undefined;
  return { seed: Number(seed), clock, fixtures };
}

function readMeta(database: Database): ReadonlyMap<string, string> {
  const table = database.get("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'");
  if (!table) return new Map();
  const rows = database.all<{ key: string; value: string }>("SELECT key, value FROM meta");
  return new Map(rows.map(({ key, value }) => [key, value]));
}

/**
 * Makes the tables of an empty database, or brings older ones up to date.
 * @param tables - what `schemaOf` tells of an up-to-date one, where that is at hand
 * @throws SetupError where a newer card-sandbox made it
 */
export function prepareSchema(database: Database, tables?: string): void {
  const version = Number(readMeta(database).get("schema_version") ?? 0);
  if (version > schemaVersion) {
    throw new SetupError(
      `the database has schema version ${version}, and this card-sandbox reads up to ${schemaVersion}: use a newer card-sandbox, or another file`,
    );
  }
  if (version === schemaVersion) return;
  if (version === 0 && tables !== undefined) {
    database.exec(tables);
  } else {
    if (version === 0) {
      database.exec("CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT");
    }
    migrate(database, version);
  }
  writeMeta(database, "schema_version", String(schemaVersion));
}

/** The statements that make all of a database's tables and indexes at once, several times faster than step by step. */
export function schemaOf(database: Database): string {
  const made = database.all<{ sql: string }>(
    "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
  );
  return made.map(({ sql }) => `${sql};\n`).join("");
}

/** Records how a database was made. */
export function writeOrigin(database: Database, origin: Origin): void {
  for (const [key, value] of Object.entries(origin)) writeMeta(database, key, String(value));
}

function writeMeta(database: Database, key: string, value: string): void {
  database.run(
    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    key,
    value,
  );
}
