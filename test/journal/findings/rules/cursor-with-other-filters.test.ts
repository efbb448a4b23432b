import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openLongList } from "../../../support/open-long-list.ts";

const filters = "status=completed,pending&from=2026-03-01T00:00:00Z&min_amount=1";

async function withCursor() {
  const client = await openLongList();
  const { next_cursor } = await client.list(`?${filters}`);
  return { ...client, cursor: next_cursor as string };
}

describe("PAGE-2: cursor sent with different filters", () => {
  test("reports a client that sends only the cursor", async () => {
    const { cursor, ...client } = await withCursor();
    for (const _ of [1, 2]) expect((await client.list(`?cursor=${cursor}`)).success).toBe(false);
    expect(found(client)).toEqual(["PAGE-2 high"]);
    expect(client.findings().findings[0]?.occurrences[0]?.requests.map(({ id }) => id)).toEqual(["2", "3"]);
  });

  test("reports an end of the period that changes with each page", async () => {
    const client = await openLongList();
    for (const minute of [10, 12]) {
      const to = (n: number) => `to=2026-03-11T00:${n}:00Z`;
      const { next_cursor } = await client.list(`?${to(minute)}`);
      await client.list(`?${to(minute + 1)}&cursor=${next_cursor}`);
    }
    expect(found(client)).toEqual(["PAGE-2 high"]);
  });

  test("accepts the same filters in a different notation, and another limit", async () => {
    const { cursor, ...client } = await withCursor();
    const others = [
      "from=2026-03-01T00%3A00%3A00.000%2B00%3A00&min_amount=1.00&status=completed&status=pending&limit=5",
      "status=pending,completed&from=2026-03-01T00:00:00Z&min_amount=1&limit=100",
    ];
    for (const other of others) await client.list(`?${other}&cursor=${cursor}`);
    expect(found(client)).toEqual([]);
  });

  test("reports a single request as info, because it may test the refusal", async () => {
    const { cursor, ...client } = await withCursor();
    await client.list(`?cursor=${cursor}`);
    expect(found(client)).toEqual(["PAGE-2 info"]);
  });

  test("accepts tests of the refusal among as many valid requests", async () => {
    const { cursor, ...client } = await withCursor();
    for (const other of ["", "type=fee&"]) await client.list(`?${other}cursor=${cursor}`);
    for (const _ of [1, 2]) await client.list(`?${filters}&cursor=${cursor}`);
    expect(found(client)).toEqual([]);
  });

  test("accepts made-up cursors", async () => {
    const { cursor, ...client } = await withCursor();
    for (const other of ["x", `${cursor}x`, ""]) await client.list(`?cursor=${other}`);
    expect(found(client)).toEqual([]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const { cursor, ...client } = await withCursor();
    for (const _ of [1, 2, 3]) await client.list(`?cursor=${cursor}`, { "Sandbox-Test": "negative" });
    expect(found(client)).toEqual([]);
  });
});
