import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openSandbox } from "../../../support/open-sandbox.ts";

/** An address in a country that requires no post code, with other fields. */
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

describe("VAL-3: misspelled field that the service ignored", () => {
  test.each<[string, object]>([
    ["spendingLimit", { spendingLimit: limit }],
    ["limit", { limit }],
    ["autoConvert", { autoConvert: true }],
    ["postcode", address({ postcode: "999077" })],
    ["postalCode", address({ postalCode: "999077" })],
    ["zip", address({ zip: "999077" })],
    ["addressLine2", address({ addressLine2: "Flat 2" })],
    ["line_2", address({ line_2: "Flat 2" })],
  ])("reports %s", async (name, body) => {
    const sandbox = openSandbox();
    expect((await sandbox.order({ body: { ...body } })).status).toBe(201);
    expect(found(sandbox)).toEqual(["VAL-3 warn"]);
    expect(sandbox.findings().findings[0]?.occurrences[0]?.observed).toContain(
      `ignored "${name}" (expected `,
    );
  });

  test("reports a field in a change of a card", async () => {
    const sandbox = openSandbox();
    const { json } = await sandbox.order();
    await sandbox.call("PATCH", `/developer/cards/${json.id}`, { body: { name: "new", autoConvert: false } });
    expect(found(sandbox)).toEqual(["VAL-3 warn"]);
  });

  test.each<[string, object]>([
    ["the correct field in addition", { spending_limit: limit, spendingLimit: limit }],
    ["a field with another meaning", { remark: "for Ada", reference: "4711", user_id: "x" }],
    ["an empty field", address({ postcode: null, zip: "" })],
    ["another field in the address", address({ county: "Kowloon", recipient: "Ada" })],
  ])("accepts %s", async (_, body) => {
    const sandbox = openSandbox();
    expect((await sandbox.order({ body: { ...body } })).status).toBe(201);
    expect(found(sandbox)).toEqual([]);
  });

  test("accepts an order that was refused and corrected", async () => {
    const sandbox = openSandbox();
    const gb = { line1: "1 Long Lane", city: "London", country_code: "GB" };
    const { status } = await sandbox.order({ body: { delivery_address: { ...gb, postcode: "SE1 4PG" } } });
    expect(status).toBe(400);
    await sandbox.order({ body: { delivery_address: { ...gb, post_code: "SE1 4PG" } } });
    expect(found(sandbox)).toEqual([]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const sandbox = openSandbox();
    await sandbox.order({ body: { autoConvert: true }, headers: { "Sandbox-Test": "negative" } });
    expect(found(sandbox)).toEqual([]);
  });
});
