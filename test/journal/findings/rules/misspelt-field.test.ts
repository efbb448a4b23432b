import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openSandbox } from "../../../support/open-sandbox.ts";

/** An address in a country that demands no post code, and what else it says. */
const address = (fields: object) => ({
  delivery_address: {
    line1: "1 Queen's Road",
    city: "Hong Kong",
    state: "Kowloon",
    country_code: "HK",
    ...fields,
  },
  delivery_method: "international",
});
const limit = { period: "daily", amount: "10.00" };

describe("VAL-3, a misspelt field that was ignored", () => {
  test.each<[string, object]>([
    ["spendingLimit", { spendingLimit: limit }],
    ["limit", { limit }],
    ["autoConvert", { autoConvert: true }],
    ["postcode", address({ postcode: "999077" })],
    ["postalCode", address({ postalCode: "999077" })],
    ["zip", address({ zip: "999077" })],
    ["addressLine2", address({ addressLine2: "Flat 2" })],
    ["line_2", address({ line_2: "Flat 2" })],
  ])("found: %s", async (name, body) => {
    const sandbox = openSandbox();
    expect((await sandbox.order({ body: { ...body } })).status).toBe(201);
    expect(found(sandbox)).toEqual(["VAL-3 warn"]);
    expect(sandbox.findings().findings[0]?.occurrences[0]?.seen).toContain(`without ${name} in place of`);
  });

  test("found: in a change of a card", async () => {
    const sandbox = openSandbox();
    const { json } = await sandbox.order();
    await sandbox.call("PATCH", `/developer/cards/${json.id}`, { body: { name: "new", autoConvert: false } });
    expect(found(sandbox)).toEqual(["VAL-3 warn"]);
  });

  test.each<[string, object]>([
    ["the proper field beside it", { spending_limit: limit, spendingLimit: limit }],
    ["a field that means something else", { remark: "for Ada", reference: "4711", user_id: "x" }],
    ["a field that says nothing", address({ postcode: null, zip: "" })],
    ["another field of the team's own address", address({ county: "Kowloon", recipient: "Ada" })],
  ])("right: %s", async (_, body) => {
    const sandbox = openSandbox();
    expect((await sandbox.order({ body: { ...body } })).status).toBe(201);
    expect(found(sandbox)).toEqual([]);
  });

  test("right: the order was refused for it, and was put right", async () => {
    const sandbox = openSandbox();
    const gb = { line1: "1 Long Lane", city: "London", country_code: "GB" };
    const { status } = await sandbox.order({ body: { delivery_address: { ...gb, postcode: "SE1 4PG" } } });
    expect(status).toBe(400);
    await sandbox.order({ body: { delivery_address: { ...gb, post_code: "SE1 4PG" } } });
    expect(found(sandbox)).toEqual([]);
  });

  test("right: it says that it is wrong on purpose", async () => {
    const sandbox = openSandbox();
    await sandbox.order({ body: { autoConvert: true }, headers: { "Sandbox-Test": "negative" } });
    expect(found(sandbox)).toEqual([]);
  });
});
