import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openSandbox } from "../../../support/open-sandbox.ts";
import { london } from "../../../support/physical-order.ts";

const havana = { line1: "Calle 23", city: "La Habana", country_code: "CU" };

async function withClient() {
  const sandbox = openSandbox();
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  return {
    ...sandbox,
    ask: (address: object) =>
      sandbox.call("POST", "/developer/cards/delivery-options", {
        token,
        body: { delivery_address: address },
      }),
    order: (delivery_method: string, address: object = london, headers = {}) =>
      sandbox.order({ token, body: { delivery_method, delivery_address: address }, headers }),
  };
}

describe("VAL-5: delivery method that the address does not support", () => {
  test("reports a client that reads the options and orders another method", async () => {
    const client = await withClient();
    await client.ask(london);
    await client.order("international");
    await client.order("international", { ...london, city: "LONDON " });
    expect(found(client)).toEqual(["VAL-5 warn"]);
    const [finding] = client.findings().findings;
    expect(finding?.occurrences.map(({ requests }) => requests.map(({ id }) => id))).toEqual([
      ["2", "3"],
      ["2", "4"],
    ]);
  });

  test("accepts a method from the options", async () => {
    const client = await withClient();
    await client.ask(london);
    for (const method of ["classic", "express", "classic"]) await client.order(method);
    expect(found(client)).toEqual([]);
  });

  test("reports a single order as info, because it may test the refusal", async () => {
    const client = await withClient();
    await client.ask(london);
    await client.order("international");
    expect(found(client)).toEqual(["VAL-5 info"]);
  });

  test("accepts tests of the refusal among more valid orders", async () => {
    const client = await withClient();
    await client.ask(london);
    for (const method of ["express", "international", "classic", "international", "express", "nonsense"]) {
      await client.order(method);
    }
    expect(found(client)).toEqual([]);
  });

  test("accepts an address without options", async () => {
    const client = await withClient();
    await client.ask({ ...london, line1: "2 Long Lane" });
    for (const _ of [1, 2]) await client.order("international");
    expect(found(client)).toEqual([]);
  });

  test("accepts orders to a country without any method", async () => {
    const client = await withClient();
    await client.ask(havana);
    for (const _ of [1, 2]) await client.order("international", havana);
    expect(found(client)).toEqual([]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const client = await withClient();
    await client.ask(london);
    for (const _ of [1, 2]) await client.order("international", london, { "Sandbox-Test": "negative" });
    expect(found(client)).toEqual([]);
  });
});
