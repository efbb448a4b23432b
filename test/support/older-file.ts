import { createHash } from "node:crypto";
import type { CompanyId } from "../../src/contract/identifiers.ts";
import { seededRandom } from "../../src/core/random.ts";
import { webhookSecret } from "../../src/core/webhook-secret.ts";
import { openDatabase } from "../../src/node/better-sqlite3.ts";
import { migrate } from "../../src/store/schema.ts";

/** What an older file holds: a company with its owner, their key, token and cards, and how it was at the start. */
export const older = {
  companyId: "0a0a0a0a-0000-4000-8000-000000000001",
  memberId: "0a0a0a0a-0000-4000-8000-000000000002",
  accountId: "0a0a0a0a-0000-4000-8000-000000000003",
  apiKeyId: "0a0a0a0a-0000-4000-8000-000000000004",
  cardId: "0a0a0a0a-0000-4000-8000-000000000005",
  idempotencyKey: "0a0a0a0a-0000-4000-8000-000000000006",
  replacementId: "0a0a0a0a-0000-4000-8000-000000000007",
  replacementKey: "0a0a0a0a-0000-4000-8000-000000000008",
  heldId: "0a0a0a0a-0000-4000-8000-000000000009",
  transactionId: "0a0a0a0a-0000-4000-8000-00000000000a",
  webhookId: "0a0a0a0a-0000-4000-8000-00000000000c",
  apiKey: "sk_sandbox_older_owner",
  accessToken: "a-token-of-an-older-version",
} as const;

const startedAt = Date.parse("2026-03-01T00:00:00Z");
const tokenExpiresAt = Date.parse("2026-03-10T09:45:00Z");

const hash = (secret: string) => `x'${createHash("sha256").update(secret).digest("hex")}'`;

/** The version from which a webhook's secrets are kept by their numbers. */
const withSecretNumbers = 8;

const secretColumns = (version: number) =>
  version < withSecretNumbers ? "secret, previous_secret" : "secret_number, previous_secret_number";

const secret = (version: number, n: number) =>
  version < withSecretNumbers ? `'${webhookSecret(seededRandom(7), older.companyId as CompanyId, n)}'` : n;

/** The version from which a card's environment is its company's alone. */
const withoutEnvironment = 7;

const card = (version: number, id: string, token: string, status: string, operation: string, key: string) => `
  INSERT INTO cards (id, token, company_pk, account_pk, member_pk, type, design_id, status, name, last_four,
    expiry_date, auto_convert, three_ds_biometric, limit_period, limit_amount_minor, max_per_purchase_minor,
    daily_minor, rolling_32_days_minor, created_at_ms,${version < withoutEnvironment ? " environment," : ""} operation, idempotency_key)
  VALUES ('${id}', '${token}', 1, 1, 1, 'physical', '${older.companyId}', '${status}', 'Travel', '4821',
    '2031-03-31', 0, 0, 'monthly', '25000', 1000000, 1000000, 5000000, ${startedAt},
    ${version < withoutEnvironment ? "'sandbox', " : ""}'${operation}', '${key}');
  UPDATE companies SET cards_made = cards_made + 1, live_cards = live_cards + ('${status}' <> 'terminated');`;

/** The world of the first version, as plain SQL; the tables of a later one may be empty. */
const world = `
  INSERT INTO meta VALUES ('seed', '7'), ('clock', 'real'), ('fixtures', 'an older world');
  INSERT INTO clock VALUES (1, NULL, 0);
  INSERT INTO counters VALUES (0, 'companies', 1), (1, 'members', 1), (1, 'accounts', 1), (1, 'api_keys', 1);
  INSERT INTO companies (id, environment, slug, name, country_code, status, details_complete, entitlements, design_id,
    card_quota, max_per_purchase_minor, daily_minor, rolling_32_days_minor)
  VALUES ('${older.companyId}', 'sandbox', 'northwind', 'Older Ltd', 'GB', 'active', 1,
    'accounts transactions cards invoices webhooks', '${older.companyId}', 20, 1000000, 1000000, 5000000);
  INSERT INTO members (id, company_pk, environment, slug, name, details_complete)
  VALUES ('${older.memberId}', 1, 'sandbox', 'older-owner', 'Ada Older', 1);
  INSERT INTO memberships (company_pk, member_pk, role, status) VALUES (1, 1, 'owner', 'active');
  INSERT INTO accounts (id, company_pk, slug, name, currency, status, balance_minor)
  VALUES ('${older.accountId}', 1, 'gbp', 'Main account', 'GBP', 'open', 25000000);
  INSERT INTO api_keys (id, company_pk, membership_pk, environment, hash, prefix, status, public_secret)
  VALUES ('${older.apiKeyId}', 1, 1, 'sandbox', ${hash(older.apiKey)}, 'sk_sandbox_older', 'active', '${older.apiKey}');`;

/** What was kept as the beginning: the world before anything was done in it. */
const beginning = ["clock", "counters", "companies", "members", "memberships", "accounts", "api_keys"]
  .map((table) => `INSERT INTO snapshot_${table} SELECT 1, * FROM ${table};`)
  .join("\n");

/** What was done since, by the version from which it could be. */
const done = (version: number): Readonly<Record<number, string>> => ({
  1: `
    INSERT INTO access_tokens (hash, company_pk, api_key_pk, membership_pk, expires_at_ms)
    VALUES (${hash(older.accessToken)}, 1, 1, 1, ${tokenExpiresAt});
    ${card(version, older.cardId, "111111111", "active", "orderPhysicalCard", older.idempotencyKey)}`,
  2: `
    INSERT INTO armed_scenarios (id, scenario, company_pk, times, steps_taken, fired, armed_at_ms, from_start)
    VALUES ('${older.companyId}', 'issuer-unavailable', 1, 2, 1, 1, ${startedAt}, 0);`,
  3: `
    ${card(version, older.heldId, "222222222", "suspended", "orderPhysicalCard", older.heldId)}
    UPDATE cards SET held_from = 'frozen', parcel_status = 'shipped', parcel_moved_at_ms = ${startedAt}
    WHERE id = '${older.heldId}';
    ${card(version, older.replacementId, "333333333", "active", "replaceCard", older.replacementKey)}
    INSERT INTO replacements (company_pk, member_pk, idempotency_key, old_card_pk, new_card_pk)
    VALUES (1, 1, '${older.replacementKey}', 2, 3);`,
  4: `
    INSERT INTO transactions (id, company_pk, account_pk, card_pk, type, status, direction, amount_minor,
      original_amount_minor, original_currency, spent_minor, spent_eur_minor, spent_at_ms, created_at_ms)
    VALUES ('${older.transactionId}', 1, 1, 1, 'card_payment', 'pending', 'debit', 1250, 1250, 'GBP', 1250, 1500,
      ${Date.parse("2026-03-09T12:00:00Z")}, ${Date.parse("2026-03-09T12:00:00Z")});
    UPDATE accounts SET held_minor = 1250;`,
  5: `
    INSERT INTO counters VALUES (1, 'webhooks', 1), (1, 'webhook_secrets', 2);
    INSERT INTO webhooks (id, company_pk, url, events, status, ${secretColumns(version)}, previous_until_ms, created_at_ms)
    VALUES ('${older.webhookId}', 1, 'http://localhost/hooks', 'card.created', 'disabled', ${secret(version, 2)},
      ${secret(version, 1)}, ${startedAt}, ${startedAt});
    INSERT INTO snapshots VALUES (2, 'named', 'with a webhook', ${startedAt});
    ${["companies", "webhooks"].map((table) => `INSERT INTO snapshot_${table} SELECT 2, * FROM ${table};`).join("")}`,
});

/** Makes a file as the program of a schema version left it. */
export function makeOlderFile(file: string, version: number): void {
  const database = openDatabase(file);
  try {
    database.transaction(() => {
      database.exec("CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT");
      migrate(database, 0, version);
      database.exec(`INSERT INTO meta VALUES ('schema_version', '${version}')`);
      database.exec(world);
      database.exec(`INSERT INTO snapshots VALUES (1, 'start', '', ${startedAt})`);
      database.exec(beginning);
      for (let step = 1; step <= version; step++) database.exec(done(version)[step] ?? "");
    });
  } finally {
    database.close();
  }
}
