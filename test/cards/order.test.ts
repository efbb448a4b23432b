import { describe, expect, test } from "vitest";
import { card as cardSchema } from "../../src/contract/card.ts";
import { cardOf, openSandbox } from "../support/open-sandbox.ts";
import { physicalOrder } from "../support/physical-order.ts";

const _key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("an order creates a card (spec §2, §3, §4)", () => {
  test("returns 201 with exactly the sixteen fields of the Card, in the spec's order", async () => {
    const sandbox = openSandbox({ now: "2026-03-10T09:30:00.250Z" });
    const reply = await sandbox.order({
      body: { name: "Travel", auto_convert: true, spending_limit: { period: "monthly", amount: "250" } },
    });
    const company = sandbox.company("northwind");
    expect(reply.point).toBe("order.created");
    expect(reply.provenance).toBe("specified");
    expect(reply.headers.get("Content-Type")).toBe("application/json");
    expect(reply.headers.has("Idempotent-Replayed")).toBe(false);
    expect(reply.json).toEqual({
      id: expect.any(String),
      token: expect.stringMatching(/^[0-9]{9}$/),
      company_id: company.id,
      account_id: sandbox.account("northwind").id,
      user_id: company.members[0]?.id,
      type: "physical",
      design_id: expect.any(String),
      status: "active",
      name: "Travel",
      last_four: expect.stringMatching(/^[0-9]{4}$/),
      expiry_date: "2031-03-31",
      auto_convert: true,
      three_ds_biometric: false,
      spending_limit: { period: "monthly", amount: "250.00", currency: "GBP", used: "0.00" },
      card_limits: {
        currency: "EUR",
        max_per_purchase: { amount: "10000.00" },
        daily: { amount: "10000.00" },
        rolling_32_days: { amount: "50000.00" },
      },
      created_at: "2026-03-10T09:30:00.250Z",
    });
    expect(Object.keys(reply.json)).toEqual(Object.keys(cardSchema.shape));
    expect(cardSchema.safeParse(reply.json).success).toBe(true);
  });

  test("creates the same first card of northwind with seed 1, on any machine at any time", async () => {
    expect(cardOf(await openSandbox({ seed: 1 }).order())).toMatchObject({
      id: "fa6c0000-0001-4f6b-a7ec-74df22a00883",
      token: "685351436",
      last_four: "3122",
      account_id: "1d541080-dfcd-4ea6-937b-cc4bd3db87af",
    });
  });

  test("sends the sandbox's time in the Date header", async () => {
    const sandbox = openSandbox({ now: "2026-03-10T09:30:00Z" });
    expect((await sandbox.order()).headers.get("Date")).toBe("Tue, 10 Mar 2026 09:30:00 GMT");
    sandbox.clockOfTest.advance(1500);
    expect((await sandbox.order()).headers.get("Date")).toBe("Tue, 10 Mar 2026 09:30:01 GMT");
  });

  test.each([
    ["2026-01-31T23:59:59Z", "2031-01-31"],
    ["2026-02-01T00:00:00Z", "2031-02-28"],
    ["2027-02-10T00:00:00Z", "2032-02-29"],
    ["2026-07-31T22:59:59Z", "2031-07-31"],
    ["2026-07-31T23:00:00Z", "2031-08-31"],
    ["2026-12-31T23:59:59Z", "2031-12-31"],
  ])("a card ordered at %s expires on %s, by the UK calendar", async (now, expiry) => {
    expect(cardOf(await openSandbox({ now }).order()).expiry_date).toBe(expiry);
  });

  test("stores neither the PIN nor a card number", async () => {
    const sandbox = openSandbox();
    await sandbox.order({ body: { pin: "5937" } });
    const columns = sandbox.database.all<{ name: string }>("SELECT name FROM pragma_table_info('cards')");
    expect(columns.map(({ name }) => name).join()).not.toMatch(/\b(pin|pan|cvv|card_number)\b/);
    expect(JSON.stringify(sandbox.database.all("SELECT * FROM cards"))).not.toContain("5937");
  });
});

describe("an order that cannot be issued is refused with the reason (spec §7)", () => {
  test.each([
    ["sk_sandbox_fullhouse_owner", "fullhouse", "order.quota_reached", "quota"],
    ["sk_sandbox_frostbite_owner", "frostbite", "order.company_inactive", "is suspended"],
    ["sk_sandbox_halfway_owner", "halfway", "order.company_details_missing", "company's details"],
    [
      "sk_sandbox_northwind_incomplete",
      "northwind",
      "order.cardholder_details_missing",
      "cardholder's details",
    ],
  ])("%s of %s: %s", async (apiKey, slug, point, why) => {
    const sandbox = openSandbox();
    const reply = await sandbox.order({ apiKey, body: { account_id: sandbox.account(slug).id } });
    expect([reply.status, reply.point, reply.provenance]).toEqual([422, point, "specified"]);
    expect(reply.json).toEqual({ error: expect.stringContaining(why) });
  });

  test("refuses an account that a scenario makes missing", async () => {
    const reply = await openSandbox({ facts: { account: "missing" } }).order();
    expect([reply.status, reply.point]).toEqual([404, "order.account_not_found"]);
  });

  test("refuses a closed account", async () => {
    const sandbox = openSandbox();
    const reply = await sandbox.order({ body: { account_id: sandbox.account("northwind", "closed").id } });
    expect([reply.status, reply.point]).toEqual([422, "order.account_closed"]);
  });

  test.each("BY BI CF CU IR LY MM KP RU SO SS SD SY VE ZW".split(" "))(
    "refuses delivery to %s",
    async (country) => {
      const delivery_address = {
        line1: "1 High Street",
        city: "Capital",
        state: "State",
        country_code: country,
        ...(country === "RU" && { post_code: "101000" }),
      };
      const body = { delivery_address, delivery_method: "international" };
      const reply = await openSandbox().order({ body });
      expect([reply.status, reply.point]).toEqual([422, "order.country_undeliverable"]);
      expect(reply.json.error).toContain(country);
    },
  );

  test("does not count terminated and expired cards against the quota", async () => {
    const world = {
      companies: [
        {
          slug: "a",
          name: "A",
          country_code: "GB",
          card_quota: 1,
          accounts: [{ slug: "gbp", name: "Main", currency: "GBP" }],
          members: [{ slug: "o", name: "O", role: "owner", api_keys: [{ secret: "sk_sandbox_a_owner" }] }],
          cards: ["terminated", "expired"].map((status) => ({ member: "o", account: "gbp", status })),
        },
      ],
    };
    const sandbox = openSandbox({ world });
    const order = { apiKey: "sk_sandbox_a_owner", body: { ...bodyFor(sandbox.account("a").id) } };
    // The test's own world has no northwind to take an account from.
    const token = await sandbox.exchange(order.apiKey);
    const send = () => sandbox.order({ token, raw: order.body });
    expect((await send()).status).toBe(201);
    expect((await send()).point).toBe("order.quota_reached");
  });
});

function bodyFor(account_id: string) {
  return { ...physicalOrder(account_id), delivery_method: "classic" };
}

describe("an account of another company returns the same 404 as an unknown one", () => {
  test("unknown, of another company, of the other environment", async () => {
    const sandbox = openSandbox();
    const ids = [
      "9b2ac1de-4b8c-4f2e-8f53-0c7e5e0f6a11",
      sandbox.account("fullhouse").id,
      sandbox.account("northwind", "gbp", "live").id,
    ];
    const messages = new Set<string>();
    for (const account_id of ids) {
      const reply = await sandbox.order({ body: { account_id } });
      expect([reply.status, reply.point]).toEqual([404, "order.account_not_found"]);
      messages.add(reply.json.error.replace(account_id, "ID"));
    }
    expect(messages.size).toBe(1);
  });
});
