import type { CompanyId } from "../contract/identifiers.ts";
import type { Database } from "../core/ports.ts";
import { seededRandom } from "../core/random.ts";
import { webhookSecret } from "../core/webhook-secret.ts";

// The steps of the schema that change tables which hold rows already.

/**
 * Of a list in a CHECK, SQLite makes a table for each row that it checks: a quarter of what a card's row costs. The
 * same is said without lists, in a table that takes the place of the one before.
 */
export function checkCardsWithoutLists(database: Database): void {
  const made = database.get<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE name = 'cards'")?.sql ?? "";
  const table = made.replace(/(\w+) IN \(([^()]+)\)/g, (_, column, list: string) =>
    list
      .split(",")
      .map((each) => `${column} = ${each.trim()}`)
      .join(" OR "),
  );
  replaceCards(database, table, "CREATE INDEX cards_by_company ON cards (company_pk);");
}

/** Moves the cards to another table of the same columns. Rows that refer to them find theirs again before anybody asks. */
function replaceCards(database: Database, table: string, indexes: string): void {
  database.exec(`
    PRAGMA defer_foreign_keys = ON;
    CREATE TABLE cards_before AS SELECT * FROM cards;
    DROP TABLE cards;
    ${table};
    INSERT INTO cards SELECT * FROM cards_before;
    DROP TABLE cards_before;
    ${indexes}
    PRAGMA defer_foreign_keys = OFF;
  `);
}

/**
 * An index that grows at random places is most of what an order costs on a file. The tokens of a company differ by how
 * they are made, and are found among its cards in their order; a card's environment is its company's.
 */
export function indexCardsInOrder(database: Database): void {
  const made = database.get<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE name = 'cards'")?.sql ?? "";
  const indexes = `
    CREATE INDEX cards_by_company ON cards (company_pk, pk, token);
    CREATE UNIQUE INDEX cards_by_idempotency_key ON cards (company_pk, member_pk, operation, idempotency_key);`;
  replaceCards(database, made.replace(/,\s+UNIQUE \([^)]+\)/g, ""), indexes);
  for (const table of ["cards", "snapshot_cards"])
    database.exec(`ALTER TABLE ${table} DROP COLUMN environment`);
}

/** Webhooks' secrets stood in clear: which of its company's secrets each is says as much. */
export function numberWebhookSecrets(database: Database): void {
  const tables = ["webhooks", "snapshot_webhooks"];
  for (const table of tables) {
    const always = table === "webhooks" ? " NOT NULL DEFAULT 0" : "";
    database.exec(`ALTER TABLE ${table} ADD COLUMN secret_number INTEGER${always}`);
    database.exec(`ALTER TABLE ${table} ADD COLUMN previous_secret_number INTEGER`);
  }
  const seed = database.get<{ value: string }>("SELECT value FROM meta WHERE key = 'seed'")?.value;
  const random = seededRandom(Number(seed));
  const companies = database.all<{ id: CompanyId }>(`
    SELECT c.id FROM webhooks w JOIN companies c ON c.pk = w.company_pk
    UNION SELECT c.id FROM snapshot_webhooks w
      JOIN snapshot_companies c ON c.snapshot_pk = w.snapshot_pk AND c.pk = w.company_pk`);
  const made = database.get<{ n: number | null }>(`
    SELECT max(value) AS n FROM (
      SELECT kind, value FROM counters UNION ALL SELECT kind, value FROM snapshot_counters)
    WHERE kind = 'webhook_secrets'`);
  for (const { id } of companies) {
    for (let n = 1; n <= (made?.n ?? 0); n++) {
      const secret = webhookSecret(random, id, n);
      for (const table of tables) {
        database.run(`UPDATE ${table} SET secret_number = ? WHERE secret = ?`, n, secret);
        database.run(`UPDATE ${table} SET previous_secret_number = ? WHERE previous_secret = ?`, n, secret);
      }
    }
  }
  for (const table of tables) {
    for (const column of ["secret", "previous_secret"]) {
      database.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    }
  }
}
