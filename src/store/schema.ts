import type { Database } from "../core/ports.ts";
import { checkCardsWithoutLists, indexCardsInOrder, numberWebhookSecrets } from "./schema-changes.ts";

/** The tables whose rows are the world, each after those that it refers to. */
export const worldTables = [
  "clock",
  "counters",
  "companies",
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
  "webhooks",
  "webhook_deliveries",
  "webhook_attempts",
] as const;

const firstTables = `
  -- Where the sandbox's time stands: one row.
  CREATE TABLE clock (
    pk INTEGER PRIMARY KEY CHECK (pk = 1),
    frozen_at_ms INTEGER,
    offset_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE counters (
    company_pk INTEGER NOT NULL,
    kind TEXT NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (company_pk, kind)
  ) STRICT;

  -- AUTOINCREMENT where snapshots tell rows apart by number: none is used again once its row is gone.
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
    cards_made INTEGER NOT NULL DEFAULT 0,
    live_cards INTEGER NOT NULL DEFAULT 0,
    clock_offset_ms INTEGER NOT NULL DEFAULT 0,
    max_per_purchase_minor INTEGER NOT NULL,
    daily_minor INTEGER NOT NULL,
    rolling_32_days_minor INTEGER NOT NULL,
    UNIQUE (environment, slug)
  ) STRICT;

  -- A member belongs to the company that made it known, and may have memberships in others.
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

  CREATE TABLE memberships (
    pk INTEGER PRIMARY KEY AUTOINCREMENT,
    company_pk INTEGER NOT NULL REFERENCES companies,
    member_pk INTEGER NOT NULL REFERENCES members,
    role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'accountant', 'employee')),
    status TEXT NOT NULL CHECK (status IN ('active', 'inactive')),
    UNIQUE (company_pk, member_pk)
  ) STRICT;

  CREATE TABLE accounts (
    pk INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    company_pk INTEGER NOT NULL REFERENCES companies,
    slug TEXT NOT NULL,
    name TEXT NOT NULL,
    currency TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('open', 'closed')),
    balance_minor INTEGER NOT NULL,
    UNIQUE (company_pk, slug)
  ) STRICT;

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
    label TEXT
  ) STRICT;

  CREATE TABLE access_tokens (
    pk INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    company_pk INTEGER NOT NULL REFERENCES companies,
    api_key_pk INTEGER NOT NULL REFERENCES api_keys,
    membership_pk INTEGER NOT NULL REFERENCES memberships,
    expires_at_ms INTEGER NOT NULL
  ) STRICT;

  -- A card's row is also the record of the idempotency key that made it: only success is stored.
  -- A lifetime limit has no cap (spec §2), so its minor units may exceed an INTEGER and are kept as digits.
  CREATE TABLE cards (
    pk INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    token TEXT NOT NULL,
    company_pk INTEGER NOT NULL REFERENCES companies,
    account_pk INTEGER NOT NULL REFERENCES accounts,
    member_pk INTEGER NOT NULL REFERENCES members,
    type TEXT NOT NULL CHECK (type IN ('virtual', 'physical')),
    design_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN (
      'inactive', 'active', 'frozen', 'suspended', 'locked', 'blocked', 'expired', 'terminated')),
    name TEXT NOT NULL,
    last_four TEXT NOT NULL,
    expiry_date TEXT NOT NULL,
    auto_convert INTEGER NOT NULL CHECK (auto_convert IN (0, 1)),
    three_ds_biometric INTEGER NOT NULL CHECK (three_ds_biometric IN (0, 1)),
    limit_period TEXT CHECK (limit_period IN ('daily', 'weekly', 'monthly', 'lifetime')),
    limit_amount_minor TEXT,
    max_per_purchase_minor INTEGER NOT NULL,
    daily_minor INTEGER NOT NULL,
    rolling_32_days_minor INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'live')),
    operation TEXT,
    idempotency_key TEXT,
    UNIQUE (company_pk, token),
    UNIQUE (environment, company_pk, member_pk, operation, idempotency_key)
  ) STRICT;

  CREATE INDEX api_keys_by_company ON api_keys (company_pk);
  CREATE INDEX members_by_company ON members (company_pk);

  CREATE TABLE snapshots (
    pk INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('start', 'company', 'named')),
    name TEXT NOT NULL,
    made_at_ms INTEGER NOT NULL,
    UNIQUE (kind, name)
  ) STRICT;
`;

const scenarioTables = `
  -- What is armed, for one company or, without one, for all; and how far it has come.
  CREATE TABLE armed_scenarios (
    pk INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    scenario TEXT NOT NULL,
    company_pk INTEGER REFERENCES companies,
    operation TEXT,
    api_key_pk INTEGER REFERENCES api_keys,
    times INTEGER,
    steps_taken INTEGER NOT NULL DEFAULT 0,
    fired INTEGER NOT NULL DEFAULT 0,
    armed_at_ms INTEGER NOT NULL,
    from_start INTEGER NOT NULL CHECK (from_start IN (0, 1))
  ) STRICT;

  -- How far requests have come in a scenario that they chose themselves.
  CREATE TABLE chosen_scenarios (
    pk INTEGER PRIMARY KEY,
    company_pk INTEGER NOT NULL REFERENCES companies,
    scenario TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    steps_taken INTEGER NOT NULL,
    UNIQUE (company_pk, scenario, idempotency_key)
  ) STRICT;
`;

const cardChangeColumns = (of: string) => `
  -- The state in which the operator's hold found a card.
  ALTER TABLE ${of}cards ADD COLUMN held_from TEXT;
  -- How far a physical card's parcel has come, and since when; NULL until it is moved.
  ALTER TABLE ${of}cards ADD COLUMN parcel_status TEXT;
  ALTER TABLE ${of}cards ADD COLUMN parcel_moved_at_ms INTEGER;
  -- No live card has an earlier expiry_date, so that none is looked at before that day is over. Companies of
  -- before this column have it read from their cards when first asked.
  ALTER TABLE ${of}companies ADD COLUMN next_expiry TEXT NOT NULL DEFAULT '0000-01-01';
`;

const replacementTable = `
  -- Which card took another's place; also the record of the idempotency key under which a member asked for it,
  -- who need not be the cardholder.
  CREATE TABLE replacements (
    pk INTEGER PRIMARY KEY,
    company_pk INTEGER NOT NULL REFERENCES companies,
    member_pk INTEGER NOT NULL,
    idempotency_key TEXT NOT NULL,
    old_card_pk INTEGER NOT NULL REFERENCES cards,
    new_card_pk INTEGER NOT NULL UNIQUE REFERENCES cards,
    UNIQUE (company_pk, member_pk, idempotency_key)
  ) STRICT;
  CREATE INDEX replacements_by_old_card ON replacements (old_card_pk);
  CREATE INDEX cards_by_company ON cards (company_pk);
`;

const moneyTables = `
  -- A payment by card is pending while it holds money, and completed once it moved some. What counts against its
  -- card's limits is spent_…: below zero for a refund, 0 where nothing is. A booking moved money, and is numbered.
  CREATE TABLE transactions (
    pk INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    company_pk INTEGER NOT NULL REFERENCES companies,
    account_pk INTEGER NOT NULL REFERENCES accounts,
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
    refunded_minor INTEGER NOT NULL DEFAULT 0,
    refunded_original_minor INTEGER NOT NULL DEFAULT 0,
    created_at_ms INTEGER NOT NULL,
    completed_at_ms INTEGER
  ) STRICT;

  CREATE INDEX transactions_by_company ON transactions (company_pk);
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
    UNIQUE (company_pk, number)
  ) STRICT;
`;

/** Columns that came later, each on its table and where snapshots keep the table's rows. */
const moneyColumns = [
  ["accounts", "held_minor"],
  ["accounts", "created_at_ms"],
  ["accounts", "updated_at_ms"],
  ["companies", "created_at_ms"],
] as const;

/** What was there before is as old as the world. */
function addMoney(database: Database): void {
  const start = "(SELECT made_at_ms FROM snapshots WHERE kind = 'start')";
  for (const [table, column] of moneyColumns) {
    for (const each of [table, `snapshot_${table}`]) {
      database.exec(`ALTER TABLE ${each} ADD COLUMN ${column} INTEGER NOT NULL DEFAULT 0`);
      if (column !== "held_minor") database.exec(`UPDATE ${each} SET ${column} = coalesce(${start}, 0)`);
    }
  }
  database.exec(moneyTables);
  for (const table of ["transactions", "invoices"]) createSnapshotTable(database, table);
}

const webhookTables = `
  -- Of the secrets a later step keeps the numbers alone.
  CREATE TABLE webhooks (
    pk INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    company_pk INTEGER NOT NULL REFERENCES companies,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
    secret TEXT NOT NULL,
    previous_secret TEXT,
    previous_until_ms INTEGER,
    created_at_ms INTEGER NOT NULL
  ) STRICT;

  -- The outbox: one event for one webhook, written with what caused it. Times are the company's.
  -- round: how often it was sent on its way; an attempt of an earlier one decides nothing any more.
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
    created_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE webhook_attempts (
    pk INTEGER PRIMARY KEY AUTOINCREMENT,
    company_pk INTEGER NOT NULL REFERENCES companies,
    delivery_pk INTEGER NOT NULL REFERENCES webhook_deliveries,
    at_ms INTEGER NOT NULL,
    response_status INTEGER,
    error TEXT
  ) STRICT;

  CREATE INDEX webhooks_by_company ON webhooks (company_pk);
  CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_pk);
  CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_pk, due_at_ms) WHERE status = 'pending';
  CREATE INDEX webhook_deliveries_by_company ON webhook_deliveries (company_pk);
  CREATE INDEX webhook_attempts_by_delivery ON webhook_attempts (delivery_pk);
`;

/** Where snapshots keep a table's rows: the same columns, behind the number of the snapshot. */
function createSnapshotTable(database: Database, table: string): void {
  const columns = database.all<{ name: string; type: string }>(
    "SELECT name, type FROM pragma_table_info(?) ORDER BY cid",
    table,
  );
  const list = columns.map(({ name, type }) => `${name} ${type}`).join(", ");
  database.exec(`CREATE TABLE snapshot_${table} (snapshot_pk INTEGER NOT NULL, ${list}) STRICT`);
  database.exec(`CREATE INDEX snapshot_${table}_by_snapshot ON snapshot_${table} (snapshot_pk)`);
}

/** The tables of the world that the first step made. */
const firstWorldTables = [
  "clock",
  "counters",
  "companies",
  "members",
  "memberships",
  "accounts",
  "api_keys",
  "access_tokens",
  "cards",
];

/** The steps from an empty database to the current schema; a landed step never changes. */
const migrations: readonly ((database: Database) => void)[] = [
  (database) => {
    database.exec(firstTables);
    for (const table of firstWorldTables) createSnapshotTable(database, table);
  },
  (database) => {
    database.exec(scenarioTables);
    for (const table of ["armed_scenarios", "chosen_scenarios"]) createSnapshotTable(database, table);
  },
  (database) => {
    for (const of of ["", "snapshot_"]) database.exec(cardChangeColumns(of));
    database.exec(replacementTable);
    createSnapshotTable(database, "replacements");
  },
  addMoney,
  (database) => {
    database.exec(webhookTables);
    for (const table of ["webhooks", "webhook_deliveries", "webhook_attempts"]) {
      createSnapshotTable(database, table);
    }
  },
  checkCardsWithoutLists,
  indexCardsInOrder,
  numberWebhookSecrets,
];

/** The version that this program reads and writes. */
export const schemaVersion = migrations.length;

/** Brings a database that holds the `meta` table from its version to the current one, or to an older one for a test. */
export function migrate(database: Database, from: number, to = schemaVersion): void {
  for (const step of migrations.slice(from, to)) step(database);
}
