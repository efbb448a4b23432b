import { describe, expect, test } from "vitest";
import { openCards, replacement } from "../support/open-cards.ts";
import { openSandbox } from "../support/open-sandbox.ts";

const unknown = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("freezing", () => {
  test("returns the frozen card and stores its status", async () => {
    const { card, set, show } = openCards();
    const ordered = await card();
    const frozen = await set("freeze", ordered.id);
    expect([frozen.status, frozen.point, frozen.json]).toEqual([
      200,
      "cards.frozen",
      { ...ordered, status: "frozen" },
    ]);
    expect(await show(ordered.id)).toEqual(frozen.json);
    const unfrozen = await set("unfreeze", ordered.id.toUpperCase());
    expect([unfrozen.status, unfrozen.point, unfrozen.json]).toEqual([200, "cards.unfrozen", ordered]);
  });

  test("returns 409 the second time, and changes nothing", async () => {
    const { card, set } = openCards();
    const { id } = await card();
    await set("freeze", id);
    expect((await set("freeze", id)).point).toBe("cards.state_conflict");
  });
});

describe("a spending limit", () => {
  const put = (sandbox: ReturnType<typeof openCards>, id: string, body: unknown) =>
    sandbox.call("PUT", `/developer/cards/${id}/spending-limit`, { body });

  test("can be set, changed and removed", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    const set = await put(sandbox, id, { period: "monthly", amount: 250 });
    expect([set.status, set.point, set.json.spending_limit]).toEqual([
      200,
      "cards.spending_limit_set",
      { period: "monthly", amount: "250.00", currency: "GBP", used: "0.00" },
    ]);
    const anew = await put(sandbox, id, { period: "lifetime", amount: "9999999999999.9" });
    expect(anew.json.spending_limit.amount).toBe("9999999999999.90");
    expect(await sandbox.show(id)).toEqual(anew.json);
    const removed = await sandbox.call("DELETE", `/developer/cards/${id}/spending-limit`);
    expect([removed.status, removed.json.spending_limit]).toEqual([200, null]);
    expect((await sandbox.call("DELETE", `/developer/cards/${id}/spending-limit`)).status).toBe(200);
  });

  test.each([
    ["not JSON", "{", "cards.body_invalid", "body: must be valid JSON"],
    ["no object", [], "cards.body_invalid", "must be an object"],
    ["no period", { amount: "5" }, "cards.body_invalid", "period: is required"],
    ["an unknown period", { period: "yearly", amount: "5" }, "cards.body_invalid", "period: must be one of"],
    ["no amount", { period: "daily" }, "cards.body_invalid", "amount: is required"],
    [
      "nothing",
      { period: "daily", amount: "0.00" },
      "cards.body_invalid",
      "amount: must be a decimal above 0",
    ],
    [
      "three places",
      { period: "daily", amount: "1.001" },
      "cards.body_invalid",
      "at most two decimal places",
    ],
    ["three places", '{"period":"daily","amount":1.001}', "cards.body_invalid", "at most two decimal places"],
    [
      "a number that a double does not keep",
      '{"period":"daily","amount":1.0000000000000001}',
      "cards.body_invalid",
      "amount: must be a decimal above 0",
    ],
    [
      "too much a day",
      { period: "daily", amount: "10000.01" },
      "cards.spending_limit_over_cap",
      "amount: must be at most 10000.00 for a daily limit (card_limits.daily.amount, without currency conversion)",
    ],
    [
      "too much a week",
      { period: "weekly", amount: "50000.01" },
      "cards.spending_limit_over_cap",
      "amount: must be at most 50000.00 for a weekly limit (card_limits.rolling_32_days.amount, without currency conversion)",
    ],
    ["over 64 KiB", `"${"x".repeat(70_000)}"`, "cards.body_invalid", "body: must be at most 64 KiB"],
  ])("returns 400: %s", async (_, body, point, message) => {
    const sandbox = openCards();
    const { id } = await sandbox.card({ spending_limit: { period: "daily", amount: "5" } });
    const reply = await put(sandbox, id, body);
    expect([reply.status, reply.point]).toEqual([400, point]);
    expect(reply.json).toEqual({ error: expect.stringContaining(message) });
    expect((await sandbox.show(id)).spending_limit?.amount).toBe("5.00");
  });

  test("has no used amount after the card has ended (spec §2)", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card({ spending_limit: { period: "daily", amount: "5" } });
    const { json } = await sandbox.set("terminate", id);
    expect(json.spending_limit).toEqual({ period: "daily", amount: "5.00", currency: "GBP" });
  });
});

describe("PATCH", () => {
  const patch = (sandbox: ReturnType<typeof openCards>, id: string, body: unknown) =>
    sandbox.call("PATCH", `/developer/cards/${id}`, { body });

  test("changes only the name, auto_convert, or both", async () => {
    const sandbox = openCards();
    const ordered = await sandbox.card();
    const named = await patch(sandbox, ordered.id, { name: "Travel", status: "terminated" });
    expect([named.status, named.point, named.json]).toEqual([
      200,
      "cards.changed",
      { ...ordered, name: "Travel" },
    ]);
    const both = await patch(sandbox, ordered.id, { name: "Tools", auto_convert: true });
    expect(both.json).toEqual({ ...ordered, name: "Tools", auto_convert: true });
    expect(await sandbox.show(ordered.id)).toEqual(both.json);
  });

  test("sets the default name if the name is empty", async () => {
    const sandbox = openCards();
    const ordered = await sandbox.card({ name: "Travel" });
    expect((await patch(sandbox, ordered.id, { name: " " })).json.name).toBe(`Physical ${ordered.last_four}`);
  });

  test.each([
    [{}, "body: must have name, auto_convert or both"],
    [{ colour: "red" }, "body: must have name, auto_convert or both"],
    [{ name: null }, "name: must be a string"],
    [{ auto_convert: "yes" }, "auto_convert: must be true or false"],
    [[], "body: must be a JSON object"],
  ])("returns 400: %j", async (body, message) => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    const reply = await patch(sandbox, id, body);
    expect([reply.status, reply.point]).toEqual([400, "cards.body_invalid"]);
    expect(reply.json.error).toContain(message);
  });
});

describe("terminating", () => {
  test("ends the card and frees its place in the quota", async () => {
    const sandbox = openCards();
    sandbox.control.companies.change("northwind", { card_quota: 1 });
    const { id } = await sandbox.card();
    expect((await sandbox.order()).point).toBe("order.quota_reached");
    const ended = await sandbox.set("terminate", id);
    expect([ended.status, ended.point, ended.json.status]).toEqual([200, "cards.terminated", "terminated"]);
    expect(sandbox.company("northwind").live_cards).toBe(0);
    expect((await sandbox.order()).point).toBe("order.created");
    expect((await sandbox.set("operator_terminate", id)).status).toBe(409);
    expect(sandbox.company("northwind").live_cards).toBe(1);
  });
});

describe("a card that the caller cannot see returns 404", () => {
  const operations = [
    ["POST", "freeze", undefined],
    ["POST", "unfreeze", undefined],
    ["POST", "terminate", undefined],
    ["POST", "replace", replacement],
    ["PUT", "spending-limit", { period: "daily", amount: "5" }],
    ["DELETE", "spending-limit", undefined],
    ["PATCH", "", { name: "Travel" }],
  ] as const;

  test.each(operations)(
    "%s %s returns 404 for an unknown card, an invalid id and another company's card",
    async (method, what, body) => {
      const sandbox = openCards();
      const { id } = await sandbox.card();
      for (const [named, apiKey] of [
        [unknown, undefined],
        ["gbp", undefined],
        [id, "sk_sandbox_halfway_owner"],
      ] as const) {
        const reply = await sandbox.call(method, `/developer/cards/${named}${what && `/${what}`}`, {
          key: unknown,
          ...(body && { body }),
          ...(apiKey && { apiKey }),
        });
        expect([reply.status, reply.point]).toEqual([404, "cards.not_found"]);
        expect(reply.json).toEqual({ error: `Card ${named} was not found in this company` });
      }
      expect((await sandbox.show(id)).status).toBe("active");
    },
  );
});

describe("permissions", () => {
  const may = {
    freeze: "owner admin employee",
    unfreeze: "owner admin",
    change: "owner admin",
    terminate: "owner admin",
    replace: "owner admin",
  } as const;
  const roles = ["owner", "admin", "accountant", "employee"] as const;

  test.each(Object.keys(may) as (keyof typeof may)[])("%s", async (trigger) => {
    const sandbox = openCards();
    for (const role of roles) {
      // The employee's own card, so that the role alone decides.
      const company = await sandbox.control.companies.create({
        members: [{ role: "owner" }, { slug: `${trigger}-${role}`, role }],
        accounts: [{ slug: "gbp" }],
        cards: [
          {
            member: `${trigger}-${role}`,
            account: "gbp",
            status: trigger === "unfreeze" ? "frozen" : "active",
          },
        ],
      });
      const [owner, member] = company.members.map(({ api_keys: [key] }) => key?.secret ?? "");
      const [card] = (await sandbox.get("/developer/cards", { apiKey: owner ?? "" })).json.data;
      const reply = await sandbox.set(trigger, card.id, { apiKey: member ?? "" });
      if (may[trigger].split(" ").includes(role)) expect(reply.status, role).toBeLessThan(300);
      else
        expect([reply.status, reply.point, reply.json.error.code]).toEqual([
          403,
          "access.forbidden",
          "forbidden",
        ]);
    }
  });

  test("allow an employee to freeze only its own card", async () => {
    const sandbox = openCards();
    const { employee, employees, owners } = await sandbox.companyWith(["active"]);
    expect((await sandbox.set("freeze", employees[0]?.id ?? "", { apiKey: employee })).point).toBe(
      "cards.frozen",
    );
    expect((await sandbox.set("freeze", owners[0]?.id ?? "", { apiKey: employee })).point).toBe(
      "cards.not_found",
    );
  });

  test.each([
    ["POST", "/developer/cards/virtual"],
    ["POST", "/developer/cards/delivery-options"],
  ])("%s %s requires issue_cards", async (method, path) => {
    const { call } = openSandbox();
    const reply = await call(method, path, { apiKey: "sk_sandbox_northwind_employee" });
    expect(reply.point).toBe("access.forbidden");
  });
});

test("a suspended company can freeze and terminate its cards", async () => {
  const sandbox = openCards();
  const { id } = await sandbox.card();
  sandbox.control.companies.change("northwind", { status: "suspended" });
  expect((await sandbox.set("freeze", id)).json.status).toBe("frozen");
  expect((await sandbox.set("terminate", id)).json.status).toBe("terminated");
});

test("returns 405 for methods that a card path does not serve", async () => {
  const { call } = openSandbox();
  const reply = await call("GET", `/developer/cards/${unknown}/freeze`);
  expect([reply.status, reply.headers.get("Allow")]).toEqual([405, "POST"]);
  const limit = await call("POST", `/developer/cards/${unknown}/spending-limit`);
  expect([limit.status, limit.headers.get("Allow")]).toEqual([405, "PUT, DELETE"]);
});

test("returns 501 for each change with --assumed off", async () => {
  const sandbox = openCards({ assumed: false });
  const { id } = await sandbox.card();
  for (const trigger of ["freeze", "unfreeze", "change", "terminate", "replace"] as const) {
    expect((await sandbox.set(trigger, id)).status, trigger).toBe(501);
  }
  expect((await sandbox.virtual()).status).toBe(501);
});

test("trims a name, and accepts at most 100 characters", async () => {
  const sandbox = openSandbox();
  const { id } = (await sandbox.order()).json;
  const renamed = (name: string) => sandbox.call("PATCH", `/developer/cards/${id}`, { body: { name } });
  expect((await renamed(`  ${"n".repeat(100)} `)).json.name).toBe("n".repeat(100));
  const refused = await renamed("n".repeat(101));
  expect([refused.status, refused.json.error]).toEqual([
    400,
    "name: must have at most 100 characters, but has 101",
  ]);
});
