import type { Database } from "./database.ts";

/** The tables whose rows are the world; each comes after the tables that it refers to. */
export const worldTables = [
  "clock",
  "counters",
  "companies",
  "dialects",
  "card_counts",
  "members",
  "memberships",
  "accounts",
  "api_keys",
  "access_tokens",
  "cards",
  "transactions",
  "invoices",
  "armed_scenarios",
  "chosen_scenarios",
  "replacements",
  "stored_refusals",
  "webhooks",
  "webhook_deliveries",
  "webhook_attempts",
] as const;

export type WorldTable = (typeof worldTables)[number];

/** The column by which a table's rows belong to a company; undefined for the clock, which belongs to none. */
export const companyColumn = (table: WorldTable): string | undefined =>
  table === "clock" ? undefined : table === "companies" ? "pk" : "company_pk";

/**
 * The current tables. Names that end in `_minor` hold amounts in minor units (pence, cents), `_ms` milliseconds since
 * 1970, `_pk` row numbers. AUTOINCREMENT marks the tables whose row numbers must never be used twice: requests that
 * began before a reset recognise their rows by them.
 *
 * Each foreign key has an index that begins with one of its columns: SQLite looks up the rows that refer to a deleted
 * row, and without an index it reads the whole table. Cards and transactions refer to their account together with their
 * company, so that the index by company serves that look-up and an order maintains no further index.
 *
 * position numbers the rows of a list from 1, within the company, member or webhook that the list is of. Cursors hold
 * it, so that they do not depend on the rows of others.
 */
const tables = `
  -- Metadata of the database: its schema version, seed, clock, fixtures and private secret.
  CREATE TABLE meta (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT;

  -- The sandbox's clock: one row. A clock that is not frozen runs at real time plus the offset.
  CREATE TABLE clock (
    pk INTEGER PRIMARY KEY CHECK (pk = 1),
    frozen_at_ms INTEGER,
    offset_ms INTEGER NOT NULL
  ) STRICT;

  -- The last number used for each kind of id, for each company; company 0 stands for the sandbox.
  CREATE TABLE counters (
    company_pk INTEGER NOT NULL,
    kind TEXT NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (company_pk, kind)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE companies (
    pk INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'live')),
    slug TEXT NOT NULL,
    name TEXT NOT NULL,
    country_code TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'suspended', 'closed')),
    details_complete INTEGER NOT NULL CHECK (details_complete IN (0, 1)),
    entitlements TEXT NOT NULL,
    design_id TEXT NOT NULL,
    card_quota INTEGER NOT NULL,
    clock_offset_ms INTEGER NOT NULL DEFAULT 0,
    max_per_purchase_minor INTEGER NOT NULL,
    daily_minor INTEGER NOT NULL,
    rolling_32_days_minor INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL DEFAULT 0,
    UNIQUE (environment, slug)
  ) STRICT;

  -- The alternatives that were selected while the sandbox runs, as JSON by behavior: for a company or, without one, for all.
  CREATE TABLE dialects (
    pk INTEGER PRIMARY KEY,
    company_pk INTEGER UNIQUE REFERENCES companies,
    selections TEXT NOT NULL
  ) STRICT;

  -- How many cards a company has made, and how many of them have not ended, by the instant at which they expire. The
  -- quota counts those that expire later, without reading any card and without marking cards as expired first.
  CREATE TABLE card_counts (
    company_pk INTEGER NOT NULL REFERENCES companies,
    expires_at_ms INTEGER NOT NULL,
    made INTEGER NOT NULL,
    not_ended INTEGER NOT NULL,
    PRIMARY KEY (company_pk, expires_at_ms)
  ) STRICT, WITHOUT ROWID;

  -- A member belongs to the company that created it, and may have memberships in others.
  CREATE TABLE members (
    pk INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    company_pk INTEGER NOT NULL REFERENCES companies,
    environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'live')),
    slug TEXT NOT NULL,
    name TEXT NOT NULL,
    details_complete INTEGER NOT NULL CHECK (details_complete IN (0, 1)),
    UNIQUE (environment, slug)
  ) STRICT;
  CREATE INDEX members_by_company ON members (company_pk);

  CREATE TABLE memberships (
    pk INTEGER PRIMARY KEY AUTOINCREMENT,
    company_pk INTEGER NOT NULL REFERENCES companies,
    member_pk INTEGER NOT NULL REFERENCES members,
    role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'accountant', 'employee')),
    status TEXT NOT NULL CHECK (status IN ('active', 'inactive')),
    position INTEGER NOT NULL,
    UNIQUE (company_pk, member_pk),
    UNIQUE (member_pk, position)
  ) STRICT;

  CREATE TABLE accounts (
    pk INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    company_pk INTEGER NOT NULL REFERENCES companies,
    slug TEXT NOT NULL,
    name TEXT NOT NULL,
    currency TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'closed')),
    balance_minor INTEGER NOT NULL,
    held_minor INTEGER NOT NULL DEFAULT 0,
    created_at_ms INTEGER NOT NULL DEFAULT 0,
    updated_at_ms INTEGER NOT NULL DEFAULT 0,
    position INTEGER NOT NULL,
    UNIQUE (company_pk, position),
    UNIQUE (company_pk, slug),
    UNIQUE (company_pk, pk)
  ) STRICT;

  -- Keys and tokens are stored as hashes. Only the fixtures' keys, which are public, are stored in clear as well.
  CREATE TABLE api_keys (
    pk INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    company_pk INTEGER NOT NULL REFERENCES companies,
    membership_pk INTEGER NOT NULL REFERENCES memberships,
    environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'live')),
    hash BLOB NOT NULL UNIQUE,
    prefix TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'revoked')),
    public_secret TEXT,
    label TEXT,
    UNIQUE (company_pk, pk)
  ) STRICT;
  CREATE INDEX api_keys_by_membership ON api_keys (membership_pk);

  CREATE TABLE access_tokens (
    pk INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    company_pk INTEGER NOT NULL,
    api_key_pk INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    FOREIGN KEY (company_pk, api_key_pk) REFERENCES api_keys (company_pk, pk)
  ) STRICT;
  CREATE INDEX access_tokens_by_api_key ON access_tokens (company_pk, api_key_pk);

  -- A card's row is also the record of the Idempotency-Key that created it: only success is stored.
  -- The CHECKs compare one by one: for IN (…) SQLite builds a table at each insert, a quarter of its cost.
  CREATE TABLE cards (
    pk INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    -- Unique in its company, by the way it is derived; an index that grows in random order would double an insert.
    token TEXT NOT NULL,
    company_pk INTEGER NOT NULL,
    account_pk INTEGER NOT NULL,
    member_pk INTEGER NOT NULL,
    type TEXT NOT NULL CHECK (type = 'virtual' OR type = 'physical'),
    design_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (
      status = 'inactive' OR status = 'active' OR status = 'frozen' OR status = 'suspended' OR
      status = 'locked' OR status = 'blocked' OR status = 'expired' OR status = 'terminated'),
    name TEXT NOT NULL,
    last_four TEXT NOT NULL,
    expiry_date TEXT NOT NULL,
    -- 00:00 in the UK after expiry_date. From then on the card is expired, even if status differs (store/cards.ts).
    expires_at_ms INTEGER NOT NULL,
    auto_convert INTEGER NOT NULL CHECK (auto_convert = 0 OR auto_convert = 1),
    three_ds_biometric INTEGER NOT NULL CHECK (three_ds_biometric = 0 OR three_ds_biometric = 1),
    limit_period TEXT CHECK (
      limit_period = 'daily' OR limit_period = 'weekly' OR limit_period = 'monthly' OR limit_period = 'lifetime'),
    limit_amount_minor INTEGER,
    max_per_purchase_minor INTEGER NOT NULL,
    daily_minor INTEGER NOT NULL,
    rolling_32_days_minor INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    operation TEXT,
    idempotency_key TEXT,
    -- Hash of the order without its PIN, to distinguish a repeated order from another one with the same key.
    order_digest TEXT,
    -- The response that created the card, as JSON; NULL unless a dialect replays it.
    first_response TEXT,
    -- The status that the card had before the operator suspended, locked or blocked it.
    held_from TEXT,
    -- The progress of a physical card's delivery; NULL until its first change.
    parcel_status TEXT,
    parcel_moved_at_ms INTEGER,
    position INTEGER NOT NULL,
    FOREIGN KEY (company_pk, account_pk) REFERENCES accounts (company_pk, pk),
    FOREIGN KEY (company_pk, member_pk) REFERENCES memberships (company_pk, member_pk)
  ) STRICT;
  CREATE INDEX cards_by_company ON cards (company_pk, position, token);
  CREATE UNIQUE INDEX cards_by_idempotency_key ON cards (company_pk, member_pk, operation, idempotency_key);

  -- A card and the card that it replaced; also the record of the request's Idempotency-Key. The member who sent the
  -- request need not be the cardholder.
  CREATE TABLE replacements (
    pk INTEGER PRIMARY KEY,
    company_pk INTEGER NOT NULL REFERENCES companies,
    member_pk INTEGER NOT NULL,
    -- NULL once a dialect has forgotten it.
    idempotency_key TEXT,
    -- Whether the spending of the old card counts against the limits of the new one.
    carries_spending INTEGER NOT NULL CHECK (carries_spending = 0 OR carries_spending = 1),
    old_card_pk INTEGER NOT NULL REFERENCES cards,
    new_card_pk INTEGER NOT NULL UNIQUE REFERENCES cards,
    UNIQUE (company_pk, member_pk, idempotency_key)
  ) STRICT;
  CREATE INDEX replacements_by_old_card ON replacements (old_card_pk);

  -- The refusals that a dialect stores under their Idempotency-Keys.
  CREATE TABLE stored_refusals (
    company_pk INTEGER NOT NULL REFERENCES companies,
    idempotency_key TEXT NOT NULL,
    member_pk INTEGER NOT NULL,
    operation TEXT NOT NULL,
    point TEXT NOT NULL,
    message TEXT NOT NULL,
    refused_at_ms INTEGER NOT NULL,
    PRIMARY KEY (company_pk, idempotency_key, member_pk, operation)
  ) STRICT, WITHOUT ROWID;

  -- A card payment is pending while it holds money, and completed once it moved some. The spent_… columns count
  -- against the card's limits: negative for a refund, 0 for no effect. booking numbers the completed ones.
  CREATE TABLE transactions (
    pk INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    company_pk INTEGER NOT NULL,
    account_pk INTEGER NOT NULL,
    card_pk INTEGER REFERENCES cards,
    type TEXT NOT NULL CHECK (type IN (
      'card_payment', 'card_refund', 'atm', 'transfer', 'exchange', 'fee', 'topup')),
    status TEXT NOT NULL CHECK (status IN ('pending', 'completed', 'declined', 'reverted')),
    direction TEXT NOT NULL CHECK (direction IN ('credit', 'debit')),
    amount_minor INTEGER NOT NULL CHECK (amount_minor >= 0),
    original_amount_minor INTEGER NOT NULL CHECK (original_amount_minor >= 0),
    original_currency TEXT NOT NULL,
    exchange_rate TEXT,
    running_balance_minor INTEGER,
    booking INTEGER,
    merchant TEXT,
    decline_reason TEXT,
    related_id TEXT,
    spent_minor INTEGER NOT NULL,
    spent_eur_minor INTEGER NOT NULL,
    spent_at_ms INTEGER NOT NULL,
    refunded_original_minor INTEGER NOT NULL DEFAULT 0,
    created_at_ms INTEGER NOT NULL,
    completed_at_ms INTEGER,
    position INTEGER NOT NULL,
    UNIQUE (company_pk, position),
    FOREIGN KEY (company_pk, account_pk) REFERENCES accounts (company_pk, pk)
  ) STRICT;
  CREATE INDEX transactions_by_card ON transactions (card_pk, spent_at_ms);

  CREATE TABLE invoices (
    pk INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    company_pk INTEGER NOT NULL REFERENCES companies,
    number TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('open', 'paid', 'void')),
    currency TEXT NOT NULL,
    net_minor INTEGER NOT NULL,
    vat_minor INTEGER NOT NULL,
    issued_on TEXT NOT NULL,
    due_on TEXT NOT NULL,
    period_start TEXT NOT NULL,
    period_end TEXT NOT NULL,
    paid_at_ms INTEGER,
    position INTEGER NOT NULL,
    UNIQUE (company_pk, position),
    UNIQUE (company_pk, number)
  ) STRICT;

  -- The armed scenarios, each for one company or, without one, for all; the waiting times that replace those of its steps;
  -- and how many of its steps were claimed.
  CREATE TABLE armed_scenarios (
    pk INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    scenario TEXT NOT NULL,
    company_pk INTEGER REFERENCES companies,
    operation TEXT,
    api_key_pk INTEGER REFERENCES api_keys,
    times INTEGER,
    retry_after_s INTEGER,
    latency_ms INTEGER,
    hold_ms INTEGER,
    steps_taken INTEGER NOT NULL DEFAULT 0,
    fired INTEGER NOT NULL DEFAULT 0,
    armed_at_ms INTEGER NOT NULL,
    from_start INTEGER NOT NULL CHECK (from_start IN (0, 1))
  ) STRICT;
  CREATE INDEX armed_scenarios_by_company ON armed_scenarios (company_pk);
  CREATE INDEX armed_scenarios_by_api_key ON armed_scenarios (api_key_pk);

  -- How many steps were claimed of a scenario that the requests chose themselves.
  CREATE TABLE chosen_scenarios (
    pk INTEGER PRIMARY KEY,
    company_pk INTEGER NOT NULL REFERENCES companies,
    scenario TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    steps_taken INTEGER NOT NULL,
    UNIQUE (company_pk, scenario, idempotency_key)
  ) STRICT;

  -- A secret is derived from its company and its number, so only the number is stored.
  CREATE TABLE webhooks (
    pk INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    company_pk INTEGER NOT NULL REFERENCES companies,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
    secret_number INTEGER NOT NULL,
    -- JSON: [{"number": …, "untilMs": …}], the earlier secrets that sign too, the newest first.
    previous_secrets TEXT NOT NULL DEFAULT '[]',
    pending_deliveries INTEGER NOT NULL DEFAULT 0,
    created_at_ms INTEGER NOT NULL,
    position INTEGER NOT NULL,
    UNIQUE (company_pk, position)
  ) STRICT;

  -- The outbox: one event for one webhook, written in the transaction that caused it. Times are the company's.
  -- round counts how often the delivery was started; attempts of an earlier round no longer change it.
  CREATE TABLE webhook_deliveries (
    pk INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    company_pk INTEGER NOT NULL REFERENCES companies,
    webhook_pk INTEGER NOT NULL REFERENCES webhooks,
    event TEXT NOT NULL,
    body TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    round INTEGER NOT NULL DEFAULT 1,
    tries INTEGER NOT NULL DEFAULT 0,
    due_at_ms INTEGER NOT NULL,
    faults TEXT,
    created_at_ms INTEGER NOT NULL,
    position INTEGER NOT NULL,
    UNIQUE (webhook_pk, position)
  ) STRICT;
  CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_pk, due_at_ms) WHERE status = 'pending';
  CREATE INDEX webhook_deliveries_held_back ON webhook_deliveries (webhook_pk)
    WHERE status = 'pending' AND tries = 0 AND faults ->> 'reorder';
  CREATE INDEX webhook_deliveries_over ON webhook_deliveries (webhook_pk) WHERE status <> 'pending';
  CREATE INDEX webhook_deliveries_by_company ON webhook_deliveries (company_pk);

  CREATE TABLE webhook_attempts (
    pk INTEGER PRIMARY KEY AUTOINCREMENT,
    company_pk INTEGER NOT NULL REFERENCES companies,
    delivery_pk INTEGER NOT NULL REFERENCES webhook_deliveries,
    at_ms INTEGER NOT NULL,
    response_status INTEGER,
    error TEXT
  ) STRICT;
  CREATE INDEX webhook_attempts_by_delivery ON webhook_attempts (delivery_pk);
  CREATE INDEX webhook_attempts_by_company ON webhook_attempts (company_pk);

  -- The world as it began, each company as it began, and the snapshots that users name.
  CREATE TABLE snapshots (
    pk INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('start', 'company', 'named')),
    name TEXT NOT NULL,
    made_at_ms INTEGER NOT NULL,
    UNIQUE (kind, name)
  ) STRICT;
`;

const columns = new Map(
  Array.from(tables.matchAll(/CREATE TABLE (\w+) \(\n(.*?)\n {2}\) STRICT/gs), ([, table, body = ""]) => [
    table,
    Array.from(body.matchAll(/^ {4}([a-z0-9_]+) /gm), ([, column = ""]) => column),
  ]),
);

/** The columns of a table, in their order. */
export const columnsOf = (table: WorldTable): readonly string[] => columns.get(table) ?? [];

/** The columns of `snapshot_rows` that hold the first columns of a table, as many as given. */
export function snapshotColumns(count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `c${n + 1}`);
}

/**
 * The rows of all world tables that snapshots hold. One table for all takes 70 KB less memory in each sandbox than one for
 * each, and a new database opens faster. If a migration adds a column to a table, it also fills it here.
 */
const snapshotRows = `
  CREATE TABLE snapshot_rows (
    snapshot_pk INTEGER NOT NULL,
    of_table TEXT NOT NULL,
    company_pk INTEGER,
    ${snapshotColumns(Math.max(...worldTables.map((table) => columnsOf(table).length)))
      .map((column) => `${column} ANY`)
      .join(", ")}
  ) STRICT;
  CREATE INDEX snapshot_rows_by_company ON snapshot_rows (snapshot_pk, of_table, company_pk);
`;

/** Creates the current tables in an empty database. */
export function createTables(database: Database): void {
  database.exec(tables + snapshotRows);
}

/** The schema version of the first release. Files of earlier versions were never released and cannot be read. */
export const firstReleased = 12;

/**
 * Changes the tables, and the rows that they hold, to those of the next version. A step that was released never
 * changes; `tables` above always shows the result.
 */
export type Migration = (database: Database) => void;

/** The steps after the first release, in order: the first one leads from `firstReleased` to the version after it. */
export const migrations: readonly Migration[] = [];
