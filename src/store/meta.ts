import type { ClockState } from "../rules/clock.ts";
import { SetupError } from "../rules/errors.ts";
import type { Database } from "./database.ts";
import { createTables, firstReleased, migrations } from "./schema.ts";

/** The options with which a database was created. When it is opened again, the options must not contradict them. */
export interface Origin {
  readonly seed: number;
  /** The ISO instant at which the clock is frozen, or `real`. */
  readonly clock: string;
  /** A digest of the fixtures. */
  readonly fixtures: string;
  /** Mixed into every secret if secrets are private. If absent, secrets are reproducible: they are derived from the seed. */
  readonly private_secret?: string | undefined;
}

/** @returns how the database was made, or `undefined` if it is empty */
export function readOrigin(database: Database): Origin | undefined {
  const meta = readMeta(database);
  const seed = meta.get("seed");
  const clock = meta.get("clock");
  const fixtures = meta.get("fixtures");
  if (seed === undefined || clock === undefined || fixtures === undefined) return undefined;
  return { seed: Number(seed), clock, fixtures, private_secret: meta.get("private_secret") };
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
      `db: the database has schema version ${version}, but this card-sandbox supports versions up to ${current}. Use a newer card-sandbox or another database file.`,
    );
  }
  if (version === current) return;
  if (version === 0) {
    createTables(database);
  } else if (version < firstReleased) {
    throw new SetupError(
      `db: the database has schema version ${version}, which was never released and cannot be read. Use another database file.`,
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

/** The state of the sandbox's clock when it was last set. */
export function readClock(database: Database): ClockState {
  const clock = database.get<ClockState>(
    "SELECT frozen_at_ms AS frozenAtMs, offset_ms AS offsetMs FROM clock",
  );
  if (!clock) throw new Error("internal error: the database has no clock");
  return clock;
}

export function writeClock(database: Database, { frozenAtMs, offsetMs }: ClockState): void {
  database.run(
    `INSERT INTO clock (pk, frozen_at_ms, offset_ms) VALUES (1, ?, ?)
     ON CONFLICT (pk) DO UPDATE SET frozen_at_ms = excluded.frozen_at_ms, offset_ms = excluded.offset_ms`,
    frozenAtMs,
    offsetMs,
  );
}

/** The kinds of ids that a company counts; `card_counts` counts its cards. */
export type CounterKind =
  | "companies"
  | "company_names"
  | "members"
  | "accounts"
  | "api_keys"
  | "access_tokens"
  | "armed_scenarios"
  | "transactions"
  | "bookings"
  | "invoices"
  | "webhooks"
  | "webhook_secrets"
  | "webhook_deliveries";

const next = `
  INSERT INTO counters (company_pk, kind, value) VALUES (?, ?, 1)
  ON CONFLICT (company_pk, kind) DO UPDATE SET value = value + 1 RETURNING value`;

/** The next number of a counter, from 1; `companyPk` 0 stands for the sandbox as a whole. */
export function nextNumber(database: Database, companyPk: number, kind: CounterKind): number {
  const row = database.get<{ value: number }>(next, companyPk, kind);
  if (!row) throw new Error("INSERT … RETURNING value returned no row");
  return row.value;
}
