import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openLongList } from "../../../support/open-long-list.ts";

/** The query of the second page. */
async function secondPage({ list }: Awaited<ReturnType<typeof openLongList>>, headers = {}) {
  const { next_cursor } = await list("?limit=10", headers);
  return `?limit=10&cursor=${next_cursor}`;
}

describe("PAGE-3: same cursor sent repeatedly", () => {
  test("reports a loop that never leaves the second page", async () => {
    const client = await openLongList();
    const second = await secondPage(client);
    for (const _ of [1, 2, 3, 4, 5]) await client.list(second);
    expect(found(client)).toEqual(["PAGE-3 high"]);
    const [finding] = client.findings().findings;
    expect(finding?.times).toBe(1);
    expect(finding?.occurrences[0]?.requests.map(({ id }) => id)).toEqual(["3", "4", "5"]);
  });

  test("accepts reading all pages", async () => {
    const client = await openLongList();
    let query = await secondPage(client);
    for (;;) {
      const { next_cursor } = await client.list(query);
      if (next_cursor === null) break;
      query = `?limit=10&cursor=${next_cursor}`;
    }
    expect(found(client)).toEqual([]);
  });

  test("accepts tests that each read the list from its start", async () => {
    const client = await openLongList();
    for (const _ of [1, 2, 3, 4]) await client.list(await secondPage(client));
    expect(found(client)).toEqual([]);
  });

  test("accepts parallel readers with one token", async () => {
    const client = await openLongList();
    const seconds = await Promise.all([1, 2, 3, 4].map(() => secondPage(client)));
    for (const second of seconds) await client.list(second);
    expect(found(client)).toEqual([]);
  });

  test("accepts a page that is read twice", async () => {
    const client = await openLongList();
    const second = await secondPage(client);
    for (const _ of [1, 2]) await client.list(second);
    expect(found(client)).toEqual([]);
  });

  test("accepts retries after errors and lost responses", async () => {
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

  test("ignores requests with Sandbox-Test: negative", async () => {
    const client = await openLongList();
    const second = await secondPage(client);
    for (const _ of [1, 2, 3, 4]) await client.list(second, { "Sandbox-Test": "negative" });
    expect(found(client)).toEqual([]);
  });
});
