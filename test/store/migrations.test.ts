import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { openDatabase } from "../../src/node/database/better-sqlite3.ts";
import { prepareSchema } from "../../src/store/meta.ts";
import { columnsOf, firstReleased, type Migration, worldTables } from "../../src/store/schema.ts";
import { temporaryFolder } from "../support/command-line.ts";

/** A new database file of the first release. */
function makeFile(): string {
  const file = join(temporaryFolder(), "sandbox.db");
  createSandbox({ db: file }).close();
  return file;
}

function open(file: string) {
  const database = openDatabase(file);
  onTestFinished(() => database.close());
  const version = () => database.get("SELECT value FROM meta WHERE key = 'schema_version'");
  return { database, version };
}

const addNickname: Migration = (database) => {
  database.exec(`
    ALTER TABLE cards ADD COLUMN nickname TEXT NOT NULL DEFAULT 'none';
    ALTER TABLE snapshot_rows ADD COLUMN c30 ANY;
    UPDATE snapshot_rows SET c30 = 'none' WHERE of_table = 'cards'`);
};

const fillNickname: Migration = (database) => {
  database.run("UPDATE companies SET name = name || '!'");
};

test("refuses a file of a version that was never released, and leaves it unchanged", () => {
  const file = makeFile();
  const { database } = open(file);
  database.run("UPDATE meta SET value = '8' WHERE key = 'schema_version'");
  database.close();
  const before = readFileSync(file);
  expect(() => createSandbox({ db: file })).toThrow(
    "db: the database has schema version 8, which was never released and cannot be read. Use another database file.",
  );
  expect(readFileSync(file)).toEqual(before);
});

test("runs each step after the file's version once, and keeps the rows", () => {
  const { database, version } = open(makeFile());
  const names = () => database.all<{ name: string }>("SELECT name FROM companies ORDER BY pk");
  const before = names();
  prepareSchema(database, [addNickname]);
  expect(version()).toEqual({ value: String(firstReleased + 1) });
  prepareSchema(database, [addNickname, fillNickname]);
  prepareSchema(database, [addNickname, fillNickname]);
  expect(version()).toEqual({ value: String(firstReleased + 2) });
  expect(names()).toEqual(before.map(({ name }) => ({ name: `${name}!` })));
  expect(database.get("SELECT DISTINCT nickname FROM cards")).toEqual({ nickname: "none" });
  const captured = "SELECT DISTINCT c30 FROM snapshot_rows WHERE of_table = 'cards'";
  expect(database.get(captured)).toEqual({ c30: "none" });
});

test("leaves the file unchanged when a step fails", () => {
  const { database, version } = open(makeFile());
  const schema = () => database.all("SELECT * FROM sqlite_schema");
  const before = schema();
  const fail: Migration = () => {
    throw new Error("this step fails");
  };
  const migrate = () => database.transaction(() => prepareSchema(database, [addNickname, fail]));
  expect(migrate).toThrow("this step fails");
  expect(version()).toEqual({ value: String(firstReleased) });
  expect(schema()).toEqual(before);
});

test("refuses a file that a later release migrated", () => {
  const file = makeFile();
  const { database } = open(file);
  prepareSchema(database, [addNickname]);
  database.close();
  expect(() => createSandbox({ db: file })).toThrow(
    `db: the database has schema version ${firstReleased + 1}, but this card-sandbox supports versions up to ${firstReleased}. Use a newer card-sandbox or another database file.`,
  );
});

test.each(worldTables)("snapshots hold the columns of %s", (table) => {
  const database = openDatabase(":memory:");
  onTestFinished(() => database.close());
  prepareSchema(database);
  const query = "SELECT name FROM pragma_table_info(?) ORDER BY cid";
  expect(columnsOf(table)).toEqual(database.all<{ name: string }>(query, table).map(({ name }) => name));
});
