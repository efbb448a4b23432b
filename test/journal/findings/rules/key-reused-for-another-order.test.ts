import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openClient, until } from "../../../support/open-client.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

async function withClient(options = {}) {
  const client = await openClient(options);
  const order = (body = {}, scenario?: string) => client.order({ key, body, scenario });
  return { ...client, order };
}

describe("IDEM-2: Idempotency-Key reused for a different order", () => {
  test("reports a different order with the key of a created card", async () => {
    const client = await withClient();
    await client.order();
    await client.order({ delivery_method: "classic" });
    expect(found(client)).toEqual(["IDEM-2 critical"]);
  });

  test("reports a different order with the key of an order of unknown outcome", async () => {
    const client = await withClient();
    await client.order({}, "issuer-unavailable");
    await client.order({ pin: "1111" });
    expect(found(client)).toEqual(["IDEM-2 critical"]);
  });

  test("accepts the same order again", async () => {
    const client = await withClient();
    for (const _ of [1, 2, 3]) await client.order();
    expect(found(client)).toEqual([]);
  });

  test("accepts the same order in a different notation", async () => {
    const client = await withClient();
    await client.order({ spending_limit: { period: "daily", amount: "10.00" }, name: "Travel" });
    await client.order({
      name: " Travel ",
      spending_limit: { amount: 10, period: "daily" },
      remark: "a field that is ignored",
    });
    expect(found(client)).toEqual([]);
  });

  test("reports a body that was corrected after a 400 as info", async () => {
    const client = await withClient();
    await client.order({ pin: "48210" });
    await client.order();
    expect(found(client)).toEqual(["IDEM-2 info"]);
  });

  test("reports a different order while the first is in progress", async () => {
    const client = await withClient();
    client.scenario("in-flight");
    const held = client.order();
    await until(() => client.clockOfTest.waits.length > 0);
    client.wait(10);
    await client.order({ pin: "1111" });
    client.clockOfTest.endWaits();
    await held;
    expect(found(client)).toEqual(["IDEM-2 critical"]);
    const [occurrence] = client.findings().findings[0]?.occurrences ?? [];
    expect(occurrence?.requests.map(({ status }) => status)).toEqual([201, 409]);
  });

  test("reports virtual cards and replacements of two cards", async () => {
    const { virtual, replace, ...client } = await withClient();
    await virtual({ key });
    await virtual({ key, body: { name: "another" } });
    const one = (await virtual())?.json.id;
    const other = (await virtual())?.json.id;
    for (const id of [one, other]) await replace(id, { key });
    expect(client.findings().findings).toMatchObject([{ id: "IDEM-2", severity: "critical", times: 2 }]);
  });

  test("accepts the key of a physical card for a virtual card, which is another operation", async () => {
    const { virtual, ...client } = await withClient();
    await client.order();
    await virtual({ key });
    expect(found(client)).toEqual([]);
  });

  test("accepts the same order without the name that chose its scenario", async () => {
    const client = await withClient();
    await client.order({ name: "scenario:lost-response" });
    await client.order();
    expect(found(client)).toEqual([]);
  });

  test("reports a body that was corrected after a 503 and a 422 as info", async () => {
    const client = await withClient();
    await client.order({}, "issuer-unavailable");
    await client.order({}, "account-closed");
    await client.order({ account_id: client.account("northwind", "eur").id });
    expect(found(client)).toEqual(["IDEM-2 info"]);
  });
});
