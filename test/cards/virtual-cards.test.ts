import { describe, expect, test } from "vitest";
import { card } from "../../src/contract/card.ts";
import { openCards } from "../support/open-cards.ts";
import { cardOf } from "../support/open-sandbox.ts";
import { london } from "../support/physical-order.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("POST /developer/cards/virtual", () => {
  test("creates an active virtual card that counts against the quota", async () => {
    const sandbox = openCards();
    const reply = await sandbox.virtual();
    const made = card.parse(reply.json);
    expect([reply.status, reply.point]).toEqual([201, "cards.virtual_created"]);
    expect(made).toMatchObject({ type: "virtual", status: "active", name: `Virtual ${made.last_four}` });
    expect(sandbox.company("northwind").live_cards).toBe(1);
    expect(await sandbox.show(made.id)).toEqual(made);
    const list = await sandbox.get("/developer/cards?type=virtual");
    expect(list.json.data.map(({ id }: { id: string }) => id)).toEqual([made.id]);
  });

  test("returns all fields of the order", async () => {
    const sandbox = openCards();
    const limit = { period: "weekly", amount: 7.5 };
    const made = cardOf(await sandbox.virtual({ name: "Ads", auto_convert: true, spending_limit: limit }));
    expect(made).toMatchObject({
      name: "Ads",
      auto_convert: true,
      spending_limit: { period: "weekly", amount: "7.50", currency: "GBP", used: "0.00" },
    });
  });

  test.each([
    [{ account_id: "gbp" }, 400, "cards.body_invalid", "account_id: must be a UUID"],
    [{ account_id: undefined }, 400, "cards.body_invalid", "account_id: is required"],
    [{ name: 7 }, 400, "cards.body_invalid", "name: must be a string"],
    [{ spending_limit: null }, 400, "cards.body_invalid", "spending_limit: must be an object"],
    [
      { spending_limit: { period: "daily", amount: "1.001" } },
      400,
      "cards.body_invalid",
      "spending_limit.amount: must be a decimal above 0",
    ],
    [
      { spending_limit: { period: "daily", amount: "10000.01" } },
      400,
      "cards.spending_limit_over_cap",
      "spending_limit.amount: must be at most 10000.00 for a daily limit",
    ],
    [{ account_id: key }, 404, "cards.account_not_found", `account_id: account ${key} was not found`],
  ])("returns the expected error: %j, %i", async (body, status, point, message) => {
    const reply = await openCards().virtual(body);
    expect([reply.status, reply.point]).toEqual([status, point]);
    expect(reply.json).toEqual({ error: expect.stringContaining(message) });
  });

  test.each([
    ["sk_sandbox_fullhouse_owner", "fullhouse", "cards.quota_reached"],
    ["sk_sandbox_frostbite_owner", "frostbite", "cards.company_inactive"],
    ["sk_sandbox_halfway_owner", "halfway", "cards.company_details_missing"],
    ["sk_sandbox_northwind_incomplete", "northwind", "cards.cardholder_details_missing"],
  ])("%s, with the account of %s, returns 422: %s", async (apiKey, slug, point) => {
    const sandbox = openCards();
    const reply = await sandbox.virtual({ account_id: sandbox.account(slug).id }, { apiKey });
    expect([reply.status, reply.point]).toEqual([422, point]);
  });

  test("returns 422 for a closed account", async () => {
    const sandbox = openCards();
    const reply = await sandbox.virtual({ account_id: sandbox.account("northwind", "closed").id });
    expect(reply.point).toBe("cards.account_closed");
  });

  test("creates one card for each key, even if the second body differs", async () => {
    const sandbox = openCards();
    const first = await sandbox.virtual({}, { key });
    const again = await sandbox.virtual({ account_id: 7 }, { key });
    expect([again.status, again.point, again.text]).toEqual([201, "cards.replayed", first.text]);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect(sandbox.company("northwind").live_cards).toBe(1);
  });
});

describe("POST /developer/cards/delivery-options", () => {
  const offered = async (delivery_address: object, options = {}) => {
    const sandbox = openCards(options);
    return sandbox.call("POST", "/developer/cards/delivery-options", { body: { delivery_address } });
  };

  test.each([
    [london, "classic express"],
    [{ line1: "1 Rue", city: "Paris", post_code: "75001", country_code: "FR" }, "express international"],
    [{ line1: "1 Street", city: "Nairobi", post_code: "00100", country_code: "KE" }, "international"],
    [{ line1: "1 Calle", city: "La Habana", country_code: "CU" }, ""],
  ])("to %j lists %s, and orders accept exactly these methods", async (address, methods) => {
    const reply = await offered(address);
    expect([reply.status, reply.point]).toEqual([200, "cards.delivery_options_listed"]);
    const named = reply.json.delivery_methods.map(({ method }: { method: string }) => method);
    expect(named.join(" ")).toBe(methods);
    const sandbox = openCards();
    for (const delivery_method of ["classic", "express", "international"]) {
      const order = await sandbox.order({ body: { delivery_address: address, delivery_method } });
      expect(order.status === 201).toBe(named.includes(delivery_method));
    }
  });

  test("lists the days, the tracking and the fee of each method", async () => {
    expect((await offered(london)).json.delivery_methods[1]).toEqual({
      method: "express",
      estimated_days: { min: 1, max: 2 },
      tracked: true,
      fee: { amount: "15.00", currency: "GBP" },
    });
  });

  test.each([
    [{ ...london, country_code: "UK" }, "cards.body_invalid", 'use "GB"'],
    [{ ...london, line1: " " }, "cards.body_invalid", "delivery_address.line1: must not be blank"],
    [{ ...london, city: undefined }, "cards.address_field_required", "delivery_address.city: is required"],
    [{ ...london, post_code: "1" }, "cards.post_code_format", "must be a valid post code for GB"],
  ])("returns 400: %j", async (address, point, message) => {
    const reply = await offered(address);
    expect([reply.status, reply.point]).toEqual([400, point]);
    expect(reply.json.error).toContain(message);
  });
});
