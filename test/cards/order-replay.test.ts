import { describe, expect, test } from "vitest";
import { cardOf, openSandbox } from "../support/open-sandbox.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("the same Idempotency-Key returns the original card (spec §4)", () => {
  test("returns 201 with the same bytes, marked as replayed, and creates no second card", async () => {
    const sandbox = openSandbox();
    const first = await sandbox.order({ key });
    const again = await sandbox.order({ key });
    expect(again.point).toBe("order.replayed");
    expect(again.status).toBe(201);
    expect(again.text).toBe(first.text);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect(sandbox.company("northwind").live_cards).toBe(1);
  });

  test("returns all fields of the original order", async () => {
    const sandbox = openSandbox();
    const body = { name: "Tools", auto_convert: true, spending_limit: { period: "weekly", amount: "7.5" } };
    const first = await sandbox.order({ key, body });
    expect(cardOf(first)).toMatchObject({ name: "Tools", auto_convert: true });
    expect((await sandbox.order({ key })).text).toBe(first.text);
  });

  test("returns the largest limit exactly", async () => {
    const sandbox = openSandbox();
    const body = { spending_limit: { period: "lifetime", amount: "9999999999999.99" } };
    const first = await sandbox.order({ key, body });
    expect(cardOf(first).spending_limit?.amount).toBe("9999999999999.99");
    expect((await sandbox.order({ key })).text).toBe(first.text);
  });

  test("accepts the key in any letter case", async () => {
    const sandbox = openSandbox();
    const first = await sandbox.order({ key });
    expect((await sandbox.order({ key: key.toUpperCase() })).text).toBe(first.text);
  });

  test.each([
    ["another order", { pin: "0000", name: "Other" }],
    ["an invalid order", { pin: "no" }],
    ["no order at all", undefined],
    ["another limit", { spending_limit: { period: "daily", amount: "5.01" } }],
    [
      "another address",
      {
        delivery_address: { line1: "2 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" },
      },
    ],
  ])("returns the original card for another body (assumed): %s", async (_, body) => {
    const sandbox = openSandbox();
    const limit = { spending_limit: { period: "daily", amount: "5" } };
    const first = await sandbox.order({ key, body: limit });
    const again = await sandbox.order({ key, ...(body ? { body: { ...limit, ...body } } : { raw: "{" }) });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect([again.point, again.provenance]).toEqual(["order.replayed_with_other_body", "assumed"]);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
  });

  test.each([
    ["the members in another order", (body: object) => Object.fromEntries(Object.entries(body).toReversed())],
    ["a member that is ignored", (body: object) => ({ ...body, comment: "urgent" })],
    [
      "an amount written otherwise",
      (body: object) => ({ ...body, spending_limit: { amount: 5.0, period: "daily" } }),
    ],
    ["the default spelt out", (body: object) => ({ ...body, auto_convert: false })],
  ])("returns the original card for the same order with %s (specified)", async (_, change) => {
    const sandbox = openSandbox();
    const body = sandbox.orderBody({ spending_limit: { period: "daily", amount: "5.00" } });
    await sandbox.order({ key, raw: JSON.stringify(body) });
    const again = await sandbox.order({ key, raw: JSON.stringify(change(body)) });
    expect([again.point, again.provenance]).toEqual(["order.replayed", "specified"]);
  });

  test("stores neither the PIN nor the address", async () => {
    const { order, database } = openSandbox();
    await order({ key });
    const [row] = database.all("SELECT * FROM cards WHERE idempotency_key IS NOT NULL");
    expect(JSON.stringify(row)).not.toMatch(/4821|Long Lane/);
  });

  test("returns the original card even if the company or the account has changed", async () => {
    const sandbox = openSandbox();
    const first = await sandbox.order({ key });
    sandbox.force.facts = { account: "closed", companyStatus: "suspended", quotaReached: true };
    sandbox.database.run("UPDATE companies SET status = 'suspended', card_quota = 0");
    sandbox.database.run("UPDATE accounts SET status = 'closed'");
    expect((await sandbox.order({ key })).text).toBe(first.text);
  });

  test("returns the card in its current state", async () => {
    const sandbox = openSandbox();
    const { id } = cardOf(
      await sandbox.order({ key, body: { spending_limit: { period: "daily", amount: "1" } } }),
    );
    sandbox.database.run("UPDATE cards SET status = 'frozen' WHERE id = ?", id);
    expect(cardOf(await sandbox.order({ key }))).toMatchObject({ id, status: "frozen" });
    sandbox.database.run("UPDATE cards SET status = 'terminated' WHERE id = ?", id);
    const ended = cardOf(await sandbox.order({ key }));
    expect(ended.spending_limit).toEqual({ period: "daily", amount: "1.00", currency: "GBP" });
  });

  test("returns the original card with a new token or another API key of the member", async () => {
    const sandbox = openSandbox();
    const first = await sandbox.order({ key });
    sandbox.clockOfTest.advance(20 * 60_000);
    expect((await sandbox.order({ key })).text).toBe(first.text);
    sandbox.database.run("UPDATE api_keys SET status = 'active'");
    expect((await sandbox.order({ key, apiKey: "sk_sandbox_northwind_revoked" })).text).toBe(first.text);
  });

  test("is independent for another member, company or environment", async () => {
    const sandbox = openSandbox();
    const cards = [
      cardOf(await sandbox.order({ key })),
      cardOf(await sandbox.order({ key, apiKey: "sk_sandbox_northwind_admin" })),
      cardOf(
        await sandbox.order({
          key,
          apiKey: "sk_live_northwind_owner",
          body: { account_id: sandbox.account("northwind", "gbp", "live").id },
        }),
      ),
    ];
    sandbox.database.run("UPDATE companies SET card_quota = 20");
    cards.push(
      cardOf(
        await sandbox.order({
          key,
          apiKey: "sk_sandbox_northwind_admin",
          headers: { "X-On-Behalf-Of": sandbox.company("fullhouse").id },
          body: { account_id: sandbox.account("fullhouse").id },
        }),
      ),
    );
    expect(new Set(cards.map(({ id }) => id)).size).toBe(4);
  });

  test.each([
    ["400", { body: { pin: "x" } }],
    ["403", { apiKey: "sk_sandbox_northwind_employee" }],
    ["404", { body: { account_id: key } }],
    ["422", { apiKey: "sk_sandbox_northwind_incomplete" }],
  ])("a %s stores nothing, so the same key can order again", async (status, refused) => {
    const sandbox = openSandbox();
    expect((await sandbox.order({ key, ...refused })).status).toBe(Number(status));
    sandbox.database.run("UPDATE members SET details_complete = 1");
    sandbox.database.run("UPDATE memberships SET role = 'owner'");
    const again = await sandbox.order({ key, ...("apiKey" in refused && { apiKey: refused.apiKey }) });
    expect(again.point).toBe("order.created");
  });

  test.each(["bad_gateway", "unavailable"] as const)(
    "an issuer that is %s stores nothing, so a retry with the same key creates the card",
    async (outcome) => {
      const sandbox = openSandbox({ issuer: { issue: () => ({ outcome }) } });
      expect((await sandbox.order({ key })).status).toBe(outcome === "unavailable" ? 503 : 502);
      sandbox.force.issuer = { issue: () => ({ outcome: "issued" }) };
      expect((await sandbox.order({ key })).point).toBe("order.created");
      expect((await sandbox.order({ key })).point).toBe("order.replayed");
    },
  );
});

describe("parallel orders", () => {
  test("fifty orders with one key create one card", async () => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const replies = await Promise.all(Array.from({ length: 50 }, () => sandbox.order({ key, token })));
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
    expect(replies.filter((reply) => reply.point === "order.created")).toHaveLength(1);
    expect(replies.filter((reply) => reply.point === "order.replayed")).toHaveLength(49);
    expect(sandbox.company("northwind").live_cards).toBe(1);
  });

  test("create exactly n cards at a quota of n", async () => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const replies = await Promise.all(Array.from({ length: 50 }, () => sandbox.order({ token })));
    expect(replies.filter((reply) => reply.status === 201)).toHaveLength(20);
    expect(replies.filter((reply) => reply.point === "order.quota_reached")).toHaveLength(30);
    expect(sandbox.company("northwind").live_cards).toBe(20);
  });
});
