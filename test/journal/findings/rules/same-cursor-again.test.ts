import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openLongList } from "../../../support/open-long-list.ts";

/** The query of the second page. */
async function secondPage({ list }: Awaited<ReturnType<typeof openLongList>>, headers = {}) {
  const { next_cursor } = await list("?limit=10", headers);
  return `?limit=10&cursor=${next_cursor}`;
}

describe("PAGE-3, the same cursor again and again", () => {
  test("found: a loop that never gets beyond the second page", async () => {
    const client = await openLongList();
    const second = await secondPage(client);
    for (const _ of [1, 2, 3, 4, 5]) await client.list(second);
    expect(found(client)).toEqual(["PAGE-3 high"]);
    const [finding] = client.findings().findings;
    expect(finding?.times).toBe(1);
    expect(finding?.occurrences[0]?.requests.map(({ id }) => id)).toEqual(["3", "4", "5"]);
  });

  test("right: page after page to the end", async () => {
    const client = await openLongList();
    let query = await secondPage(client);
    for (;;) {
      const { next_cursor } = await client.list(query);
      if (next_cursor === null) break;
      query = `?limit=10&cursor=${next_cursor}`;
    }
    expect(found(client)).toEqual([]);
  });

  test("right: tests that each read the list from its beginning", async () => {
    const client = await openLongList();
    for (const _ of [1, 2, 3, 4]) await client.list(await secondPage(client));
    expect(found(client)).toEqual([]);
  });

  test("right: readers side by side, with one token", async () => {
    const client = await openLongList();
    const seconds = await Promise.all([1, 2, 3, 4].map(() => secondPage(client)));
    for (const second of seconds) await client.list(second);
    expect(found(client)).toEqual([]);
  });

  test("right: a page that is read twice, to see that it stays the same", async () => {
    const client = await openLongList();
    const second = await secondPage(client);
    for (const _ of [1, 2]) await client.list(second);
    expect(found(client)).toEqual([]);
  });

  test("right: retries of what was refused or lost", async () => {
    const client = await openLongList();
    const second = await secondPage(client);
    for (const scenario of ["rate-limited", "unauthorized", "rate-limited", "rate-limited"]) {
      client.scenario(scenario, { operation: "listTransactions", times: 1 });
      await client.list(second);
    }
    await client.list(second);
    expect(client.exchanges.filter(({ status }) => status !== 200)).toHaveLength(4);
    expect(found(client)).toEqual([]);
  });

  test("right: they say that they are wrong on purpose", async () => {
    const client = await openLongList();
    const second = await secondPage(client);
    for (const _ of [1, 2, 3, 4]) await client.list(second, { "Sandbox-Test": "negative" });
    expect(found(client)).toEqual([]);
  });
});
