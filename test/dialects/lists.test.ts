import { describe, expect, test } from "vitest";
import { behaviours, type Choices } from "../../src/contract/behaviours.ts";
import { found } from "../support/found.ts";
import { openLongList } from "../support/open-long-list.ts";
import { openMoney } from "../support/open-money.ts";
import { openSandbox, type Reply } from "../support/open-sandbox.ts";

const envelopes = behaviours["lists.envelope"].alternatives.map(({ id }) => id as Choices["lists.envelope"]);
const pagings = behaviours["lists.paging"].alternatives.map(({ id }) => id as Choices["lists.paging"]);
const orders = behaviours["lists.order"].alternatives.map(({ id }) => id as Choices["lists.order"]);

type Row = { readonly id: string; readonly created_at: string };

/** The rows and the query of the next page, as a client of this envelope reads them. */
function read({ json, headers }: Reply, envelope: Choices["lists.envelope"]) {
  if (envelope === "array") {
    const [, query] = /^<http:\/\/sandbox\.test\/developer\/transactions(\?.*)>; rel="next"$/.exec(
      headers.get("Link") ?? "",
    ) ?? [undefined, undefined];
    return { rows: json as Row[], next: query };
  }
  const [rows, position] = {
    data: () => [json.data, json],
    items: () => [json.items, json.pagination],
    named: () => [json.transactions, json.meta],
  }[envelope]();
  const { next_cursor, next_page, total_count, limit, offset } = position;
  const end = offset + limit;
  const next = next_cursor
    ? `?limit=25&cursor=${next_cursor}`
    : next_page
      ? `?per_page=25&page=${next_page}`
      : end < total_count
        ? `?limit=25&offset=${end}`
        : undefined;
  return { rows: rows as Row[], next };
}

describe("a list of sixty rows", () => {
  const every = envelopes
    .flatMap((envelope) => pagings.flatMap((paging) => orders.map((order) => ({ envelope, paging, order }))))
    .filter(({ envelope, order }) => envelope === "data" || order === "newest_first");

  test.each(every)(
    "is read page by page in order: $envelope, $paging, $order",
    async ({ envelope, paging, order }) => {
      const client = await openLongList({
        "lists.envelope": envelope,
        "lists.paging": paging,
        ...(order === "oldest_first" && { "lists.order": order }),
      });
      const pages: Row[][] = [];
      let query: string | undefined = paging === "page" ? "?per_page=25" : "?limit=25";
      while (query !== undefined && pages.length < 5) {
        const { token } = client;
        const reply = await client.get(`/developer/transactions${query}`, { token });
        const { rows, next } = read(reply, envelope);
        pages.push(rows);
        query = next;
      }
      expect(pages.map(({ length }) => length)).toEqual([25, 25, 10]);
      const times = pages.flat().map(({ created_at }) => created_at);
      const ascending = [...new Set(times)].toSorted();
      expect(times).toEqual(order === "oldest_first" ? ascending : ascending.toReversed());
      expect(ascending).toHaveLength(60);
      expect(found(client)).toEqual([]);
    },
  );

  test.each([
    ["50", 50],
    ["10", 10],
    ["100", 60],
  ] as const)("has %s rows on a page by default", async (size, rows) => {
    const client = await openLongList({ "lists.page_size": size });
    expect((await client.list()).data).toHaveLength(rows);
  });

  test("has at most 100 rows on a page if a greater limit is allowed", async () => {
    const sandbox = await openLongList({ "lists.limit_over_maximum": "clamped", "lists.paging": "offset" });
    expect(await sandbox.list("?limit=5000")).toMatchObject({ limit: 100, offset: 0, total_count: 60 });
    expect((await sandbox.list("?limit=0")).error.message).toBe(
      "limit: must be an integer of at least 1, but is 0",
    );
  });

  test.each([
    ["offset", "?offset=-1", 'offset: must be an integer of at least 0, but is "-1"'],
    ["offset", "?cursor=x", 'unknown parameter "cursor"'],
    ["page", "?page=0", "page: must be an integer of at least 1, but is 0"],
    ["page", "?limit=5", 'unknown parameter "limit"'],
    ["cursor", "?offset=5", 'unknown parameter "offset"'],
  ] as const)("refuses a position of the wrong form: %s, %s", async (paging, query, message) => {
    const { list } = await openLongList({ "lists.paging": paging });
    expect((await list(query)).error.message).toContain(message);
  });

  test("has an empty page after its last row", async () => {
    const { list } = await openLongList({ "lists.paging": "page" });
    expect(await list("?page=3")).toMatchObject({
      data: [],
      current_page: 3,
      next_page: null,
      total_pages: 2,
    });
  });
});

describe("findings about lists", () => {
  const period = "from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z";

  test.each(pagings)("report a client that reads only the first page by %s", async (paging) => {
    for (const envelope of envelopes) {
      const client = await openLongList({ "lists.paging": paging, "lists.envelope": envelope });
      await client.list(`?${period}`);
      expect(found(client)).toEqual(["PAGE-1 warn"]);
    }
  });

  test("know the default page size", async () => {
    const client = await openLongList({ "lists.page_size": "100" });
    await client.list(`?${period}`);
    expect(found(client)).toEqual([]);
  });

  test.each([
    ["offset", "offset=5"],
    ["page", "page=2"],
  ] as const)("accept the same %s with other filters, or again", async (paging, position) => {
    const client = await openLongList({ "lists.paging": paging });
    for (const filter of ["type=topup", "status=completed", "type=topup", "direction=credit"]) {
      for (const _ of [1, 2, 3]) await client.list(`?${filter}&${position}`);
    }
    expect(found(client)).toEqual([]);
  });
});

describe("the filter `to`", () => {
  test.each([
    ["exclusive", 0],
    ["inclusive", 1],
  ] as const)("is %s", async (use, rows) => {
    const sandbox = openSandbox({ choices: { "lists.period_end": use } });
    sandbox.control.simulator.topUp({ account_id: sandbox.account("northwind").id, amount: "1.00" });
    sandbox.control.invoices.create({ company: "northwind", issued_on: "2026-03-01" });
    const at = "2026-03-10T09:30:00.000Z";
    const listed = async (path: string) => (await sandbox.get(path)).json.data;
    expect(await listed(`/developer/transactions?to=${at}`)).toHaveLength(rows);
    expect(await listed("/developer/company/invoices?to=2026-03-01")).toHaveLength(rows);
  });
});

describe("lists", () => {
  test.each([
    ["yes", 4],
    ["no", 3],
  ] as const)("show closed accounts: %s", async (use, rows) => {
    const sandbox = openSandbox({ choices: { "accounts.closed_listed": use } });
    expect((await sandbox.get("/developer/accounts")).json.data).toHaveLength(rows);
    const { id } = sandbox.account("northwind", "closed");
    expect((await sandbox.get(`/developer/accounts/${id}`)).json.status).toBe("closed");
  });

  test.each([
    ["all", ["declined", "completed"]],
    ["completed", ["completed"]],
  ] as const)("show transactions of %s statuses", async (use, statuses) => {
    const { pay, simulator, get } = await openMoney({ choices: { "transactions.listed_statuses": use } });
    simulator.clear(pay("5.00").id, {});
    pay("9999999.00");
    const listed = async (query: string) =>
      (await get(`/developer/transactions${query}`)).json.data.map(
        ({ status }: { status: string }) => status,
      );
    expect(await listed("")).toEqual(statuses);
    expect(await listed("?status=declined")).toEqual(["declined"]);
  });

  test.each([
    ["yes", ["void", "open"]],
    ["no", ["open"]],
  ] as const)("show void invoices: %s", async (use, statuses) => {
    const { control, get } = openSandbox({ choices: { "invoices.void_listed": use } });
    control.invoices.create({ company: "northwind" });
    control.invoices.settle(control.invoices.create({ company: "northwind" }).id, "void");
    const listed = async (query: string) =>
      (await get(`/developer/company/invoices${query}`)).json.data.map(
        ({ status }: { status: string }) => status,
      );
    expect(await listed("")).toEqual(statuses);
    expect(await listed("?status=void")).toEqual(["void"]);
  });
});

describe("the dialect of one company", () => {
  test("changes its lists and objects, and not those of others", async () => {
    const { control, get } = openSandbox();
    const dialect = {
      "lists.envelope": "array",
      "lists.paging": "page",
      "responses.amounts": "number",
    } as const;
    control.dialect.replace({ dialect, company: "fullhouse" });
    const apiKey = "sk_sandbox_fullhouse_owner";
    const cards = await get("/developer/cards?per_page=2", { apiKey });
    expect([cards.json.length, cards.headers.get("Link")]).toEqual([
      2,
      '<http://sandbox.test/developer/cards?per_page=2&page=2>; rel="next"',
    ]);
    expect((await get("/developer/accounts", { apiKey })).json).toMatchObject([{ balance: 40_000 }]);
    expect((await get("/developer/accounts?limit=1")).json).toMatchObject({
      data: [{ balance: "0.00" }],
      has_more: true,
    });
  });
});
