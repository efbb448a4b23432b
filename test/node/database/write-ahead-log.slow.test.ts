import { randomUUID } from "node:crypto";
import { copyFileSync, existsSync, renameSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createSandbox } from "../../../src/node/create-sandbox.ts";
import { openDatabase } from "../../../src/node/database/better-sqlite3.ts";
import { DatabaseUnusable } from "../../../src/rules/errors.ts";
import { type Started, startCommandLine, temporaryFolder } from "../../support/command-line.ts";

const damages: readonly (readonly [string, (log: string) => void])[] = [
  ["deleted", (log) => rmSync(log)],
  ["moved", (log) => renameSync(log, `${log}.moved`)],
  [
    "replaced",
    (log) => {
      copyFileSync(log, `${log}.copy`);
      renameSync(`${log}.copy`, log);
    },
  ],
  ["truncated", (log) => truncateSync(log)],
  ["cut to half", (log) => truncateSync(log, Math.floor(statSync(log).size / 2))],
];

const cards = async (sandbox: Started, token: string): Promise<string[]> => {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${sandbox.url}/developer/cards?limit=100`, { headers });
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id).toSorted();
};

describe.each([[[]], [["--durability", "full"]]])("with %j", (args) => {
  test.each(damages)("refuses changes with 503 when the write-ahead log was %s", async (how, damage) => {
    const db = join(temporaryFolder(), "sandbox.db");
    const options = ["--db", db, "--log", "silent", ...args];
    const sandbox = await startCommandLine(options);
    const token = await sandbox.exchange();
    const made: string[] = [];
    for (let n = 0; n < 5; n++) {
      const response = await sandbox.order(randomUUID(), token);
      expect(response.status).toBe(201);
      made.push(((await response.json()) as { id: string }).id);
    }
    damage(`${db}-wal`);
    for (let n = 0; n < 3; n++) expect((await sandbox.order(randomUUID(), token)).status).toBe(503);
    expect(await cards(sandbox, token)).toEqual(made.toSorted());
    const isLost = !["deleted", "moved", "replaced"].includes(how);
    const line = isLost
      ? /^card-sandbox: \S+sandbox\.db-wal was truncated while it was in use, so the latest changes are lost, [^\n]+\n$/
      : /^card-sandbox: \S+sandbox\.db-wal was deleted, moved or replaced while it was in use\. [^\n]+\n$/;
    expect(sandbox.output.stderr).toMatch(line);
    sandbox.child.kill("SIGKILL");
    await sandbox.ended;
    const again = await startCommandLine(options);
    if (!isLost) expect(await cards(again, token)).toEqual(made.toSorted());
    expect((await again.order(randomUUID(), await again.exchange())).status).toBe(201);
  });
});

/** A table in a database file whose log is not in the file yet. */
function openTable() {
  const file = join(temporaryFolder(), "sandbox.db");
  const database = openDatabase(file);
  onTestFinished(() => {
    try {
      database.close();
    } catch {
      // Some tests leave a damaged log behind.
    }
  });
  database.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT) STRICT");
  const insert = () => void database.run("INSERT INTO t (b) VALUES (?)", "x".repeat(500));
  const rows = () => database.get<{ n: number }>("SELECT count(*) AS n FROM t")?.n;
  /** The rows that a process would find after this one was killed. */
  const rowsAfterKill = (): number => {
    const copy = join(temporaryFolder(), "copy.db");
    for (const suffix of ["", "-wal"]) {
      if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
    }
    const other = new BetterSqlite3(copy);
    try {
      expect(other.pragma("integrity_check")).toEqual([{ integrity_check: "ok" }]);
      return other.prepare<[], { n: number }>("SELECT count(*) AS n FROM t").get()?.n ?? 0;
    } finally {
      other.close();
    }
  };
  return { file, log: `${file}-wal`, database, insert, rows, rowsAfterKill };
}

const thrownBy = (work: () => void): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe("a write-ahead log that is deleted", () => {
  test("between two transactions loses nothing: the next change is refused, and saves the confirmed changes", () => {
    const { log, insert, rows, rowsAfterKill } = openTable();
    for (let n = 0; n < 3; n++) insert();
    rmSync(log);
    expect(thrownBy(insert)).toMatchObject({ outcome: expect.stringMatching(/changed nothing/) });
    expect([rows(), rowsAfterKill()]).toEqual([3, 3]);
  });

  test("during a transaction loses nothing: the next change is refused, and saves the transaction", () => {
    const { log, database, insert, rowsAfterKill } = openTable();
    database.batch(() => {
      insert();
      rmSync(log);
      insert();
    });
    expect(insert).toThrow(/sandbox\.db-wal was deleted, moved or replaced/);
    expect(rowsAfterKill()).toBe(2);
    database.transaction(() => expect(insert).toThrow(DatabaseUnusable));
    expect(rowsAfterKill()).toBe(2);
  });

  test("accepts changes again after it is put back", () => {
    const { log, insert, rowsAfterKill } = openTable();
    insert();
    renameSync(log, `${log}.moved`);
    expect(insert).toThrow(DatabaseUnusable);
    expect(statSync(`${log}.moved`).size).toBe(0);
    renameSync(`${log}.moved`, log);
    insert();
    expect(rowsAfterKill()).toBe(2);
    renameSync(log, `${log}.moved`);
    expect(insert).toThrow(DatabaseUnusable);
    expect(rowsAfterKill()).toBe(2);
  });

  test("leaves nothing to repair for the next start", () => {
    const { file, log, database, insert } = openTable();
    insert();
    rmSync(log);
    database.close();
    const again = openDatabase(file);
    expect(again.get("SELECT count(*) AS n FROM t")).toEqual({ n: 1 });
    again.close();
  });
});

describe("a write-ahead log that is truncated", () => {
  test.each([0, 5000])("to %i bytes is noticed although the log is as long as before", (bytes) => {
    const { file, log, database, insert, rowsAfterKill } = openTable();
    for (let n = 0; n < 20; n++) insert();
    // A log that is moved is saved: the twenty rows are in the database file, and the log starts anew.
    renameSync(log, `${log}.moved`);
    expect(insert).toThrow(DatabaseUnusable);
    renameSync(`${log}.moved`, log);
    for (let n = 0; n < 100; n++) insert();
    database.batch(() => {
      insert();
      truncateSync(log, bytes);
      for (let n = 0; n < 20; n++) insert();
    });
    expect(thrownBy(insert)).toMatchObject({
      message: expect.stringMatching(/sandbox\.db-wal was truncated while it was in use/),
      outcome: expect.stringMatching(/^The request changed nothing/),
    });
    // SQLite would write the gap into the database file as it closes.
    database.close();
    expect(rowsAfterKill()).toBeGreaterThanOrEqual(20);
    openDatabase(file).close();
  });

  test("to nothing is noticed after a checkpoint, when SQLite writes over the log", () => {
    const { log, database, insert } = openTable();
    for (let n = 0; n < 100; n++) insert();
    database.get("PRAGMA wal_checkpoint(PASSIVE)");
    for (let n = 0; n < 30; n++) insert();
    database.batch(() => {
      insert();
      truncateSync(log);
      for (let n = 0; n < 500; n++) insert();
    });
    expect(insert).toThrow(/was truncated/);
  });

  test("is reported when the sandbox is closed, if no change was refused before", async () => {
    const db = join(temporaryFolder(), "sandbox.db");
    const sandbox = createSandbox({ db });
    truncateSync(`${db}-wal`);
    expect(() => sandbox.close()).toThrow(/sandbox\.db-wal was truncated while it was in use/);
    const { log, database, insert } = openTable();
    insert();
    truncateSync(log);
    expect(insert).toThrow(DatabaseUnusable);
    expect(() => database.close()).not.toThrow();
  });

  test("is distinguished from a log that was checkpointed and is overwritten", () => {
    const { log, database, insert, rows } = openTable();
    for (let round = 0; round < 5; round++) {
      for (let n = 0; n < 50 + 7 * round; n++) database.batch(insert);
      database.get("PRAGMA wal_checkpoint(PASSIVE)");
    }
    expect(rows()).toBe(320);
    expect(existsSync(log)).toBe(true);
  });
});

test("reports that a deleted log cannot be saved, and tries again with the next change", () => {
  const { log, insert, rowsAfterKill } = openTable();
  const prepare = BetterSqlite3.prototype.prepare;
  const failing = vi.spyOn(BetterSqlite3.prototype, "prepare").mockImplementation(function (
    this: BetterSqlite3.Database,
    sql,
  ) {
    if (sql.includes("TRUNCATE")) throw new BetterSqlite3.SqliteError("disk I/O error", "SQLITE_IOERR_WRITE");
    return prepare.call(this, sql);
  });
  onTestFinished(() => failing.mockRestore());
  insert();
  rmSync(log);
  const unsaved = /sandbox\.db-wal was deleted, [^\n]+ cannot be written to the database \(.*disk I\/O error/;
  for (let n = 0; n < 2; n++) expect(insert).toThrow(unsaved);
  failing.mockRestore();
  expect(insert).toThrow(/sandbox\.db-wal was deleted, moved or replaced while it was in use\. Put it back/);
  expect(rowsAfterKill()).toBe(1);
});
