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

describe("VAL-5, a delivery method that the address was not offered", () => {
  test("found: a client that asks, and orders another all the same", async () => {
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

  test("right: one of those that were offered", async () => {
    const client = await withClient();
    await client.ask(london);
    for (const method of ["classic", "express", "classic"]) await client.order(method);
    expect(found(client)).toEqual([]);
  });

  test("only worth knowing: one order, which may be to be refused", async () => {
    const client = await withClient();
    await client.ask(london);
    await client.order("international");
    expect(found(client)).toEqual(["VAL-5 info"]);
  });

  test("right: some that are to be refused, beside more that are not", async () => {
    const client = await withClient();
    await client.ask(london);
    for (const method of ["express", "international", "classic", "international", "express", "nonsense"]) {
      await client.order(method);
    }
    expect(found(client)).toEqual([]);
  });

  test("right: another address than the one that was asked for", async () => {
    const client = await withClient();
    await client.ask({ ...london, line1: "2 Long Lane" });
    for (const _ of [1, 2]) await client.order("international");
    expect(found(client)).toEqual([]);
  });

  test("right: orders to a country that is offered nothing, which are to be refused", async () => {
    const client = await withClient();
    await client.ask(havana);
    for (const _ of [1, 2]) await client.order("international", havana);
    expect(found(client)).toEqual([]);
  });

  test("right: they say that they are wrong on purpose", async () => {
    const client = await withClient();
    await client.ask(london);
    for (const _ of [1, 2]) await client.order("international", london, { "Sandbox-Test": "negative" });
    expect(found(client)).toEqual([]);
  });
});
