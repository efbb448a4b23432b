import { describe, expect, test } from "vitest";
import type { SqlValue } from "../../src/store/database.ts";
import { worldTables } from "../../src/store/schema.ts";
import { openCompanies } from "../support/open-companies.ts";

type Sandbox = Awaited<ReturnType<typeof openCompanies>>;

/** Does some work, and returns the statements that read whole tables for it. */
function fullScans({ database }: Sandbox, work: () => void): string[] {
  const scans: string[] = [];
  const all = database.all.bind(database);
  const get = database.get.bind(database);
  const run = database.run.bind(database);
  const explained =
    <Result>(execute: (sql: string, ...params: SqlValue[]) => Result) =>
    (sql: string, ...params: SqlValue[]): Result => {
      const plan = all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...params);
      const readsAll = plan.some(({ detail }) => detail.startsWith("SCAN")) || sql.startsWith("PRAGMA");
      if (readsAll) scans.push(sql);
      return execute(sql, ...params);
    };
  Object.assign(database, { all: explained(all), get: explained(get), run: explained(run) });
  try {
    work();
  } finally {
    Object.assign(database, { all, get, run });
  }
  return scans;
}

describe("the cost of changing one company does not grow with the rows of the others", () => {
  test("deleting a company reads no table as a whole", async () => {
    const sandbox = openCompanies();
    const company = await sandbox.make({ slug: "own" });
    await sandbox.orderAs(company);
    expect(fullScans(sandbox, () => sandbox.control.companies.delete("own"))).toEqual([]);
  });

  test.each(["own", "northwind"])("resetting company %s reads no table as a whole", async (name) => {
    const sandbox = openCompanies();
    await sandbox.orderAs(await sandbox.make({ slug: "own" }));
    await sandbox.order();
    sandbox.reset(name);
    expect(fullScans(sandbox, () => sandbox.reset(name))).toEqual([]);
  });

  test("every foreign key has an index, so deleting a row reads no other table as a whole", () => {
    const { database } = openCompanies();
    const leading = (table: string) =>
      database
        .all<{ column: string | null }>(
          "SELECT i.name AS column FROM pragma_index_list(?) l, pragma_index_info(l.name) i WHERE i.seqno = 0 AND l.partial = 0",
          table,
        )
        .map(({ column }) => column);
    const unindexed = worldTables.flatMap((table) => {
      const keys = new Map<number, string[]>();
      for (const { id, column } of database.all<{ id: number; column: string }>(
        'SELECT id, "from" AS column FROM pragma_foreign_key_list(?)',
        table,
      )) {
        keys.set(id, [...(keys.get(id) ?? []), column]);
      }
      const indexed = leading(table);
      return [...keys.values()]
        .filter((columns) => !columns.some((column) => indexed.includes(column)))
        .map((columns) => `${table} (${columns.join(", ")})`);
    });
    expect(unindexed).toEqual([]);
  });
});

describe("the start snapshot that a reset of one company restores", () => {
  const beginnings = ({ database }: Sandbox) =>
    database.all("SELECT name FROM snapshots WHERE kind = 'company'").length;
  const kept = ({ database }: Sandbox) =>
    database.get("SELECT count(*) AS n FROM snapshot_rows WHERE snapshot_pk <> 1");

  test("is deleted with the company", async () => {
    const sandbox = openCompanies();
    await sandbox.make({ slug: "own" });
    expect(beginnings(sandbox)).toBe(1);
    sandbox.control.companies.delete("own");
    expect(beginnings(sandbox)).toBe(0);
    expect(kept(sandbox)).toEqual({ n: 0 });
  });

  test("is deleted by a reset of the world, which deletes the company", async () => {
    const sandbox = openCompanies();
    await sandbox.make();
    await sandbox.make();
    sandbox.reset();
    expect(beginnings(sandbox)).toBe(0);
    expect(kept(sandbox)).toEqual({ n: 0 });
  });

  test("stays while a named snapshot can bring the company back, and is deleted with the last one", async () => {
    const sandbox = openCompanies();
    await sandbox.make({ slug: "own", card_quota: 7 });
    sandbox.snapshot("one");
    sandbox.snapshot("two");
    sandbox.control.companies.delete("own");
    sandbox.control.state.deleteSnapshot("one");
    expect(beginnings(sandbox)).toBe(1);
    sandbox.restore("two");
    sandbox.reset("own");
    expect(sandbox.company("own").card_quota).toBe(7);
    sandbox.control.companies.delete("own");
    sandbox.control.state.deleteSnapshot("two");
    expect(beginnings(sandbox)).toBe(0);
  });

  test("a reset of one company keeps its members' memberships of other companies", async () => {
    const sandbox = openCompanies();
    sandbox.control.companies.changeMember("northwind-admin", { details_complete: false });
    const members = () => sandbox.company("fullhouse").members.map(({ slug }) => slug);
    const before = members();
    sandbox.reset("northwind");
    expect(members()).toEqual(before);
    const admin = sandbox.company("northwind").members.find(({ slug }) => slug === "northwind-admin");
    expect(admin?.details_complete).toBe(true);
    expect(sandbox.database.all("PRAGMA foreign_key_check")).toEqual([]);
  });
});
