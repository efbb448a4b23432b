import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { type Client, openClient } from "../../../support/open-client.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

/** Two different orders of unknown outcome. */
async function failTwice(client: Client) {
  client.scenario("lost-response", { times: 2 });
  await client.order({ key, body: { name: "first" } });
  await client.order({ body: { name: "second" } });
}

describe("IDEM-5: order with an unknown outcome not followed up", () => {
  test("reports orders that are not followed up by the end of the run", async () => {
    const client = await openClient();
    await failTwice(client);
    await client.order({ body: { name: "third" } });
    expect(client.findings().findings).toEqual([]);
    expect(client.findings({ final: true }).findings).toMatchObject([
      {
        id: "IDEM-5",
        severity: "warn",
        occurrences: [{ requests: [{ id: "2" }] }, { requests: [{ id: "3" }] }],
      },
    ]);
  });

  test("reports them after a quarter of an hour by the company's clock", async () => {
    const client = await openClient();
    await failTwice(client);
    await client.clock.advance({ by: "PT15M" });
    expect(client.findings().findings).toMatchObject([{ id: "IDEM-5", severity: "warn" }]);
  });

  test("reports virtual cards", async () => {
    const client = await openClient();
    for (const name of ["one", "other"]) {
      client.scenario("lost-response", { times: 1, operation: "orderVirtualCard" });
      await client.virtual({ body: { name } });
    }
    expect(found(client)).toEqual(["IDEM-5 warn"]);
  });

  test("reports a single order as info", async () => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 1 });
    await client.order();
    expect(found(client)).toEqual(["IDEM-5 info"]);
  });

  test("reports a program that retries elsewhere as info", async () => {
    const client = await openClient();
    await failTwice(client);
    client.scenario("issuer-unavailable", { times: 1 });
    for (const _ of [1, 2]) await client.order({ key: "a3a1b0ce-6c5f-4c5e-8b57-0d4b7a0f6f11" });
    expect(found(client)).toEqual(["IDEM-5 info"]);
  });

  test("accepts failed retries with the same key", async () => {
    const client = await openClient({ scenario: "issuer-unavailable" });
    for (const name of ["first", "second"]) {
      const key = crypto.randomUUID();
      for (const _ of [1, 2]) await client.order({ key, body: { name } });
    }
    expect(found(client)).toEqual([]);
  });

  test("accepts a client that then reads the list of cards", async () => {
    const client = await openClient();
    await failTwice(client);
    await client.listCards();
    expect(found(client)).toEqual([]);
  });

  test("reports a client that read the list of cards before", async () => {
    const client = await openClient();
    await client.listCards();
    client.wait(1000);
    await failTwice(client);
    expect(found(client)).toEqual(["IDEM-5 warn"]);
  });

  test("accepts requests that chose their scenario themselves", async () => {
    const client = await openClient();
    await client.order({ scenario: "issuer-unavailable", body: { delivery_method: "classic" } });
    await client.order({ body: { name: "scenario:created-but-502" } });
    expect(found(client)).toEqual([]);
  });

  test("accepts refused and rate-limited orders, whose outcome is known", async () => {
    const client = await openClient();
    for (const scenario of ["quota-reached", "rate-limited", "conflict"]) {
      client.scenario(scenario, { times: 2 });
      for (const name of ["first", "second"]) await client.order({ body: { name } });
    }
    expect(found(client)).toEqual([]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const client = await openClient({ scenario: "lost-response" });
    for (const name of ["first", "second"]) await client.order({ body: { name }, negative: true });
    expect(found(client)).toEqual([]);
  });
});
