import { describe, expect, test } from "vitest";
import { found } from "../../support/found.ts";
import { openLongList } from "../../support/open-long-list.ts";

const period = "from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z";

describe("PAGE-1, a period read without its further pages", () => {
  test.each([`?${period}`, `?${period}&limit=30`, `?${period}&type=topup`])("found: %s", async (query) => {
    const client = await openLongList();
    await client.list(query);
    expect(found(client)).toEqual(["PAGE-1 warn"]);
  });

  test("found: a quarter of an hour later, and not before", async () => {
    const client = await openLongList();
    await client.list(`?${period}`);
    client.clockOfTest.advance(14 * 60_000);
    expect(client.findings().findings).toEqual([]);
    client.clockOfTest.advance(60_000);
    expect(client.findings().findings.map(({ id }) => id)).toEqual(["PAGE-1"]);
  });

  test("right: the cursor is followed", async () => {
    const client = await openLongList();
    const { next_cursor } = await client.list(`?${period}`);
    await client.list(`?${period}&cursor=${next_cursor}`);
    expect(found(client)).toEqual([]);
  });

  test("right: a first page alone, by a client that follows cursors elsewhere", async () => {
    const client = await openLongList();
    const { next_cursor } = await client.list("?limit=10");
    await client.list(`?limit=10&cursor=${next_cursor}`);
    await client.list(`?${period}`);
    expect(found(client)).toEqual([]);
  });

  test.each([
    `?${period}&limit=20`,
    "",
    "?from=2026-03-01T00:00:00Z",
    `?${period}&limit=100`,
    `?${period}&type=fee`,
  ])("right: a view of the latest, or all there is: %s", async (query) => {
    const client = await openLongList();
    await client.list(query);
    expect(found(client)).toEqual([]);
  });

  test("right: it goes on by shorter periods", async () => {
    const client = await openLongList();
    await client.list(`?${period}`);
    await client.list("?from=2026-03-01T00:00:00Z&to=2026-03-10T09:40:00Z");
    expect(found(client)).toEqual([]);
  });

  test("right: it asks for the whole in one page after", async () => {
    const client = await openLongList();
    await client.list(`?${period}`);
    await client.list(`?${period}&limit=100`);
    expect(found(client)).toEqual([]);
  });

  test("right: it says that it is wrong on purpose", async () => {
    const client = await openLongList();
    await client.list(`?${period}`, { "Sandbox-Test": "negative" });
    expect(found(client)).toEqual([]);
  });
});
