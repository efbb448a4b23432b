import { SetupError } from "../rules/errors.ts";
import type { Database } from "./database.ts";
import { createTables, firstReleased, migrations } from "./schema.ts";

/** What a database keeps about itself, and a reopened one must not be told otherwise. */
export interface Origin {
  readonly seed: number;
  /** The ISO instant at which time stands still, or `real`. */
  readonly clock: string;
  /** What tells one seed world from another: a digest of its fixtures. */
  readonly fixtures: string;
  /** Mixed into every secret if secrets are private. Absent: secrets are reproducible, they follow from the seed. */
  readonly private_secret?: string | undefined;
}

/** @returns how the database was made, or `undefined` where it is empty */
export function readOrigin(database: Database): Origin | undefined {
  const kept = readMeta(database);
  const seed = kept.get("seed");
  const clock = kept.get("clock");
  const fixtures = kept.get("fixtures");
  if (seed === undefined || clock === undefined || fixtures === undefined) return undefined;
  return { seed: Number(seed), clock, fixtures, private_secret: kept.get("private_secret") };
}

function readMeta(database: Database): ReadonlyMap<string, string> {
  const table = database.get("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'");
  if (!table) return new Map();
  const rows = database.all<{ key: string; value: string }>("SELECT key, value FROM meta");
  return new Map(rows.map(({ key, value }) => [key, value]));
}

/**
 * Creates the tables of an empty database, or migrates those of an earlier release.
 * @param steps - the migrations after the first release
 * @throws SetupError if the file's version was never released, or is newer than this program
 */
export function prepareSchema(database: Database, steps = migrations): void {
  const current = firstReleased + steps.length;
  const version = Number(readMeta(database).get("schema_version") ?? 0);
  if (version > current) {
    throw new SetupError(
      `the database has schema version ${version}, and this card-sandbox reads up to ${current}: use a newer card-sandbox, or another file`,
    );
  }
  if (version === current) return;
  if (version === 0) {
    createTables(database);
  } else if (version < firstReleased) {
    throw new SetupError(
      `the database has schema version ${version}, which was never released and cannot be read: use another file`,
    );
  } else {
    for (const step of steps.slice(version - firstReleased)) step(database);
  }
  writeMeta(database, "schema_version", String(current));
}

/** Records how a database was made. */
export function writeOrigin(database: Database, origin: Origin): void {
  for (const [key, value] of Object.entries(origin)) {
    if (value !== undefined) writeMeta(database, key, String(value));
  }
}

function writeMeta(database: Database, key: string, value: string): void {
  database.run(
    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    key,
    value,
  );
}
