import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../src/node/better-sqlite3.ts";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { prepareSchema } from "../../src/store/meta.ts";
import { firstReleased, type Migration } from "../../src/store/schema.ts";
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
  for (const table of ["cards", "snapshot_cards"]) {
    database.exec(`ALTER TABLE ${table} ADD COLUMN nickname TEXT NOT NULL DEFAULT 'none'`);
  }
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
    "the database has schema version 8, which was never released and cannot be read: use another file",
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
  for (const table of ["cards", "snapshot_cards"]) {
    expect(database.get(`SELECT DISTINCT nickname FROM ${table}`)).toEqual({ nickname: "none" });
  }
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
    `the database has schema version ${firstReleased + 1}, and this card-sandbox reads up to ${firstReleased}: use a newer card-sandbox, or another file`,
  );
});
