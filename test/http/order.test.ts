import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { card as cardSchema } from "../../src/contract/card.ts";
import { cardOf, openSandbox } from "../support/open-sandbox.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("an order makes a card (spec §2, §3, §4)", () => {
  test("201 with the sixteen fields of the Card, in the spec's order, and nothing more", async () => {
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

  test("the first one of northwind under seed 1 is this one, wherever and whenever it is ordered", async () => {
    expect(cardOf(await openSandbox({ seed: 1 }).order())).toMatchObject({
      id: "6f0f9b4e-f046-4f6b-a7ec-74df22a00883",
      token: "685351436",
      last_four: "3122",
      account_id: "1d541080-dfcd-4ea6-937b-cc4bd3db87af",
    });
  });

  test("Date says what the sandbox's clock says, and moves with it", async () => {
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
  ])("ordered at %s it expires on %s, by the UK calendar", async (now, expiry) => {
    expect(cardOf(await openSandbox({ now }).order()).expiry_date).toBe(expiry);
  });

  test("neither the PIN nor a card number is kept", async () => {
    const sandbox = openSandbox();
    await sandbox.order({ body: { pin: "5937" } });
    const columns = sandbox.database.all<{ name: string }>("SELECT name FROM pragma_table_info('cards')");
    expect(columns.map(({ name }) => name).join()).not.toMatch(/\b(pin|pan|cvv|card_number)\b/);
    expect(JSON.stringify(sandbox.database.all("SELECT * FROM cards"))).not.toContain("5937");
  });
});

describe("the same Idempotency-Key returns the original card (spec §4)", () => {
  test("201, the same bytes, marked as replayed, and no second card", async () => {
    const sandbox = openSandbox();
    const first = await sandbox.order({ key });
    const again = await sandbox.order({ key });
    expect(again.point).toBe("order.replayed");
    expect(again.status).toBe(201);
    expect(again.text).toBe(first.text);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect(sandbox.company("northwind").live_cards).toBe(1);
  });

  test("with all that it was ordered with", async () => {
    const sandbox = openSandbox();
    const body = { name: "Tools", auto_convert: true, spending_limit: { period: "weekly", amount: "7.5" } };
    const first = await sandbox.order({ key, body });
    expect(cardOf(first)).toMatchObject({ name: "Tools", auto_convert: true });
    expect((await sandbox.order({ key })).text).toBe(first.text);
  });

  test("a limit beyond any integer column comes back exactly", async () => {
    const sandbox = openSandbox();
    const body = { spending_limit: { period: "lifetime", amount: "123456789012345678901234567890.5" } };
    const first = await sandbox.order({ key, body });
    expect(cardOf(first).spending_limit?.amount).toBe("123456789012345678901234567890.50");
    expect((await sandbox.order({ key })).text).toBe(first.text);
  });

  test("in any letter case of the key", async () => {
    const sandbox = openSandbox();
    const first = await sandbox.order({ key });
    expect((await sandbox.order({ key: key.toUpperCase() })).text).toBe(first.text);
  });

  test.each([
    ["another order", { pin: "0000", name: "Other" }],
    ["an invalid order", { pin: "no" }],
    ["no order at all", undefined],
  ])("whatever the body: %s", async (_, body) => {
    const sandbox = openSandbox();
    const first = await sandbox.order({ key });
    const again = await sandbox.order({ key, ...(body ? { body } : { raw: "{" }) });
    expect([again.status, again.text]).toEqual([201, first.text]);
  });

  test("whatever became of the company and the account meanwhile", async () => {
    const sandbox = openSandbox();
    const first = await sandbox.order({ key });
    sandbox.force.facts = { account: "closed", companyStatus: "suspended", quotaReached: true };
    sandbox.database.run("UPDATE companies SET status = 'suspended', card_quota = 0");
    sandbox.database.run("UPDATE accounts SET status = 'closed'");
    expect((await sandbox.order({ key })).text).toBe(first.text);
  });

  test("as the card is now, not as it was", async () => {
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

  test("across token refresh and another key of the same member", async () => {
    const sandbox = openSandbox();
    const first = await sandbox.order({ key });
    sandbox.clockOfTest.advance(20 * 60_000);
    expect((await sandbox.order({ key })).text).toBe(first.text);
    sandbox.database.run("UPDATE api_keys SET status = 'active'");
    expect((await sandbox.order({ key, apiKey: "sk_sandbox_northwind_revoked" })).text).toBe(first.text);
  });

  test("and is another's own for another member, company or environment", async () => {
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
  ])("a %s stores nothing: the same key may order again", async (status, refused) => {
    const sandbox = openSandbox();
    expect((await sandbox.order({ key, ...refused })).status).toBe(Number(status));
    sandbox.database.run("UPDATE members SET details_complete = 1");
    sandbox.database.run("UPDATE memberships SET role = 'owner'");
    const again = await sandbox.order({ key, ...("apiKey" in refused && { apiKey: refused.apiKey }) });
    expect(again.point).toBe("order.created");
  });

  test.each(["bad_gateway", "unavailable"] as const)(
    "an issuer that is %s stores nothing: the retry with the same key makes the card",
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
  test("fifty with one key make one card", async () => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const replies = await Promise.all(Array.from({ length: 50 }, () => sandbox.order({ key, token })));
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
    expect(replies.filter((reply) => reply.point === "order.created")).toHaveLength(1);
    expect(replies.filter((reply) => reply.point === "order.replayed")).toHaveLength(49);
    expect(sandbox.company("northwind").live_cards).toBe(1);
  });

  test("at a quota of n make exactly n", async () => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const replies = await Promise.all(Array.from({ length: 50 }, () => sandbox.order({ token })));
    expect(replies.filter((reply) => reply.status === 201)).toHaveLength(20);
    expect(replies.filter((reply) => reply.point === "order.quota_reached")).toHaveLength(30);
    expect(sandbox.company("northwind").live_cards).toBe(20);
  });
});

describe("an issuer that takes its time", () => {
  /** An issuer that answers when the test says so. */
  const heldIssuer = () => {
    const release: (() => void)[] = [];
    return {
      release,
      issue: () =>
        new Promise<{ outcome: "issued" }>((resolve) => {
          release.push(() => resolve({ outcome: "issued" }));
        }),
    };
  };
  const reaching = async (count: number, list: unknown[]) => {
    while (list.length < count) await new Promise(setImmediate);
  };

  test("leaves its key in progress: 409 meanwhile, the original card after", async () => {
    const issuer = heldIssuer();
    const sandbox = openSandbox({ issuer });
    const first = sandbox.order({ key });
    await reaching(1, issuer.release);
    const meanwhile = await sandbox.order({ key });
    expect([meanwhile.status, meanwhile.point]).toEqual([409, "order.key_in_progress"]);
    expect(meanwhile.json).toEqual({ error: expect.stringContaining("in progress") });
    issuer.release[0]?.();
    expect((await first).point).toBe("order.created");
    expect((await sandbox.order({ key })).text).toBe((await first).text);
  });

  test("leaves the same key of another member alone", async () => {
    const issuer = heldIssuer();
    const sandbox = openSandbox({ issuer });
    const first = sandbox.order({ key });
    await reaching(1, issuer.release);
    const other = sandbox.order({ key, apiKey: "sk_sandbox_northwind_admin" });
    await reaching(2, issuer.release);
    for (const release of issuer.release) release();
    expect((await first).json.id).not.toBe((await other).json.id);
  });

  test("numbers the cards as they are made", async () => {
    const issuer = heldIssuer();
    const sandbox = openSandbox({ issuer });
    const orders = [sandbox.order(), sandbox.order()];
    await reaching(2, issuer.release);
    for (const release of issuer.release.toReversed()) release();
    const made = (await Promise.all(orders)).map((reply) => cardOf(reply).token);
    const prompt = openSandbox();
    const expected = [cardOf(await prompt.order()).token, cardOf(await prompt.order()).token];
    expect(made.toSorted()).toEqual(expected.toSorted());
  });

  test("may be a promise of any realm, and an answer that means nothing makes no card", async () => {
    // A promise of another realm is no instance of this one's Promise.
    const foreign = runInNewContext('Promise.resolve({ outcome: "unavailable" })');
    const sandbox = openSandbox({ issuer: { issue: () => foreign } });
    expect((await sandbox.order()).point).toBe("order.issuer_unavailable");
    sandbox.force.issuer = { issue: () => ({ outcome: "timeout" }) as never };
    expect((await sandbox.order()).point).toBe("gateway.internal_error");
    expect(sandbox.company("northwind").live_cards).toBe(0);
  });

  test("is told who orders from what, and no PIN", async () => {
    const asked: object[] = [];
    const sandbox = openSandbox({
      issuer: {
        issue(request) {
          asked.push(request);
          return { outcome: "issued" };
        },
      },
    });
    await sandbox.order();
    const { id, members, accounts } = sandbox.company("northwind");
    expect(asked).toEqual([{ companyId: id, memberId: members[0]?.id, accountId: accounts[0]?.id }]);
  });

  test("does not let orders past the quota: each is judged again when it answers", async () => {
    const issuer = heldIssuer();
    const sandbox = openSandbox({ issuer });
    sandbox.database.run("UPDATE companies SET card_quota = 1 WHERE slug = 'northwind'");
    const orders = [sandbox.order(), sandbox.order()];
    await reaching(2, issuer.release);
    for (const release of issuer.release) release();
    const points = (await Promise.all(orders)).map((reply) => reply.point);
    expect(points.toSorted()).toEqual(["order.created", "order.quota_reached"]);
  });

  test("and then fails frees the key", async () => {
    const sandbox = openSandbox({ issuer: { issue: async () => ({ outcome: "unavailable" }) } });
    expect((await sandbox.order({ key })).status).toBe(503);
    sandbox.force.issuer = { issue: () => ({ outcome: "issued" }) };
    expect((await sandbox.order({ key })).point).toBe("order.created");
  });
});

describe("what cannot be issued says why (spec §7)", () => {
  test.each([
    ["sk_sandbox_fullhouse_owner", "fullhouse", "order.quota_reached", "quota"],
    ["sk_sandbox_frostbite_owner", "frostbite", "order.company_inactive", "not active"],
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

  test("an account that is made to be missing", async () => {
    const reply = await openSandbox({ facts: { account: "missing" } }).order();
    expect([reply.status, reply.point]).toEqual([404, "order.account_not_found"]);
  });

  test("a closed account", async () => {
    const sandbox = openSandbox();
    const reply = await sandbox.order({ body: { account_id: sandbox.account("northwind", "closed").id } });
    expect([reply.status, reply.point]).toEqual([422, "order.account_closed"]);
  });

  test.each("BY BI CF CU IR LY MM KP RU SO SS SD SY VE ZW".split(" "))(
    "no card goes to %s",
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

  test("terminated and expired cards leave the quota", async () => {
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
  return {
    account_id,
    pin: "4821",
    delivery_address: { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" },
    delivery_method: "classic",
  };
}

describe("an account that is not the company's is 404, alike in wording", () => {
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
