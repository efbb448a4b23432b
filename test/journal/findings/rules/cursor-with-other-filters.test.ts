import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openLongList } from "../../../support/open-long-list.ts";

const filters = "status=completed,pending&from=2026-03-01T00:00:00Z&min_amount=1";

async function withCursor() {
  const client = await openLongList();
  const { next_cursor } = await client.list(`?${filters}`);
  return { ...client, cursor: next_cursor as string };
}

describe("PAGE-2, a cursor sent with other filters", () => {
  test("found: a client that sends the cursor alone", async () => {
    const { cursor, ...client } = await withCursor();
    for (const _ of [1, 2]) expect((await client.list(`?cursor=${cursor}`)).success).toBe(false);
    expect(found(client)).toEqual(["PAGE-2 high"]);
    expect(client.findings().findings[0]?.occurrences[0]?.requests.map(({ id }) => id)).toEqual(["2", "3"]);
  });

  test("found: an end that moves with the time, and so on each page", async () => {
    const client = await openLongList();
    for (const minute of [10, 12]) {
      const to = (n: number) => `to=2026-03-11T00:${n}:00Z`;
      const { next_cursor } = await client.list(`?${to(minute)}`);
      await client.list(`?${to(minute + 1)}&cursor=${next_cursor}`);
    }
    expect(found(client)).toEqual(["PAGE-2 high"]);
  });

  test("right: the same filters, written otherwise, and another limit", async () => {
    const { cursor, ...client } = await withCursor();
    const others = [
      "from=2026-03-01T00%3A00%3A00.000%2B00%3A00&min_amount=1.00&status=completed&status=pending&limit=5",
      "status=pending,completed&from=2026-03-01T00:00:00Z&min_amount=1&limit=100",
    ];
    for (const other of others) await client.list(`?${other}&cursor=${cursor}`);
    expect(found(client)).toEqual([]);
  });

  test("only worth knowing: one, which may be to be refused", async () => {
    const { cursor, ...client } = await withCursor();
    await client.list(`?cursor=${cursor}`);
    expect(found(client)).toEqual(["PAGE-2 info"]);
  });

  test("right: some that are to be refused, beside as many that are not", async () => {
    const { cursor, ...client } = await withCursor();
    for (const other of ["", "type=fee&"]) await client.list(`?${other}cursor=${cursor}`);
    for (const _ of [1, 2]) await client.list(`?${filters}&cursor=${cursor}`);
    expect(found(client)).toEqual([]);
  });

  test("right: cursors that were made up", async () => {
    const { cursor, ...client } = await withCursor();
    for (const other of ["x", `${cursor}x`, ""]) await client.list(`?cursor=${other}`);
    expect(found(client)).toEqual([]);
  });

  test("right: they say that they are wrong on purpose", async () => {
    const { cursor, ...client } = await withCursor();
    for (const _ of [1, 2, 3]) await client.list(`?cursor=${cursor}`, { "Sandbox-Test": "negative" });
    expect(found(client)).toEqual([]);
  });
});
