import { describe, expect, test } from "vitest";
import { found } from "../support/found.ts";
import { openSandbox, type TestOptions } from "../support/open-sandbox.ts";

const orderFacing = (options: TestOptions) => openSandbox(options).order();

describe("quota.order", () => {
  const facts = { quotaReached: true, companyStatus: "suspended" } as const;

  test("the default checks the quota after the other reasons for 422", async () => {
    const { status, point } = await orderFacing({ facts });
    expect([status, point]).toEqual([422, "order.company_inactive"]);
  });

  test("first: before them", async () => {
    const { status, point } = await orderFacing({ facts, choices: { "quota.order": "first" } });
    expect([status, point]).toEqual([422, "order.quota_reached"]);
  });
});

describe("access.not_entitled", () => {
  test.each(["forbidden", "not_entitled"] as const)("the code is %s", async (use) => {
    const options = { facts: { entitled: false }, choices: { "access.not_entitled": use } };
    const replies = [await orderFacing(options), await openSandbox(options).get("/developer/accounts")];
    for (const { status, json } of replies) {
      expect([status, json.success, json.error.code]).toEqual([403, false, use]);
    }
  });
});

describe("json.unknown_fields: 400", () => {
  const choices = { "json.unknown_fields": "400" } as const;

  test("names the field at its place, and the field that was meant", async () => {
    const { order, account } = openSandbox({ choices });
    const top = await order({ body: { spendinglimit: { period: "daily", amount: "5" } } });
    expect([top.status, top.point]).toEqual([400, "order.unknown_field"]);
    expect(top.json.error).toContain('spendinglimit: is an unknown field. Did you mean "spending_limit"?');
    const address = { line1: "1 Long Lane", city: "London", postcode: "SE1 4PG", country_code: "GB" };
    const nested = await order({ body: { account_id: account("northwind").id, delivery_address: address } });
    expect(nested.json.error).toMatch(/^delivery_address\.postcode: is an unknown field\./);
  });

  test("applies to webhooks too, but not to the token endpoint", async () => {
    const { call, post } = openSandbox({ choices });
    const body = { url: "http://localhost/hooks", events: ["card.created"], retries: 3 };
    const { status, point, json } = await call("POST", "/developer/webhooks", { body });
    expect([status, point]).toEqual([400, "webhooks.body_invalid"]);
    expect(json.error.message).toContain("retries: is an unknown field");
    const token = await post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner", note: "" });
    expect(token.status).toBe(200);
  });

  test("leaves nothing to report about a misspelled field, which the refusal names", async () => {
    const refusing = openSandbox({ choices });
    await refusing.order({ body: { autoconvert: true } });
    const ignoring = openSandbox();
    await ignoring.order({ body: { autoconvert: true } });
    expect([found(refusing), found(ignoring)]).toEqual([[], ["VAL-3 warn"]]);
  });
});

test("json.null_fields: absent drops null at any depth, but no required field", async () => {
  const { order } = openSandbox({ choices: { "json.null_fields": "absent" } });
  const address = {
    line1: "1 Long Lane",
    line2: null,
    city: "London",
    post_code: "SE1 4PG",
    country_code: "GB",
  };
  const made = await order({ body: { name: null, spending_limit: null, delivery_address: address } });
  expect(made.status).toBe(201);
  const refused = await order({ body: { pin: null } });
  expect([refused.status, refused.json.error]).toEqual([400, "pin: is required"]);
});

test("card.name_length also bounds the new name of a card", async () => {
  const { order, call } = openSandbox({ choices: { "card.name_length": "24" } });
  const { id } = (await order()).json;
  const rename = (length: number) =>
    call("PATCH", `/developer/cards/${id}`, { body: { name: "💳".repeat(length) } });
  expect([(await rename(24)).status, (await rename(25)).status]).toEqual([200, 400]);
});

test("error.messages: constant keeps the messages of the sandbox's own errors", async () => {
  const { order } = openSandbox({ choices: { "error.messages": "constant" } });
  const refused = await order({ body: { account_id: "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30" } });
  expect(refused.json.error).toBe("The company does not have this account");
  const own = await order({ headers: { "Sandbox-Scenario": "quota-reach" } });
  expect(own.text).toContain("quota-reach");
});

test("delivery_method.not_offered: accepted lists every method for each country", async () => {
  const { call } = openSandbox({ choices: { "delivery_method.not_offered": "accepted" } });
  const delivery_address = { line1: "1 Moi Avenue", city: "Nairobi", country_code: "KE" };
  const { json } = await call("POST", "/developer/cards/delivery-options", { body: { delivery_address } });
  const methods = json.delivery_methods.map(({ method }: { method: string }) => method);
  expect(methods.toSorted()).toEqual(["classic", "express", "international"]);
});
