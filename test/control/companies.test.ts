import { describe, expect, test } from "vitest";
import { worldTables } from "../../src/store/schema.ts";
import { openCompanies } from "../support/open-companies.ts";
import { cardOf } from "../support/open-sandbox.ts";

describe("POST /_sandbox/companies creates an isolated company", () => {
  test("{} creates a company with an owner who can order, and returns the keys' secrets once", async () => {
    const sandbox = openCompanies();
    const company = await sandbox.make();
    expect(company).toMatchObject({
      environment: "sandbox",
      status: "active",
      card_quota: 20,
      live_cards: 0,
    });
    expect(company.members.map(({ role }) => role)).toEqual(["owner", "admin", "employee"]);
    expect(company.accounts[0]).toMatchObject({ currency: "GBP", status: "active" });
    expect(company.members[0]?.api_keys[0]?.secret).toMatch(/^sk_sandbox_[0-9A-Za-z]{38}$/);
    expect(cardOf(await sandbox.orderAs(company)).company_id).toBe(company.id);
    expect((await sandbox.orderAs(company, 2)).point).toBe("order.forbidden");

    const listed = sandbox.company(company.slug);
    expect(listed.members.flatMap(({ api_keys }) => api_keys.map((key) => key.secret))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("keeps the given fields and fills in the others", async () => {
    const sandbox = openCompanies();
    const company = await sandbox.make({
      slug: "acme",
      name: "Acme Ltd",
      country_code: "IE",
      card_quota: 1,
      members: [{ name: "Ann" }, { role: "accountant" }, { status: "inactive" }, {}],
      accounts: [
        { currency: "EUR", balance: "12.50" },
        { currency: "EUR" },
        { slug: "old", status: "closed" },
      ],
    });
    expect(company).toMatchObject({ slug: "acme", name: "Acme Ltd", country_code: "IE", card_quota: 1 });
    expect(company.members.map(({ slug, role, status }) => `${slug} ${role} ${status}`)).toEqual([
      "acme-owner owner active",
      "acme-accountant accountant active",
      "acme-employee employee inactive",
      "acme-employee-2 employee active",
    ]);
    expect(company.members[0]?.name).toBe("Ann");
    expect(company.members[2]?.api_keys).toEqual([]);
    expect(company.accounts.map(({ slug, currency, status }) => `${slug} ${currency} ${status}`)).toEqual([
      "eur EUR active",
      "eur-2 EUR active",
      "old GBP closed",
    ]);
    expect(company.accounts[0]?.balance).toBe("12.50");
    expect((await sandbox.orderAs(company)).status).toBe(201);
    expect((await sandbox.orderAs(company)).point).toBe("order.quota_reached");
  });

  test("a generated slug skips slugs that are taken", async () => {
    const sandbox = openCompanies();
    await sandbox.make({ slug: "company-2" });
    expect((await sandbox.make()).slug).toBe("company-3");
    const { members } = await sandbox.make({
      slug: "zz",
      members: [{}, { slug: "zz-employee" }, { role: "employee" }],
    });
    expect(members.map(({ slug }) => slug)).toEqual(["zz-owner", "zz-employee", "zz-employee-2"]);
  });

  test("creates at most five keys, however many members there are", async () => {
    const { members } = await openCompanies().make({ members: Array.from({ length: 7 }, () => ({})) });
    expect(members.map(({ api_keys }) => api_keys.length)).toEqual([1, 1, 1, 1, 1, 0, 0]);
  });

  describe("with given API keys", () => {
    const keys = (count: number, name = "a") =>
      Array.from({ length: count }, (_, n) => ({ secret: `sk_sandbox_${name}_key_${n}` }));

    test("is refused with more than five active keys", async () => {
      const sandbox = openCompanies();
      const before = sandbox.world();
      const members = [{ api_keys: keys(3) }, { slug: "second", api_keys: keys(3, "b") }];
      const reply = await sandbox.send("POST", "companies", { slug: "acme", members });
      expect([reply.status, reply.json.error]).toEqual([
        400,
        "members.1.api_keys.2: is the active API key number 6 of the company acme, but at most 5 are allowed. Remove it, set its status to revoked, or count API keys per member with --key-quota member.",
      ]);
      expect(sandbox.world()).toEqual(before);
    });

    test("creates only as many keys as there are free slots", async () => {
      const { members } = await openCompanies().make({ members: [{ api_keys: keys(4) }, {}, {}] });
      expect(members.map(({ api_keys }) => api_keys.length)).toEqual([5, 0, 0]);
    });

    test("does not count revoked keys", async () => {
      const revoked = keys(9).map((key) => ({ ...key, status: "revoked" }));
      const { members } = await openCompanies().make({ members: [{ api_keys: revoked }] });
      expect(members[0]?.api_keys.filter(({ status }) => status === "active")).toHaveLength(1);
    });

    test("allows five for each member when keys are counted per member", async () => {
      const sandbox = openCompanies({ choices: { "api_keys.quota": "member" } });
      const members = [{ api_keys: keys(5) }, { slug: "second", api_keys: keys(5, "b") }, {}];
      const made = await sandbox.make({ members });
      expect(made.members.map(({ api_keys }) => api_keys.length)).toEqual([5, 5, 1]);
      const reply = await sandbox.send("POST", "companies", {
        members: [{ slug: "sixth", api_keys: keys(6, "c") }],
      });
      expect([reply.status, reply.json.error]).toEqual([
        400,
        expect.stringContaining("members.0.api_keys.5: is the active API key number 6 of the member sixth"),
      ]);
    });
  });

  test("the same seed creates the same companies, byte for byte", async () => {
    const made = async (seed: number) => {
      const sandbox = openCompanies({ seed });
      return JSON.stringify([await sandbox.make(), await sandbox.make({ card_quota: 3 })]);
    };
    expect(await made(1)).toBe(await made(1));
    expect(await made(1)).not.toBe(await made(2));
  });

  test("one company cannot use another's account or quota", async () => {
    const sandbox = openCompanies();
    const [one, two] = [await sandbox.make({ card_quota: 1 }), await sandbox.make()];
    await sandbox.orderAs(one);
    const key = two.members[0]?.api_keys[0]?.secret ?? "";
    const crossed = await sandbox.order({ apiKey: key, body: { account_id: one.accounts[0]?.id } });
    expect(crossed.point).toBe("order.account_not_found");
    expect((await sandbox.orderAs(two)).status).toBe(201);
  });

  test("a live company is separate from the sandbox environment", async () => {
    const sandbox = openCompanies();
    const company = await sandbox.make({ environment: "live", slug: "acme" });
    expect(company.members[0]?.api_keys[0]?.secret).toMatch(/^sk_live_/);
    expect((await sandbox.make({ slug: "acme" })).environment).toBe("sandbox");
  });

  test.each([12, 200])("accepts a given secret of %i characters, which can be exchanged", async (length) => {
    const sandbox = openCompanies();
    const secret = "sk_sandbox_".padEnd(length, "x");
    await sandbox.make({ members: [{ api_keys: [{ secret }] }] });
    expect((await sandbox.post("/auth/v1/sandbox/token", { api_key: secret })).point).toBe("token.issued");
  });

  test.each([11, 201])("refuses a given secret of %i characters", async (length) => {
    const secret = "sk_sandbox_".padEnd(length, "x");
    const reply = await openCompanies().send("POST", "companies", { members: [{ api_keys: [{ secret }] }] });
    const why = "members.0.api_keys.0.secret: must have 12 to 200 letters, digits or underscores";
    expect([reply.status, reply.json]).toEqual([400, { error: why }]);
  });

  test.each([
    [{ slug: "northwind" }, 409, 'slug: "northwind" is already used'],
    [{ slug: "A b" }, 400, "slug"],
    [{ card_qouta: 3 }, 400, "card_qouta"],
    [{ card_quota: -1 }, 400, "card_quota"],
    [{ country_code: "UK" }, 400, "country_code"],
    [{ status: "asleep" }, 400, "status"],
    [{ members: [] }, 400, "members"],
    [{ members: [{ role: "employee" }] }, 400, "the first member must be an owner"],
    [{ members: [{ roel: "owner" }] }, 400, "roel"],
    [{ members: [{ other_companies: [] }] }, 400, "members.0.other_companies: is not allowed"],
    [
      { members: [{ slug: "a" }, { slug: "a" }] },
      400,
      'members.1.slug: "a" is already used by another sandbox member',
    ],
    [{ members: [{ slug: "northwind-owner" }] }, 409, "northwind-owner"],
    [
      { members: [{ api_keys: [{ secret: "sk_sandbox_northwind_owner" }] }] },
      409,
      "is already used by another API key",
    ],
    [{ members: [{ api_keys: [{ secret: "sk_live_mine_alone" }] }] }, 400, "must start with sk_sandbox_"],
    [{ cards: [{ member: "ghost", account: "gbp" }] }, 400, "cards.0.member"],
    [{ accounts: [{ status: "closed" }] }, 400, "the first account must be active"],
    [{ accounts: [{ balance: 1.5 }] }, 400, "balance"],
    [{ name: "x".repeat(201) }, 400, "name: must have at most 200 characters"],
    [{ slug: "x".repeat(101) }, 400, "slug: must have at most 100 characters"],
    [{ members: [{ name: "x".repeat(201) }] }, 400, "members.0.name: must have at most 200 characters"],
    [{ entitlements: Array(20).fill("cards") }, 400, "entitlements: must not contain the same area twice"],
    [{ members: Array(1001).fill({}) }, 400, "members: must have at most 1000 items"],
    [{ accounts: Array(1001).fill({}) }, 400, "accounts: must have at most 1000 items"],
    [{ cards: Array(1001).fill({ member: "m", account: "a" }) }, 400, "cards: must have at most 1000 items"],
    [[], 400, ""],
  ])("refuses $0 with $1: $2", async (body, status, message) => {
    const sandbox = openCompanies();
    const before = sandbox.world();
    const reply = await sandbox.send("POST", "companies", body);
    expect(reply.status).toBe(status);
    expect(reply.json).toEqual({ error: expect.stringContaining(message) });
    expect(sandbox.world()).toEqual(before);
  });

  test("resetting it restores its beginning; resetting everything deletes it", async () => {
    const sandbox = openCompanies();
    const company = await sandbox.make();
    await sandbox.orderAs(company);
    await sandbox.send("PATCH", `companies/${company.slug}`, { status: "suspended" });
    sandbox.reset(company.slug);
    expect(sandbox.company(company.slug)).toMatchObject({ status: "active", live_cards: 0 });
    expect((await sandbox.orderAs(company)).status).toBe(201);
    sandbox.reset();
    expect(sandbox.world().companies.map(({ slug }) => slug)).not.toContain(company.slug);
    expect((await sandbox.make()).id).toBe(company.id);
  });
});

describe("PATCH", () => {
  test("changes of a company's status, quota and details affect its next order", async () => {
    const sandbox = openCompanies();
    const change = (body: object) => sandbox.send("PATCH", "companies/northwind", body);
    expect((await change({ status: "closed" })).json).toMatchObject({ slug: "northwind", status: "closed" });
    expect((await sandbox.order()).point).toBe("order.company_inactive");
    await change({ status: "active", details_complete: false });
    expect((await sandbox.order()).point).toBe("order.company_details_missing");
    await change({ details_complete: true, card_quota: 0 });
    expect((await sandbox.order()).point).toBe("order.quota_reached");
    await change({ card_quota: 1 });
    expect((await sandbox.order()).status).toBe(201);
  });

  test("changes an account's status, by id or by slug and company", async () => {
    const sandbox = openCompanies();
    const { id } = sandbox.account("northwind");
    const closed = await sandbox.send("PATCH", `accounts/${id}`, { status: "closed" });
    expect(closed.json).toMatchObject({ id, slug: "gbp", status: "closed" });
    expect((await sandbox.order()).point).toBe("order.account_closed");
    await sandbox.send("PATCH", "accounts/gbp", { status: "active", company: "northwind" });
    expect((await sandbox.order()).status).toBe(201);
  });

  test("changes a member's role in one company and the details in all", async () => {
    const sandbox = openCompanies();
    const changed = await sandbox.send("PATCH", "members/northwind-admin", {
      role: "employee",
      company: "fullhouse",
    });
    expect(changed.json).toMatchObject({ slug: "northwind-admin", role: "employee" });
    expect((await sandbox.order({ apiKey: "sk_sandbox_northwind_admin" })).status).toBe(201);
    await sandbox.send("PATCH", "members/northwind-owner", { details_complete: false });
    expect((await sandbox.order()).point).toBe("order.cardholder_details_missing");
    await sandbox.send("PATCH", "members/northwind-owner", { role: "accountant" });
    expect((await sandbox.order()).point).toBe("order.forbidden");
  });

  test("a member that is deactivated obtains no token until it is reactivated", async () => {
    const sandbox = openCompanies();
    const apiKey = "sk_sandbox_northwind_admin";
    const token = await sandbox.exchange(apiKey);
    const change = (body: object) => sandbox.send("PATCH", "members/northwind-admin", body);
    const exchange = () => sandbox.post("/auth/v1/sandbox/token", { api_key: apiKey });
    expect((await change({ status: "inactive" })).json).toMatchObject({ status: "inactive", role: "admin" });
    expect((await exchange()).point).toBe("token.member_inactive");
    expect((await sandbox.order({ token })).status).toBe(201);
    const key = { member: "northwind-admin", environment: "sandbox" };
    expect((await sandbox.send("POST", "api-keys", key)).json.error).toContain("member_inactive");
    expect((await change({ status: "active" })).json).toMatchObject({ status: "active" });
    expect((await exchange()).status).toBe(200);
  });

  test("a member's status belongs to one company: the member stays active in the others", async () => {
    const sandbox = openCompanies();
    const body = { status: "inactive", company: "fullhouse" };
    await sandbox.send("PATCH", "members/northwind-admin", body);
    const headers = { "X-On-Behalf-Of": sandbox.company("fullhouse").id };
    const apiKey = "sk_sandbox_northwind_admin";
    expect((await sandbox.order({ apiKey, headers })).point).toBe("order.on_behalf_of_not_a_member");
    expect((await sandbox.order({ apiKey })).status).toBe(201);
  });

  test("changes of a company's entitlements affect its next request, also with a used token", async () => {
    const sandbox = openCompanies();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const change = (entitlements: string[]) => sandbox.send("PATCH", "companies/northwind", { entitlements });
    expect((await sandbox.order({ token })).status).toBe(201);
    expect((await change(["accounts"])).json).toMatchObject({ entitlements: ["accounts"] });
    expect((await sandbox.order({ token })).point).toBe("order.not_entitled");
    expect((await sandbox.get("/developer/accounts", { token })).status).toBe(200);
    expect((await change([])).json).toMatchObject({ entitlements: [] });
    expect((await sandbox.get("/developer/accounts", { token })).point).toBe("access.not_entitled");
    await change(["accounts", "cards"]);
    expect((await sandbox.order({ token })).status).toBe(201);
  });

  test("an account has the same status in the control API and in the service", async () => {
    const sandbox = openCompanies();
    const { id } = sandbox.account("northwind");
    for (const status of ["closed", "active"]) {
      expect((await sandbox.send("PATCH", `accounts/${id}`, { status })).json.status).toBe(status);
      expect((await sandbox.get(`/developer/accounts/${id}`)).json.status).toBe(status);
    }
  });

  test("changes live members, by id or within a company named by its id", async () => {
    const sandbox = openCompanies();
    const company = await sandbox.make({ environment: "live", slug: "lv" });
    const [owner] = company.members;
    for (const [name, within] of [
      [owner?.id, undefined],
      [owner?.id, company.id],
      [owner?.slug, company.id],
      [owner?.slug, "live/lv"],
    ]) {
      const body = { role: "admin", ...(within && { company: within }) };
      expect((await sandbox.send("PATCH", `members/${name}`, body)).json.role).toBe("admin");
    }
  });

  test("finds an account only in the named company", async () => {
    const sandbox = openCompanies();
    const { id } = sandbox.account("fullhouse");
    const reply = await sandbox.send("PATCH", `accounts/${id}`, { status: "closed", company: "northwind" });
    expect(reply.status).toBe(404);
    const taken = await sandbox.send("POST", "companies", { accounts: [{ slug: id }] });
    expect([taken.status, taken.json.error]).toEqual([400, expect.stringContaining("must not be a UUID")]);
  });

  test.each([
    ["companies/nobody", {}, 404],
    ["companies/northwind", { status: "asleep" }, 400],
    ["companies/northwind", { quota: 3 }, 400],
    ["companies/northwind", { entitlements: ["lottery"] }, 400],
    ["companies/northwind", { entitlements: ["cards", "cards"] }, 400],
    ["accounts/gbp", { status: "open", company: "northwind" }, 400],
    ["members/northwind-owner", { status: "gone" }, 400],
    ["accounts/gbp", { status: "closed" }, 404],
    ["accounts/9b2ac1de-4b8c-4f2e-8f53-0c7e5e0f6a11", { status: "closed" }, 404],
    ["accounts/gbp", { status: "frozen", company: "northwind" }, 400],
    ["members/nobody", { role: "owner" }, 404],
    ["members/northwind-owner", { role: "king" }, 400],
    ["members/northwind-owner", { role: "owner", company: "fullhouse" }, 404],
  ])("%s %j: %i", async (path, body, status) => {
    const reply = await openCompanies().send("PATCH", path, body);
    expect([reply.status, Object.keys(reply.json)]).toEqual([status, ["error"]]);
  });
});

describe("DELETE /_sandbox/companies/ID", () => {
  test("deletes all rows of the company and changes no other", async () => {
    const sandbox = openCompanies();
    const rows = () =>
      JSON.stringify(worldTables.map((table) => sandbox.database.all(`SELECT * FROM ${table}`)));
    const counters = () => sandbox.database.run("DELETE FROM counters WHERE company_pk = 0");
    const company = await sandbox.make();
    await sandbox.orderAs(company);
    const reply = await sandbox.request(`/_sandbox/companies/${company.id}`, { method: "DELETE" });
    expect(reply.status).toBe(204);
    counters();
    const after = rows();
    sandbox.reset();
    counters();
    expect(after).toBe(rows());
    expect(sandbox.database.all("PRAGMA foreign_key_check")).toEqual([]);
  });

  test("ends its tokens and its members' memberships in other companies", async () => {
    const sandbox = openCompanies();
    const token = await sandbox.exchange("sk_sandbox_northwind_admin");
    await sandbox.request("/_sandbox/companies/northwind", { method: "DELETE" });
    const headers = { Authorization: `Bearer ${token}` };
    expect((await sandbox.request("/developer/nothing", { headers })).point).toBe("auth.token_invalid");
    expect(sandbox.company("fullhouse").members.map(({ slug }) => slug)).toEqual(["fullhouse-owner"]);
    expect(sandbox.company("northwind", "live").slug).toBe("northwind");
    await sandbox.request("/_sandbox/companies/live/northwind", { method: "DELETE" });
    expect(sandbox.world().companies.map(({ slug }) => slug)).toEqual(["fullhouse", "frostbite", "halfway"]);
  });

  test("is refused if one of its members has a card in another company", async () => {
    const sandbox = openCompanies();
    sandbox.database.run("UPDATE companies SET card_quota = 20");
    const order = {
      apiKey: "sk_sandbox_northwind_admin",
      headers: { "X-On-Behalf-Of": sandbox.company("fullhouse").id },
      body: { account_id: sandbox.account("fullhouse").id },
    };
    expect((await sandbox.order(order)).status).toBe(201);
    const reply = await sandbox.request("/_sandbox/companies/northwind", { method: "DELETE" });
    expect([reply.status, Object.keys(reply.json)]).toEqual([409, ["error"]]);
  });

  test("returns 404 for an unknown company", async () => {
    expect((await openCompanies().request("/_sandbox/companies/nobody", { method: "DELETE" })).status).toBe(
      404,
    );
  });
});
