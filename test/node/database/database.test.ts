import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createSandbox } from "../../../src/node/create-sandbox.ts";
import { openDatabase } from "../../../src/node/database/better-sqlite3.ts";
import { DatabaseUnusable, SetupError } from "../../../src/rules/errors.ts";
import { temporaryFolder } from "../../support/command-line.ts";

/** The page size in the header of a database file. */
const pageSizeOf = (file: Buffer) => file.readUInt16BE(16);

describe("refuses a file without changing it:", () => {
  const refused = (file: string, message: RegExp) => {
    const folder = join(file, "..");
    const digest = (name: string) =>
      createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex");
    const contents = () => readdirSync(folder).map((name) => [name, digest(name)]);
    const before = contents();
    expect(() => createSandbox({ db: file })).toThrow(message);
    expect(contents()).toEqual(before);
  };

  test("not a database", () => {
    const file = join(temporaryFolder(), "notes.txt");
    writeFileSync(file, "Buy milk.\n");
    refused(file, /notes\.txt is not a database/);
    writeFileSync(file, "x".repeat(10_000));
    refused(file, /notes\.txt is not a database/);
  });

  test.each(["DELETE", "WAL"])("a database of another program, in %s mode", (mode) => {
    const file = join(temporaryFolder(), "other.db");
    const other = new BetterSqlite3(file);
    other.pragma(`journal_mode = ${mode}`);
    other.exec("CREATE TABLE meta (key TEXT)");
    other.close();
    refused(file, /other\.db is the database of another program/);
  });

  test("a name with surrounding white space, which the engine would trim", () => {
    const file = join(temporaryFolder(), "other.db");
    new BetterSqlite3(file).exec("CREATE TABLE t (a)").close();
    const before = readFileSync(file);
    for (const name of [`${file} `, `${file}\r\n`, ` ${file}`]) {
      expect(() => createSandbox({ db: name })).toThrow(/other\.db is the database of another program/);
    }
    expect(readFileSync(file)).toEqual(before);
    expect(() => createSandbox({ db: " " })).toThrow(/db: must not be empty/);
    createSandbox({ db: " :memory: " }).close();
  });

  test("a path below a file, and a name that is too long", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "a"), "");
    expect(() => createSandbox({ db: join(folder, "a", "b.db") })).toThrow(SetupError);
    expect(() => createSandbox({ db: join(folder, "n".repeat(300)) })).toThrow(SetupError);
  });

  test("a folder, and a folder that does not exist", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "a"));
    expect(() => createSandbox({ db: join(folder, "a") })).toThrow(/is not a file/);
    expect(() => createSandbox({ db: join(folder, "b", "c.db") })).toThrow(/b: this folder does not exist/);
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  /** A file of card-sandbox's own, at rest. */
  const ownFile = () => {
    const file = join(temporaryFolder(), "sandbox.db");
    createSandbox({ db: file }).close();
    return file;
  };

  test("a damaged database of card-sandbox", () => {
    const file = ownFile();
    const bytes = readFileSync(file);
    writeFileSync(file, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 0xff)]));
    refused(file, /sandbox\.db is a damaged database/);
  });

  test("a database with one damaged page", () => {
    const file = ownFile();
    const database = openDatabase(file);
    // Damage on a free page is not detected.
    database.exec("VACUUM");
    database.close();
    const sound = readFileSync(file);
    let kept = 0;
    for (let at = pageSizeOf(sound); at < sound.length; at += 4 * pageSizeOf(sound)) {
      const bytes = Buffer.from(sound);
      bytes.fill(0xff, at, at + 100);
      writeFileSync(file, bytes);
      refused(file, /sandbox\.db is a damaged database \([^\n]+\)\. Restore a backup or use another file\.$/);
      kept++;
    }
    expect(kept).toBeGreaterThan(15);
    writeFileSync(file, sound);
    createSandbox({ db: file }).close();
  });

  /** A file in which one bit of a value is flipped, in the table or in its index. */
  const fileWithFlippedBit = () => {
    const file = ownFile();
    const database = openDatabase(file);
    database.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL UNIQUE) STRICT");
    database.run(
      "INSERT INTO t (b) WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) SELECT 'value ' || i FROM n",
    );
    database.close();
    const bytes = readFileSync(file);
    // Unused parts of pages contain older copies, which come first.
    const at = bytes.lastIndexOf("value 123");
    bytes[at + 6] = (bytes[at + 6] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    return file;
  };

  test("a database with a flipped bit in a table, which only its index reveals", () => {
    refused(fileWithFlippedBit(), /sandbox\.db is a damaged database \([^\n]* index sqlite_autoindex_t_1\)/);
  });

  test("such a database with the full check, but not with the quick check", () => {
    const file = fileWithFlippedBit();
    expect(() => createSandbox({ db: file, checkDatabase: "full" })).toThrow(/index sqlite_autoindex_t_1/);
    createSandbox({ db: file, checkDatabase: "quick" }).close();
  });

  test("a truncated database", () => {
    const file = ownFile();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, 40 * pageSizeOf(bytes)));
    refused(file, /sandbox\.db is a damaged database/);
  });

  test("a database with a newer schema", () => {
    const file = ownFile();
    const database = openDatabase(file);
    database.run("UPDATE meta SET value = '99' WHERE key = 'schema_version'");
    database.close();
    refused(file, /schema version 99.*Use a newer card-sandbox/);
  });

  /** Runs statements on a file in a process that is then killed. */
  const killedAfter = (file: string, sql: string) => {
    const script = `
      const database = new (require("better-sqlite3"))(${JSON.stringify(file)});
      database.exec(${JSON.stringify(sql)});
      process.kill(process.pid, "SIGKILL");`;
    expect(spawnSync(process.execPath, ["-e", script]).signal).toBe("SIGKILL");
  };
  const rows =
    "INSERT INTO t WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT i FROM n";

  test("a database of another program that was killed, with its write-ahead log", () => {
    const file = join(temporaryFolder(), "other.db");
    killedAfter(
      file,
      `PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; CREATE TABLE t (a); ${rows}`,
    );
    expect(readdirSync(join(file, ".."))).toEqual(["other.db", "other.db-wal"]);
    refused(file, /other\.db is the database of another program/);
  });

  test("a database of another program that was killed during a transaction, with its rollback journal", () => {
    const file = join(temporaryFolder(), "other.db");
    new BetterSqlite3(file).exec(`CREATE TABLE t (a); ${rows}`).close();
    killedAfter(file, "PRAGMA cache_size = 1; BEGIN; UPDATE t SET a = -a");
    expect(readdirSync(join(file, ".."))).toEqual(["other.db", "other.db-journal"]);
    refused(file, /other\.db has an unfinished transaction of another program/);
  });
});

test("a page that is damaged during use fails the statements that read it, with a clear message", () => {
  const file = join(temporaryFolder(), "sandbox.db");
  const first = openDatabase(file);
  first.exec("CREATE TABLE t (a); CREATE TABLE u (a)");
  for (const table of ["t", "u"]) {
    first.run(
      `INSERT INTO ${table} WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT i FROM n`,
    );
  }
  first.close();
  const database = openDatabase(file);
  onTestFinished(() => database.close());
  database.exec("PRAGMA cache_size = 0");
  const bytes = readFileSync(file);
  // The first two pages after the header are the roots of t and u.
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(100, 0xff), 0, 100, pageSizeOf(bytes));
  closeSync(descriptor);
  expect(readFileSync(file)).toHaveLength(bytes.length);
  const count = (table: string) => database.get<{ n: number }>(`SELECT sum(a) AS n FROM ${table}`);
  expect(() => count("t")).toThrow(DatabaseUnusable);
  expect(() => count("t")).toThrow(
    /sandbox\.db is a damaged database \(.*\)\. Restore a backup or use another file/,
  );
  expect(count("u")).toEqual({ n: 12_502_500 });
});

test("an empty file becomes a database", () => {
  const file = join(temporaryFolder(), "sandbox.db");
  writeFileSync(file, "");
  createSandbox({ db: file }).close();
  expect(readFileSync(file).subarray(0, 15).toString()).toBe("SQLite format 3");
});

test.each([
  ["application id", 0],
  ["journal mode", 1],
])("repairs a file whose creation was interrupted while its %s was written", (_, pagesBefore) => {
  const file = join(temporaryFolder(), "sandbox.db");
  const marked = new BetterSqlite3(file);
  marked.exec("PRAGMA application_id = 0x63617264");
  marked.close();
  // A journal with pages of 4096 bytes, sectors of 512 bytes and no record.
  const journal = Buffer.alloc(512);
  journal.write("d9d505f920a163d7", "hex");
  journal.writeUInt32BE(pagesBefore, 16);
  journal.writeUInt32BE(512, 20);
  journal.writeUInt32BE(4096, 24);
  writeFileSync(`${file}-journal`, journal);
  for (let start = 0; start < 2; start++) createSandbox({ db: file }).close();
  expect(readFileSync(file).readUInt32BE(68)).toBe(0x63617264);
});

describe.each(["memory", "file"])("the Database port, in a %s", (kind) => {
  const open = () => {
    const database = openDatabase(kind === "memory" ? ":memory:" : join(temporaryFolder(), "sandbox.db"));
    onTestFinished(() => database.close());
    database.exec(
      "CREATE TABLE t (a INTEGER PRIMARY KEY, b ANY) STRICT; CREATE TABLE u (t INTEGER REFERENCES t)",
    );
    return database;
  };

  test("stores and returns strings, numbers, null and bytes", () => {
    const database = open();
    const values = ["text\u0000é🚂", 1.5, Number.MAX_SAFE_INTEGER, null, new Uint8Array([0, 255])];
    for (const value of values) expect(database.run("INSERT INTO t (b) VALUES (?)", value)).toBe(1);
    expect(database.all<{ b: unknown }>("SELECT b FROM t ORDER BY a").map(({ b }) => b)).toEqual([
      ...values.slice(0, 4),
      Buffer.from([0, 255]),
    ]);
    expect(database.get("SELECT b FROM t WHERE a = ?", 99)).toBeUndefined();
    expect(database.run("DELETE FROM t WHERE a > ?", 3)).toBe(2);
  });

  test("a transaction that throws is rolled back; a nested one alone", () => {
    const database = open();
    const insert = (a: number) => database.run("INSERT INTO t (a) VALUES (?)", a);
    const rows = () => database.all<{ a: number }>("SELECT a FROM t").map(({ a }) => a);
    const fail = () => {
      throw new Error("on purpose");
    };
    expect(() => database.transaction(() => insert(1) && fail())).toThrow("on purpose");
    expect(rows()).toEqual([]);
    const result = database.transaction(() => {
      insert(2);
      expect(() => database.transaction(() => insert(3) && fail())).toThrow("on purpose");
      database.transaction(() => insert(4));
      return "done";
    });
    expect([result, rows()]).toEqual(["done", [2, 4]]);
  });

  test("enforces foreign keys", () => {
    expect(() => open().run("INSERT INTO u (t) VALUES (?)", 7)).toThrow(/FOREIGN KEY/);
  });
});

test("a file uses WAL mode and enforces foreign keys", () => {
  const database = openDatabase(join(temporaryFolder(), "sandbox.db"));
  onTestFinished(() => database.close());
  const pragma = (name: string) => Object.values(database.get<object>(`PRAGMA ${name}`) ?? {})[0];
  expect([pragma("journal_mode"), pragma("synchronous"), pragma("foreign_keys")]).toEqual(["wal", 1, 1]);
});

test("full durability syncs each transaction, and is refused in memory", () => {
  const database = openDatabase(join(temporaryFolder(), "sandbox.db"), "full");
  onTestFinished(() => database.close());
  expect(database.get("PRAGMA synchronous")).toEqual({ synchronous: 2 });
  expect(() => openDatabase(":memory:", "full")).toThrow(
    /--durability full needs a database file: add --db FILE/,
  );
});

test("prepares each statement once", () => {
  const prepare = vi.spyOn(BetterSqlite3.prototype, "prepare");
  onTestFinished(() => prepare.mockRestore());
  const database = openDatabase(":memory:");
  onTestFinished(() => database.close());
  for (let n = 0; n < 3; n++) database.all("SELECT 1 AS one");
  expect(prepare.mock.calls.filter(([sql]) => sql === "SELECT 1 AS one")).toHaveLength(1);
});

test("refuses --clock for a database that was created with real time", () => {
  const db = join(temporaryFolder(), "sandbox.db");
  createSandbox({ db }).close();
  expect(() => createSandbox({ db, clock: "2026-03-10T09:30:00Z" })).toThrow(
    /clock: is 2026-03-10T\S+, but the database was created with a clock at real time/,
  );
});

test("every table that requests write is STRICT, and a key is unique within company, member and operation", () => {
  const file = join(temporaryFolder(), "sandbox.db");
  createSandbox({ db: file }).close();
  const database = openDatabase(file);
  onTestFinished(() => database.close());
  const tables = database.all<{ name: string; strict: number }>("SELECT name, strict FROM pragma_table_list");
  // Snapshot tables hold copies of rows that a strict table took.
  const own = tables.filter(({ name }) => !/^(sqlite|snapshot)_/.test(name));
  expect(own.length).toBeGreaterThan(8);
  expect(own.filter(({ strict }) => strict !== 1)).toEqual([]);
  const indexes = database.all<{ columns: string }>(
    `SELECT group_concat(i.name) AS columns
     FROM pragma_index_list('cards') l, pragma_index_info(l.name) i WHERE l."unique" = 1 GROUP BY l.name`,
  );
  expect(indexes.map(({ columns }) => columns).toSorted()).toEqual([
    "company_pk,member_pk,operation,idempotency_key",
    "id",
  ]);
});

test("runs on Node with --disallow-code-generation-from-strings", () => {
  const entry = new URL("../../../dist/node/index.js", import.meta.url);
  const script = `
    const { createSandbox } = await import(${JSON.stringify(entry.href)});
    const sandbox = createSandbox();
    console.log(sandbox.world().companies.map(({ slug }) => slug).join());
    await sandbox.close();`;
  const flags = ["--disallow-code-generation-from-strings", "--input-type=module", "--eval", script];
  expect(execFileSync(process.execPath, flags, { encoding: "utf8" })).toContain("northwind");
});
