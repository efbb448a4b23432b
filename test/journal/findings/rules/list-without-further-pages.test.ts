import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openLongList, openManyCards } from "../../../support/open-long-list.ts";

const period = "from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z";

describe("PAGE-1: only the first page of a period read", () => {
  test.each([`?${period}`, `?${period}&limit=30`, `?${period}&type=topup`])("reports %s", async (query) => {
    const client = await openLongList();
    await client.list(query);
    expect(found(client)).toEqual(["PAGE-1 warn"]);
  });

  test("reports it after a quarter of an hour", async () => {
    const client = await openLongList();
    await client.list(`?${period}`);
    client.clockOfTest.advance(14 * 60_000);
    expect(client.findings().findings).toEqual([]);
    client.clockOfTest.advance(60_000);
    expect(client.findings().findings.map(({ id }) => id)).toEqual(["PAGE-1"]);
  });

  test("accepts a client that follows the cursor", async () => {
    const client = await openLongList();
    const { next_cursor } = await client.list(`?${period}`);
    await client.list(`?${period}&cursor=${next_cursor}`);
    expect(found(client)).toEqual([]);
  });

  test("accepts a single page if the client follows cursors elsewhere", async () => {
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
  ])("accepts a view of the latest rows, or a complete list: %s", async (query) => {
    const client = await openLongList();
    await client.list(query);
    expect(found(client)).toEqual([]);
  });

  test("accepts a client that continues with shorter periods", async () => {
    const client = await openLongList();
    await client.list(`?${period}`);
    await client.list("?from=2026-03-01T00:00:00Z&to=2026-03-10T09:40:00Z");
    expect(found(client)).toEqual([]);
  });

  test("accepts a client that then reads all rows in one page", async () => {
    const client = await openLongList();
    await client.list(`?${period}`);
    await client.list(`?${period}&limit=100`);
    expect(found(client)).toEqual([]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const client = await openLongList();
    await client.list(`?${period}`, { "Sandbox-Test": "negative" });
    expect(found(client)).toEqual([]);
  });
});

describe("PAGE-1: only the first page of the list of cards read", () => {
  test.each(["", "?limit=50", "?status=active"])("warns about the query '%s'", async (query) => {
    const client = await openManyCards();
    await client.list(query);
    expect(found(client)).toEqual(["PAGE-1 warn"]);
  });

  test("warns when the client looks up more tokens than the page holds", async () => {
    const client = await openManyCards();
    const { data } = await client.list("?limit=100");
    const tokens = data.map(({ token }: { token: string }) => token);
    await client.list(`?tokens=${tokens}`);
    expect(found(client)).toEqual(["PAGE-1 warn"]);
  });

  test("warns when the client processes only the cards of the first page", async () => {
    const client = await openManyCards();
    const { data } = await client.list();
    for (const { id } of data) await client.send("GET", `/developer/cards/${id}`);
    expect(found(client)).toEqual(["PAGE-1 warn"]);
  });

  test("warns when more cards were ordered than the page holds", async () => {
    const client = await openManyCards();
    for (let n = 0; n < 51; n++) await client.order();
    await client.list();
    expect(found(client)).toEqual(["PAGE-1 warn"]);
  });

  test("waits a quarter of an hour for the next page while the run goes on", async () => {
    const client = await openManyCards();
    await client.list();
    client.wait(14 * 60_000);
    expect(client.findings().findings).toEqual([]);
    client.wait(60_000);
    expect(client.findings().findings.map(({ id }) => id)).toEqual(["PAGE-1"]);
  });

  test.each(["?limit=1", "?limit=20", "?limit=49"])(
    "accepts a view of the newest cards: %s",
    async (query) => {
      const client = await openManyCards();
      await client.list(query);
      expect(found(client)).toEqual([]);
    },
  );

  test("accepts a page that holds all cards, and a look-up by tokens", async () => {
    const client = await openManyCards();
    const { data } = await client.list("?limit=100");
    await client.list(`?tokens=${data[55].token},${data[56].token}`);
    expect(found(client)).toEqual([]);
  });

  test("accepts a client that follows the cursor later", async () => {
    const client = await openManyCards();
    const { next_cursor } = await client.list();
    client.wait(10 * 60_000);
    await client.listCards();
    await client.list(`?cursor=${next_cursor}`);
    expect(found(client)).toEqual([]);
  });

  test("accepts a client that follows cursors of cards elsewhere in its run", async () => {
    const client = await openManyCards();
    const { next_cursor } = await client.list("?limit=10");
    await client.list(`?limit=10&cursor=${next_cursor}`);
    await client.list("?status=active");
    expect(found(client)).toEqual([]);
  });

  test("accepts a client that then reads all cards in one page", async () => {
    const client = await openManyCards();
    await client.list();
    await client.list("?limit=100");
    expect(found(client)).toEqual([]);
  });

  test("is only info when the client looks for a card that it has just ordered", async () => {
    const client = await openManyCards();
    await client.order();
    await client.list();
    await client.list();
    expect(found(client)).toEqual(["PAGE-1 info"]);
  });

  test("is only info when the client uses one card of the page", async () => {
    const client = await openManyCards();
    const { data } = await client.list();
    for (const change of ["freeze", "unfreeze"]) {
      await client.send("POST", `/developer/cards/${data[3].id}/${change}`);
    }
    expect(found(client)).toEqual(["PAGE-1 info"]);
  });

  test("ignores a list with Sandbox-Test: negative", async () => {
    const client = await openManyCards();
    await client.list("", { negative: true });
    expect(found(client)).toEqual([]);
  });
});
