import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../src/node/better-sqlite3.ts";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { schemaVersion } from "../../src/store/schema.ts";
import { temporaryFolder } from "../support/command-line.ts";
import { makeOlderFile, older } from "../support/older-file.ts";
import { openSandbox } from "../support/open-sandbox.ts";

const newer = { key: "0a0a0a0a-0000-4000-8000-00000000000b" };

/** An older file, opened by the present program. */
function openOlder(version: number) {
  const db = join(temporaryFolder(), "sandbox.db");
  makeOlderFile(db, version);
  return openSandbox({ db });
}

/** What a file's tables and indexes are, in the words that made them. */
function schemaOf(file: string): string[] {
  const database = openDatabase(file);
  onTestFinished(() => database.close());
  return database
    .all<{ sql: string }>("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
    .map(({ sql }) => sql);
}

const { accessToken: token } = older;
const versions = Array.from({ length: schemaVersion }, (_, n) => n + 1);

describe.each(versions)("a file of schema version %i", (version) => {
  test("keeps its card, its key, its token and its idempotency", async () => {
    const sandbox = openOlder(version);
    expect(sandbox.database.get("SELECT value FROM meta WHERE key = 'schema_version'")).toEqual({
      value: String(schemaVersion),
    });
    const shown = await sandbox.get(`/developer/cards/${older.cardId}`, { token });
    expect(shown.json).toMatchObject({
      id: older.cardId,
      token: "111111111",
      status: "active",
      last_four: "4821",
      spending_limit: { period: "monthly", amount: "250.00", used: version >= 4 ? "12.50" : "0.00" },
      created_at: "2026-03-01T00:00:00.000Z",
    });
    const replayed = await sandbox.order({ key: older.idempotencyKey, token });
    expect([replayed.status, replayed.headers.get("Idempotent-Replayed")]).toEqual([201, "true"]);
    expect(replayed.json).toEqual(shown.json);
    const exchanged = await sandbox.exchange(older.apiKey);
    expect((await sandbox.get("/developer/cards", { token: exchanged })).json.data).toHaveLength(
      version >= 3 ? 3 : 1,
    );
  });

  test("has its cards expire in their time", async () => {
    const sandbox = openOlder(version);
    sandbox.clockOfTest.advance(6 * 366 * 86_400_000);
    expect(sandbox.company("northwind").live_cards).toBe(0);
    const fresh = await sandbox.exchange(older.apiKey);
    const { json } = await sandbox.get(`/developer/cards/${older.cardId}`, { token: fresh });
    expect(json.status).toBe("expired");
  });

  test("goes on: a new card is another, and is counted", async () => {
    const sandbox = openOlder(version);
    sandbox.database.run("DELETE FROM armed_scenarios");
    const live = sandbox.company("northwind").live_cards;
    const made = await sandbox.order({ key: newer.key, token });
    expect([made.status, made.point]).toEqual([201, "order.created"]);
    expect(sandbox.company("northwind").live_cards).toBe(live + 1);
  });

  test("has the schema of a new file, sound", () => {
    const [fresh, migrated] = ["fresh.db", "sandbox.db"].map((name) => join(temporaryFolder(), name));
    openSandbox({ db: fresh as string }).database.close();
    makeOlderFile(migrated as string, version);
    const { database } = openSandbox({ db: migrated as string });
    expect(database.all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    expect(database.all("PRAGMA foreign_key_check")).toEqual([]);
    database.close();
    expect(schemaOf(migrated as string)).toEqual(schemaOf(fresh as string));
  });

  test("is put back as it began", async () => {
    const sandbox = openOlder(version);
    expect((await sandbox.post("/_sandbox/reset", {})).status).toBe(200);
    expect(sandbox.company("northwind")).toMatchObject({ id: older.companyId, live_cards: 0 });
    const ordered = await sandbox.order({ key: older.idempotencyKey, apiKey: older.apiKey });
    expect([ordered.status, ordered.headers.get("Idempotent-Replayed")]).toEqual([201, null]);
    expect(ordered.json.id).not.toBe(older.cardId);
  });
});

test.each(versions.slice(1))("of version %i: the armed scenario has its last run left", async (version) => {
  const sandbox = openOlder(version);
  const statuses = [];
  for (let n = 0; n < 2; n++) statuses.push((await sandbox.order({ key: newer.key, token })).status);
  expect(statuses).toEqual([503, 201]);
});

test.each(versions.slice(2))(
  "of version %i: a replacement replays, a hold is lifted, a parcel goes on",
  async (version) => {
    const sandbox = openOlder(version);
    const replayed = await sandbox.call("POST", `/developer/cards/${older.heldId}/replace`, {
      key: older.replacementKey,
      body: {},
      token,
    });
    expect([replayed.point, replayed.json.id]).toEqual(["cards.replayed", older.replacementId]);
    expect(sandbox.control.cards.operate(older.heldId, { action: "lift" }).status).toBe("frozen");
    expect(sandbox.control.cards.delivery(older.heldId)).toMatchObject({ status: "shipped" });
  },
);

test.each(versions.slice(3))("of version %i: a payment that is pending is cleared", async (version) => {
  const sandbox = openOlder(version);
  sandbox.control.simulator.clear(older.transactionId, {});
  const { json } = await sandbox.get(`/developer/transactions/${older.transactionId}`, { token });
  expect(json.status).toBe("completed");
  expect(sandbox.account("northwind").balance).toBe("249987.50");
});

test("steps of which one fails leave the file as it was", () => {
  const db = join(temporaryFolder(), "sandbox.db");
  makeOlderFile(db, 5);
  const look = (change = "") => {
    const database = openDatabase(db);
    database.exec(change);
    const tables = ["sqlite_schema", "cards", "meta"];
    const rows = tables.map((table) => database.all(`SELECT * FROM ${table}`));
    database.close();
    return rows;
  };
  // No program writes it: one key in either environment of a company.
  const before = look(
    `UPDATE cards SET environment = 'live', idempotency_key = '${older.idempotencyKey}' WHERE pk = 2`,
  );
  expect(() => createSandbox({ db })).toThrow("UNIQUE constraint failed: cards.company_pk");
  expect(look()).toEqual(before);
});

test.each(versions.slice(4))("of version %i: a webhook keeps its secrets, by their numbers", (version) => {
  const { database } = openOlder(version);
  const numbers = "secret_number, previous_secret_number";
  const kept = [{ secret_number: 2, previous_secret_number: 1 }];
  expect(database.all(`SELECT ${numbers} FROM webhooks`)).toEqual(kept);
  expect(database.all(`SELECT ${numbers} FROM snapshot_webhooks`)).toEqual(kept);
});

test("a step that has landed never changes: files of its version are out there", () => {
  const digests = versions.map((version) => {
    const file = join(temporaryFolder(), "sandbox.db");
    makeOlderFile(file, version);
    return createHash("sha256").update(schemaOf(file).join("\n")).digest("hex").slice(0, 16);
  });
  expect(digests).toEqual([
    "edbad61683f6126d",
    "b1e11382011b933d",
    "9954914f5858b423",
    "a65ad7f44f45210a",
    "0b6e7c888db8cd54",
    "f1c70c7606bf4d9f",
    "ef3afd101e89d4e3",
    "80870f46aaf68206",
  ]);
});
