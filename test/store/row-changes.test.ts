import { expect, test } from "vitest";
import { openDatabase } from "../../src/node/database/better-sqlite3.ts";
import { prepareSchema } from "../../src/store/meta.ts";
import { changedColumns, RowChanges } from "../../src/store/row-changes.ts";

function opened() {
  const database = openDatabase(":memory:");
  prepareSchema(database);
  const count = (kind: string, value: number) =>
    database.run("INSERT INTO counters (company_pk, kind, value) VALUES (0, ?, ?)", kind, value);
  return { database, count };
}

test("records the net change of each row, and nothing after its end", () => {
  const { database, count } = opened();
  for (const kind of ["a", "b", "c"]) count(kind, 1);
  const recorded = new RowChanges(database);
  database.run("UPDATE counters SET value = value + 1");
  database.run("UPDATE counters SET value = value + 1 WHERE kind = 'a'");
  database.run("UPDATE counters SET value = value - 1 WHERE kind = 'b'");
  database.run("DELETE FROM counters WHERE kind = 'c'");
  count("d", 4);
  count("e", 5);
  database.run("DELETE FROM counters WHERE kind = 'e'");
  const row = (kind: string, value: number) => ({ company_pk: 0, kind, value });
  const changes = recorded.end();
  expect(changes).toEqual([
    { table: "counters", key: { company_pk: 0, kind: "a" }, before: row("a", 1), after: row("a", 3) },
    { table: "counters", key: { company_pk: 0, kind: "c" }, before: row("c", 1), after: null },
    { table: "counters", key: { company_pk: 0, kind: "d" }, before: null, after: row("d", 4) },
  ]);
  expect(changes.map(changedColumns)).toEqual([
    ["value"],
    ["company_pk", "kind", "value"],
    ["company_pk", "kind", "value"],
  ]);
  count("f", 6);
  expect(new RowChanges(database).end()).toEqual([]);
  database.close();
});

test("leaves out what was rolled back", () => {
  const { database, count } = opened();
  const recorded = new RowChanges(database);
  expect(() =>
    database.transaction(() => {
      count("a", 1);
      throw new Error("no");
    }),
  ).toThrow("no");
  expect(recorded.end()).toEqual([]);
  database.close();
});
