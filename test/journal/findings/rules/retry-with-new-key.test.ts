import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { type Client, openClient, type Sent, until } from "../../../support/open-client.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("IDEM-1: order retried with a new Idempotency-Key", () => {
  test.each(["issuer-unavailable", "issuer-bad-gateway", "lost-response", "truncated-response"])(
    "reports a retry with a new key after %s, at once or later",
    async (scenario) => {
      const client = await openClient();
      client.scenario(scenario, { times: 1 });
      await client.order();
      client.wait(scenario.startsWith("issuer") ? 0 : 250);
      await client.order();
      const severity = scenario.startsWith("issuer") ? "high" : "critical";
      expect(found(client)).toEqual([`IDEM-1 ${severity}`]);
      expect(client.findings().findings[0]?.occurrences[0]?.requests.map(({ id }) => id)).toEqual(["2", "3"]);
    },
  );

  test("reports a retry with a new key while the issuer works on an order whose connection was lost", async () => {
    const client = await openClient();
    const armed = client.scenario("lost-in-flight");
    await client.order();
    client.wait(10);
    await client.order();
    armed.release();
    await until(() => client.exchanges.length === 3);
    expect(found(client)).toContain("IDEM-1 critical");
  });

  test("reports an immediate retry if both orders created a card", async () => {
    const client = await openClient();
    client.scenario("created-but-502", { times: 1 });
    await client.order();
    await client.order();
    expect(found(client)).toEqual(["IDEM-1 critical"]);
  });

  test("reports several immediate retries until a card is created", async () => {
    const client = await openClient();
    client.scenario("issuer-recovers");
    for (const _ of [1, 2, 3]) await client.order();
    expect(found(client)).toEqual(["IDEM-1 critical"]);
    const [certain] = client.findings().findings;
    expect(certain?.occurrences[0]?.requests.map(({ id }) => id)).toEqual(["2", "3", "4"]);
  });

  test("reports several retries without a card", async () => {
    const client = await openClient({ scenario: "issuer-unavailable" });
    for (const _ of [1, 2, 3, 4]) await client.order();
    expect(found(client)).toEqual(["IDEM-1 high", "IDEM-5 info"]);
  });

  test("reports retries of a virtual card and of a replacement", async () => {
    const client = await openClient();
    const card = (await client.order())?.json;
    client.scenario("lost-response", { times: 1, operation: "orderVirtualCard" });
    await client.virtual();
    client.wait(500);
    await client.virtual();
    client.scenario("issuer-unavailable", { times: 1, operation: "replaceCard" });
    await client.replace(card.id);
    client.wait(500);
    await client.replace(card.id);
    expect(client.findings().findings).toMatchObject([{ id: "IDEM-1", severity: "critical", times: 2 }]);
  });

  test("accepts retries with the same key, followed by an equal order", async () => {
    const client = await openClient();
    client.scenario("issuer-recovers");
    for (const _ of [1, 2, 3]) {
      await client.order({ key });
      client.wait(1000);
    }
    await client.order();
    expect(found(client)).toEqual([]);
  });

  test("accepts an equal order of the next test after failed retries with the same key", async () => {
    const client = await openClient({ scenario: "issuer-unavailable" });
    for (const _ of [1, 2, 3]) {
      await client.order({ key });
      client.wait(250);
    }
    await client.order();
    expect(found(client)).not.toContain("IDEM-1 critical");
  });

  test("accepts parallel equal orders that are each retried with their key", async () => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 2 });
    const [one, other] = [randomUUID(), randomUUID()];
    for (const key of [one, other, randomUUID(), one, other]) {
      await client.order({ key });
      client.wait(250);
    }
    expect(found(client)).toEqual([]);
  });

  test("accepts an equal order of the next test's own client", async () => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 1 });
    await client.order();
    client.wait(250);
    await client.order({ token: await client.exchange("sk_sandbox_northwind_owner") });
    expect(found(client)).not.toContain("IDEM-1 critical");
  });

  test("accepts a new order after the client read the list of cards", async () => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 1 });
    await client.order();
    client.wait(250);
    await client.listCards();
    await client.order();
    expect(found(client)).toEqual([]);
  });

  test("accepts a different order", async () => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 1 });
    await client.order();
    client.wait(250);
    await client.order({ body: { delivery_method: "classic" } });
    expect(found(client)).toEqual(["IDEM-5 info"]);
  });

  test.each<[string, (client: Client) => unknown]>([
    ["both clocks", (client) => client.wait(11 * 60_000)],
    ["the company's clock alone", (client) => client.clock.advance({ by: "PT11M" })],
  ])("accepts an equal order after more than ten minutes by %s", async (_, pass) => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 1 });
    await client.order();
    await pass(client);
    await client.order();
    expect(found(client)).toEqual([]);
  });

  test("accepts an equal order after a reset", async () => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 1 });
    await client.order();
    client.reset();
    client.wait(250);
    await client.order({ token: await client.exchange("sk_sandbox_northwind_owner") });
    expect(found(client)).toEqual(["IDEM-5 info"]);
  });

  test("accepts an equal order after a 201", async () => {
    const client = await openClient();
    for (const _ of [1, 2, 3]) await client.order();
    expect(found(client)).toEqual([]);
  });

  test("reports two orders that are each retried with a new key", async () => {
    const client = await openClient();
    for (const name of ["one", "other"]) {
      client.scenario("issuer-unavailable", { times: 1 });
      for (const _ of [1, 2]) await client.order({ body: { name } });
    }
    expect(client.findings().findings).toMatchObject([{ id: "IDEM-1", severity: "critical", times: 2 }]);
  });

  test("reports a client that retries another order with the same key as info", async () => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 1 });
    for (const _ of [1, 2]) await client.order({ key, body: { name: "retried" } });
    client.scenario("issuer-unavailable", { times: 1 });
    for (const _ of [1, 2]) await client.order();
    expect(found(client)).toEqual(["IDEM-1 info"]);
  });

  test("reports a retry that is refused as info", async () => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 1 });
    await client.order();
    client.control.companies.change("northwind", { status: "suspended" });
    await client.order();
    expect(found(client)).toEqual(["IDEM-1 info"]);
  });

  test("reports a retry after a scenario was disarmed as info", async () => {
    const client = await openClient();
    const armed = client.scenario("lost-response");
    await client.order();
    armed.disarm();
    client.wait(250);
    await client.order();
    expect(found(client)).toEqual(["IDEM-1 info"]);
  });

  test.each([{ scenario: "lost-response" }, { body: { name: "scenario:lost-response" } }])(
    "reports a first request that chose its scenario as info: %o",
    async (first) => {
      const client = await openClient();
      await client.order(first);
      client.wait(250);
      await client.order();
      expect(found(client)).toEqual(["IDEM-1 info"]);
    },
  );

  test("reports two parallel equal orders as info", async () => {
    const client = await openClient();
    client.scenario("in-flight", { times: 1 });
    const held = client.order();
    await until(() => client.clockOfTest.waits.length > 0);
    client.wait(5);
    await client.order();
    client.wait(5);
    client.clockOfTest.endWaits();
    await held;
    expect(found(client)).toEqual(["IDEM-1 info"]);
  });

  /** Sends an order and closes the connection after a second, while the issuer is slow. */
  async function givenUp(client: Client, sent: Sent = {}) {
    const patience = new AbortController();
    const order = client.order({ ...sent, signal: patience.signal });
    await until(() => client.clockOfTest.waits.length > 0);
    client.wait(1000);
    patience.abort();
    await order;
    client.wait(5);
  }

  /** The issuer responds after the client stopped waiting. */
  async function answered(client: Client) {
    const before = client.exchanges.length;
    client.clockOfTest.endWaits();
    await until(() => client.exchanges.length > before);
  }

  test("reports a retry after the client closed the connection if both orders created a card", async () => {
    const client = await openClient();
    client.scenario("in-flight", { times: 1 });
    await givenUp(client);
    await client.order();
    await answered(client);
    expect(found(client)).toEqual(["IDEM-1 critical"]);
    const [occurrence] = client.findings().findings[0]?.occurrences ?? [];
    expect(occurrence?.requests.map(({ id }) => id)).toEqual(["3", "2"]);
    expect(occurrence?.observed).toMatch(
      /^The client closed the connection before the response to an order, then sent/,
    );
  });

  test("reports the same if the first order was created before its retry began", async () => {
    const client = await openClient();
    client.scenario("in-flight", { times: 1 });
    await givenUp(client);
    await answered(client);
    await client.order();
    expect(found(client)).toEqual(["IDEM-1 critical"]);
  });

  test("reports a retry after the client closed the connection even if it created no card", async () => {
    const client = await openClient();
    client.scenario("in-flight", { times: 1 });
    await givenUp(client);
    await answered(client);
    client.control.companies.change("northwind", { status: "suspended" });
    await client.order();
    expect(found(client)).toEqual(["IDEM-1 high"]);
  });

  test("accepts a retry with the same key after the client closed the connection", async () => {
    const client = await openClient();
    client.scenario("in-flight", { times: 1 });
    await givenUp(client, { key });
    await client.order({ key });
    await answered(client);
    await client.order({ key });
    await client.order();
    expect(found(client)).not.toContainEqual(expect.stringContaining("IDEM-1"));
  });

  test("accepts a new order after the client closed the connection and read the list of cards", async () => {
    const client = await openClient();
    client.scenario("in-flight", { times: 1 });
    await givenUp(client);
    await answered(client);
    await client.listCards();
    await client.order();
    expect(found(client)).toEqual([]);
  });

  test("accepts a different order after the client closed the connection", async () => {
    const client = await openClient();
    client.scenario("in-flight", { times: 1 });
    await givenUp(client);
    await client.order({ body: { delivery_method: "classic" } });
    await answered(client);
    expect(found(client)).toEqual([]);
  });

  test("reports two parallel equal orders whose connections the client closed as info", async () => {
    const client = await openClient();
    client.scenario("in-flight", { times: 2 });
    const patience = new AbortController();
    const { signal } = patience;
    const orders = [client.order({ signal }), client.order({ signal })];
    await until(() => client.clockOfTest.waits.length > 1);
    client.wait(1000);
    patience.abort();
    await Promise.all(orders);
    await answered(client);
    expect(found(client)).toEqual(["IDEM-1 info"]);
  });

  test("reports a retry after a slow scenario was disarmed as info", async () => {
    const client = await openClient();
    const armed = client.scenario("in-flight", { times: 1 });
    await givenUp(client);
    await answered(client);
    armed.disarm();
    await client.order();
    expect(found(client)).toEqual(["IDEM-1 info"]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const client = await openClient();
    client.scenario("lost-response", { times: 1 });
    await client.order({ negative: true });
    client.wait(250);
    await client.order();
    expect(found(client)).toEqual([]);
  });
});
