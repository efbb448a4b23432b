import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../src/node/database/better-sqlite3.ts";
import { readDefaultFixtures } from "../../src/node/input-files.ts";
import { instantOf } from "../../src/rules/clock.ts";
import type { Database } from "../../src/store/database.ts";
import { type FixtureCompany, fixturesSchema } from "../../src/world/fixtures.ts";
import { type Fixtures, openWorld, type WorldPorts } from "../../src/world/open-world.ts";
import { cardOf, openSandbox } from "../support/open-sandbox.ts";

/** All schema entries and all rows of a database, but not the latest row numbers, which a reset keeps. */
function contentOf(database: Database): Record<string, unknown[]> {
  const schema = database.all<{ type: string; name: string }>(
    "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid",
  );
  const tables = schema
    .filter(({ type, name }) => type === "table" && name !== "sqlite_sequence")
    .map(({ name }) => name);
  const rows = tables.map((name) => [name, database.all(`SELECT * FROM ${name}`)]);
  return { schema, ...Object.fromEntries(rows) };
}

/** Opens a world in memory. @param mayCopy - false: make it from its fixtures */
function open(options: Partial<WorldPorts> & { readonly now: string }, mayCopy = true) {
  const database = openDatabase(":memory:");
  onTestFinished(() => database.close());
  const { copies } = database;
  let isCopy = false;
  const load = (name: string) => {
    isCopy = mayCopy && copies?.load(name) === true;
    return isCopy;
  };
  Object.assign(database, { copies: { ...copies, load } });
  openWorld({
    database,
    clock: { now: () => Date.parse(options.now), ticks: () => 0, after: () => () => {} },
    defaultFixtures: readDefaultFixtures,
    drawSecret: () => new Uint8Array(32),
    ...options,
  });
  return { database, isCopy, content: contentOf(database) };
}

const fromScratch = (options: Parameters<typeof open>[0]) => open(options, false);

const company: Partial<FixtureCompany> & Record<string, unknown> = {
  slug: "every-status",
  name: "Every Status Ltd",
  country_code: "GB",
  accounts: [{ slug: "eur", name: "Account", currency: "EUR", balance: "9.50" }],
  members: [{ slug: "o", name: "O", role: "owner", api_keys: [{ secret: "sk_sandbox_o_of_every" }] }],
  cards: ["inactive", "active", "frozen", "locked", "expired", "terminated"].flatMap((status) =>
    ["physical", "virtual"].map((type) => ({ member: "o", account: "eur", status, type })),
  ),
} as never;
const ownFixtures: Fixtures = {
  world: fixturesSchema.parse({ companies: [company] }),
  digest: "every-status",
};

const instants = [
  "2026-03-10T09:30:00.000Z",
  // The last hour of a month in the UK, but not in UTC.
  "2026-06-30T23:30:00.000Z",
  "2026-03-29T01:00:00.001Z",
  "2028-02-29T12:00:00.000Z",
  "1970-01-01T00:00:00.000Z",
  "9994-12-30T23:59:59.999Z",
];

test.each([
  ["the default world", {}],
  ["another seed", { seed: 987654321 }],
  ["own fixtures", { fixtures: ownFixtures, seed: 3 }],
] as const)("a copy equals a world from scratch in every row: %s", (_, options) => {
  open({ ...options, now: "2031-07-01T00:00:00.000Z" });
  for (const now of instants) {
    for (const frozenAt of [undefined, instantOf("2027-01-31T00:00:00Z")]) {
      const copy = open({ ...options, now, frozenAt });
      expect(copy.isCopy).toBe(true);
      expect(copy.content).toEqual(fromScratch({ ...options, now, frozenAt }).content);
    }
  }
});

test("another seed, other fixtures and a private secret are no copies", () => {
  const now = "2026-03-10T09:30:00.000Z";
  expect(open({ now, seed: 11 }).isCopy).toBe(false);
  expect(open({ now, seed: 11 }).isCopy).toBe(true);
  expect(open({ now, seed: 12 }).isCopy).toBe(false);
  expect(open({ now, seed: 11, fixtures: ownFixtures }).isCopy).toBe(false);
  for (let n = 0; n < 2; n++) {
    const { isCopy, content } = open({ now, seed: 11, privateSecrets: true });
    expect(isCopy).toBe(false);
    expect(content).toEqual(fromScratch({ now, seed: 11, privateSecrets: true }).content);
  }
});

test("only the latest four copies are kept", () => {
  const now = "2026-03-10T09:30:00.000Z";
  const isCopy = (seed: number) => open({ now, seed }).isCopy;
  expect([101, 102, 103, 104].map(isCopy)).toEqual([false, false, false, false]);
  expect([101, 105, 101, 103, 104, 105].map(isCopy)).toEqual([true, false, true, true, true, true]);
  expect(isCopy(102)).toBe(false);
});

test("copies share nothing: what one changes, no other sees", async () => {
  const options = { seed: 21 };
  openSandbox(options);
  const before = contentOf(openSandbox(options).database);
  const changed = openSandbox(options);
  for (let n = 0; n < 20; n++) cardOf(await changed.order());
  await changed.isolatedCompany();
  changed.snapshot("mine");
  await changed.clock.advance({ by: "P1Y" });
  expect(contentOf(openSandbox(options).database)).toEqual(before);
});

test("a copy grows, is reset, restored and rolled back as any other database", async () => {
  openSandbox({ seed: 22 });
  const sandbox = openSandbox({ seed: 22 });
  const { database } = sandbox;
  const start = contentOf(database);
  const pages = () => database.get<{ page_count: number }>("PRAGMA page_count")?.page_count ?? 0;
  const pagesAtStart = pages();
  await sandbox.control.companies.create({
    cards: Array(500).fill({ member: "m", account: "a" }),
    ...{
      members: [{ slug: "m", role: "owner" as const }],
      accounts: [{ slug: "a" }],
    },
  });
  cardOf(await sandbox.order());
  sandbox.snapshot("grown");
  const grown = contentOf(database);
  expect(pages()).toBeGreaterThan(3 * pagesAtStart);
  expect(() =>
    database.transaction(() => {
      database.run("DELETE FROM snapshot_rows");
      throw new Error("rolled back");
    }),
  ).toThrow("rolled back");
  sandbox.reset();
  const { snapshots: _, snapshot_rows: __, ...world } = start;
  expect(contentOf(database)).toMatchObject(world);
  sandbox.restore("grown");
  expect(contentOf(database)).toEqual(grown);
  expect(database.all("PRAGMA foreign_key_check")).toEqual([]);
  expect(database.get("PRAGMA integrity_check")).toEqual({ integrity_check: "ok" });
  expect(() => database.run("UPDATE api_keys SET company_pk = 99")).toThrow(/FOREIGN KEY/);
});
