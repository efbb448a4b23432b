import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cardOf, openSandbox } from "../support/open-sandbox.ts";

/** A sandbox with three cards of northwind: two of its owner, and then one of its admin. */
async function withCards() {
  const sandbox = openSandbox();
  const cards = [
    cardOf(await sandbox.order()),
    cardOf(await sandbox.order({ body: { account_id: sandbox.account("northwind", "eur").id } })),
    cardOf(await sandbox.order({ apiKey: "sk_sandbox_northwind_admin" })),
  ];
  const ids = async (query = "", options = {}) => {
    const reply = await sandbox.get(`/developer/cards${query}`, options);
    if (reply.status !== 200) return reply.json.error;
    return reply.json.data
      .map(({ id }: { id: string }) => cards.findIndex((each) => each.id === id) + 1)
      .join(" ");
  };
  return { ...sandbox, cards, ids };
}

describe("GET /developer/cards", () => {
  test("lists the company's cards, newest first, with used in card_limits", async () => {
    const { get, cards, ids } = await withCards();
    expect(await ids()).toBe("3 2 1");
    const { json } = await get("/developer/cards?limit=1");
    expect(json).toEqual({ data: [expect.anything()], has_more: true, next_cursor: expect.any(String) });
    const [listed] = json.data;
    expect({ ...listed, card_limits: cards[2]?.card_limits }).toEqual(cards[2]);
    expect(listed.card_limits).toEqual({
      currency: "EUR",
      max_per_purchase: { amount: "10000.00", used: "0.00" },
      daily: { amount: "10000.00", used: "0.00" },
      rolling_32_days: { amount: "50000.00", used: "0.00" },
    });
  });

  test("applies each filter alone and all together", async () => {
    const { cards, ids } = await withCards();
    const [one, two, three] = cards as [(typeof cards)[0], (typeof cards)[0], (typeof cards)[0]];
    expect(await ids(`?tokens=${one.token},${three.token}`)).toBe("3 1");
    expect(await ids(`?tokens=${one.token}&tokens=${two.token}`)).toBe("2 1");
    expect(await ids(`?account_id=${two.account_id.toUpperCase()}`)).toBe("2");
    expect(await ids(`?user_id=${three.user_id}`)).toBe("3");
    expect(await ids("?status=active,frozen")).toBe("3 2 1");
    expect(await ids("?status=frozen")).toBe("");
    expect(await ids("?type=virtual")).toBe("");
    expect(await ids(`?type=physical&user_id=${one.user_id}&account_id=${one.account_id}`)).toBe("1");
  });

  test.each([
    ["?limit=0", "limit: "],
    ["?limit=101", "limit: "],
    ["?limit=ten", "limit: must be an integer from 1 to 100"],
    ["?limit=1&limit=2", "limit: must be sent only once"],
    ["?status=lost", "status: "],
    ["?account_id=gbp", "account_id: must be a UUID"],
    [
      "?acount_id=1",
      'unknown parameter "acount_id". Did you mean "account_id"? Allowed: tokens, account_id, user_id',
    ],
    [
      "?cursor=abc",
      "cursor: must be the next_cursor of the previous page of this list, with the same filters",
    ],
    [`?tokens=${"1,".repeat(100)}1`, "tokens: must have at most 100 values"],
  ])("returns 400: %s", async (query, message) => {
    expect(await (await withCards()).ids(query)).toContain(message);
  });

  test("shows an employee only its own cards, in the list and individually", async () => {
    const { ids, get, cards, ...sandbox } = await withCards();
    const apiKey = "sk_sandbox_northwind_employee";
    expect(await ids("", { apiKey })).toBe("");
    expect((await get(`/developer/cards/${cards[0]?.id}`, { apiKey })).point).toBe("cards.not_found");
    sandbox.database.run(
      "UPDATE cards SET member_pk = (SELECT pk FROM members WHERE slug = 'northwind-employee') WHERE id = ?",
      cards[0]?.id ?? "",
    );
    expect(await ids("", { apiKey })).toBe("1");
    expect((await get(`/developer/cards/${cards[0]?.id}`, { apiKey })).point).toBe("cards.shown");
  });

  test("shows no cards of another company, in the list and individually", async () => {
    const { ids, get, cards } = await withCards();
    const apiKey = "sk_sandbox_halfway_owner";
    expect(await ids("", { apiKey })).toBe("");
    expect((await get(`/developer/cards/${cards[0]?.id}`, { apiKey })).status).toBe(404);
  });

  test("returns one card as in the response to its order", async () => {
    const { get, cards } = await withCards();
    const reply = await get(`/developer/cards/${cards[1]?.id.toUpperCase()}`);
    expect([reply.point, reply.json]).toEqual(["cards.shown", cards[1]]);
  });
});

describe("a cursor", () => {
  test("returns 400 with other filters, another company or another member", async () => {
    const { get, cards } = await withCards();
    const { next_cursor } = (await get("/developer/cards?limit=1&type=physical")).json;
    const withCursor = async (query: string, apiKey?: string) =>
      (await get(`/developer/cards?cursor=${next_cursor}${query}`, apiKey ? { apiKey } : {})).status;
    expect(await withCursor("&type=physical")).toBe(200);
    expect(await withCursor("&type=physical&limit=2")).toBe(200);
    expect(await withCursor("")).toBe(400);
    expect(await withCursor(`&type=physical&user_id=${cards[0]?.user_id}`)).toBe(400);
    expect(await withCursor("&type=physical", "sk_sandbox_halfway_owner")).toBe(400);
    expect(await withCursor("&type=physical", "sk_sandbox_northwind_employee")).toBe(400);
  });

  test("returns each row once while the list grows", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ limit: fc.integer({ min: 1, max: 4 }), orders: fc.integer({ min: 0, max: 3 }) }),
          {
            minLength: 1,
            maxLength: 8,
          },
        ),
        async (pages) => {
          const sandbox = openSandbox();
          sandbox.control.companies.change("northwind", { card_quota: 1000 });
          const token = await sandbox.exchange("sk_sandbox_northwind_owner");
          const before = [];
          for (let n = 0; n < 7; n++) before.push(cardOf(await sandbox.order({ token })).id);
          const met: string[] = [];
          let cursor = "";
          for (let page = 0; ; page++) {
            const { limit, orders } = pages[page % pages.length] ?? { limit: 1, orders: 0 };
            const { json } = await sandbox.get(`/developer/cards?limit=${limit}${cursor}`, { token });
            met.push(...json.data.map(({ id }: { id: string }) => id));
            if (!json.has_more) break;
            cursor = `&cursor=${json.next_cursor}`;
            for (let n = 0; n < orders; n++) await sandbox.order({ token });
          }
          expect(met).toEqual(before.toReversed());
        },
      ),
      { numRuns: 15 },
    );
  });
});

test("returns 501 for an assumed operation with --assumed off", async () => {
  const sandbox = openSandbox({ assumed: false });
  const reply = await sandbox.get("/developer/cards");
  expect([reply.status, reply.json.error.code]).toEqual([501, "not_specified"]);
  expect((await sandbox.get("/developer/cards", { token: "nobody" })).status).toBe(401);
  expect((await sandbox.order()).status).toBe(201);
});
