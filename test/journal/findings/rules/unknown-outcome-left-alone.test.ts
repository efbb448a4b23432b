import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { type Client, openClient } from "../../../support/open-client.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

/** Two orders, each another's, of neither of which the client learns what became. */
async function failTwice(client: Client) {
  client.scenario("lost-response", { times: 2 });
  await client.order({ key, body: { name: "first" } });
  await client.order({ body: { name: "second" } });
}

describe("IDEM-5, an order of unknown outcome that is left alone", () => {
  test("found: at the end of the run, neither retried nor looked for", async () => {
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

  test("found: a quarter of an hour later by the company's clock, before the run ends", async () => {
    const client = await openClient();
    await failTwice(client);
    await client.clock.advance({ by: "PT15M" });
    expect(client.findings().findings).toMatchObject([{ id: "IDEM-5", severity: "warn" }]);
  });

  test("found: virtual cards as well", async () => {
    const client = await openClient();
    for (const name of ["one", "other"]) {
      client.scenario("lost-response", { times: 1, operation: "orderVirtualCard" });
      await client.virtual({ body: { name } });
    }
    expect(found(client)).toEqual(["IDEM-5 warn"]);
  });

  test("only worth knowing: one order, which a test holds against its client's error", async () => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 1 });
    await client.order();
    expect(found(client)).toEqual(["IDEM-5 info"]);
  });

  test("only worth knowing: a program that retries elsewhere", async () => {
    const client = await openClient();
    await failTwice(client);
    client.scenario("issuer-unavailable", { times: 1 });
    for (const _ of [1, 2]) await client.order({ key: "a3a1b0ce-6c5f-4c5e-8b57-0d4b7a0f6f11" });
    expect(found(client)).toEqual(["IDEM-5 info"]);
  });

  test("right: retried with the key, though in vain", async () => {
    const client = await openClient({ scenario: "issuer-unavailable" });
    for (const name of ["first", "second"]) {
      const key = crypto.randomUUID();
      for (const _ of [1, 2]) await client.order({ key, body: { name } });
    }
    expect(found(client)).toEqual([]);
  });

  test("right: the card list is read", async () => {
    const client = await openClient();
    await failTwice(client);
    await client.listCards();
    expect(found(client)).toEqual([]);
  });

  test("found: the list was read before", async () => {
    const client = await openClient();
    await client.listCards();
    client.wait(1000);
    await failTwice(client);
    expect(found(client)).toEqual(["IDEM-5 warn"]);
  });

  test("right: the requests chose their scenario themselves, and test just that", async () => {
    const client = await openClient();
    await client.order({ scenario: "issuer-unavailable", body: { delivery_method: "classic" } });
    await client.order({ body: { name: "scenario:created-but-502" } });
    expect(found(client)).toEqual([]);
  });

  test("right: what was refused, or rate limited, has an outcome", async () => {
    const client = await openClient();
    for (const scenario of ["quota-reached", "rate-limited", "conflict"]) {
      client.scenario(scenario, { times: 2 });
      for (const name of ["first", "second"]) await client.order({ body: { name } });
    }
    expect(found(client)).toEqual([]);
  });

  test("muted: what is left alone on purpose does not count", async () => {
    const client = await openClient({ scenario: "lost-response" });
    for (const name of ["first", "second"]) await client.order({ body: { name }, negative: true });
    expect(found(client)).toEqual([]);
  });
});
