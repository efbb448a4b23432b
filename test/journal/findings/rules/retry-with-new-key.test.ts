import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { type Client, openClient, type Sent, until } from "../../../support/open-client.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("IDEM-1, a retry with a new key", () => {
  test.each(["issuer-unavailable", "issuer-bad-gateway", "lost-response", "truncated-response"])(
    "found: after %s the order goes out again with a new key, at once or later",
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

  test("found: at once, and both orders made a card", async () => {
    const client = await openClient();
    client.scenario("created-but-502", { times: 1 });
    await client.order();
    await client.order();
    expect(found(client)).toEqual(["IDEM-1 critical"]);
  });

  test("found: at once, several times until there is a card", async () => {
    const client = await openClient();
    client.scenario("issuer-recovers");
    for (const _ of [1, 2, 3]) await client.order();
    expect(found(client)).toEqual(["IDEM-1 critical"]);
    const [certain] = client.findings().findings;
    expect(certain?.occurrences[0]?.requests.map(({ id }) => id)).toEqual(["2", "3", "4"]);
  });

  test("found: several times, and there is no card", async () => {
    const client = await openClient({ scenario: "issuer-unavailable" });
    for (const _ of [1, 2, 3, 4]) await client.order();
    expect(found(client)).toEqual(["IDEM-1 high", "IDEM-5 info"]);
  });

  test("found: of a virtual card, and of a replacement", async () => {
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

  test("right: the same key until there is a card, and then the same order once more", async () => {
    const client = await openClient();
    client.scenario("issuer-recovers");
    for (const _ of [1, 2, 3]) {
      await client.order({ key });
      client.wait(1000);
    }
    await client.order();
    expect(found(client)).toEqual([]);
  });

  test("right: the client retried with its key and gave up, and the next test orders the same", async () => {
    const client = await openClient({ scenario: "issuer-unavailable" });
    for (const _ of [1, 2, 3]) {
      await client.order({ key });
      client.wait(250);
    }
    await client.order();
    expect(found(client)).not.toContain("IDEM-1 critical");
  });

  test("right: a client that orders many cards alike at once, and retries each with its key", async () => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 2 });
    const [one, other] = [randomUUID(), randomUUID()];
    for (const key of [one, other, randomUUID(), one, other]) {
      await client.order({ key });
      client.wait(250);
    }
    expect(found(client)).toEqual([]);
  });

  test("right: the next test has a client of its own", async () => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 1 });
    await client.order();
    client.wait(250);
    await client.order({ token: await client.exchange("sk_sandbox_northwind_owner") });
    expect(found(client)).not.toContain("IDEM-1 critical");
  });

  test("right: the client looked for the card, and found none", async () => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 1 });
    await client.order();
    client.wait(250);
    await client.listCards();
    await client.order();
    expect(found(client)).toEqual([]);
  });

  test("right: another order", async () => {
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
  ])("right: more than ten minutes later, by %s", async (_, pass) => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 1 });
    await client.order();
    await pass(client);
    await client.order();
    expect(found(client)).toEqual([]);
  });

  test("right: the world was put back between the two", async () => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 1 });
    await client.order();
    client.reset();
    client.wait(250);
    await client.order({ token: await client.exchange("sk_sandbox_northwind_owner") });
    expect(found(client)).toEqual(["IDEM-5 info"]);
  });

  test("right: the same order twice, after a clean 201", async () => {
    const client = await openClient();
    for (const _ of [1, 2, 3]) await client.order();
    expect(found(client)).toEqual([]);
  });

  test("found: two orders, each of which goes out again with a new key", async () => {
    const client = await openClient();
    for (const name of ["one", "other"]) {
      client.scenario("issuer-unavailable", { times: 1 });
      for (const _ of [1, 2]) await client.order({ body: { name } });
    }
    expect(client.findings().findings).toMatchObject([{ id: "IDEM-1", severity: "critical", times: 2 }]);
  });

  test("only worth knowing: a client that retries another order with its key", async () => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 1 });
    for (const _ of [1, 2]) await client.order({ key, body: { name: "retried" } });
    client.scenario("issuer-unavailable", { times: 1 });
    for (const _ of [1, 2]) await client.order();
    expect(found(client)).toEqual(["IDEM-1 info"]);
  });

  test("only worth knowing: the retry is refused", async () => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 1 });
    await client.order();
    client.control.companies.change("northwind", { status: "suspended" });
    await client.order();
    expect(found(client)).toEqual(["IDEM-1 info"]);
  });

  test("only worth knowing: the author disarmed what the test before had armed", async () => {
    const client = await openClient();
    const armed = client.scenario("lost-response");
    await client.order();
    armed.disarm();
    client.wait(250);
    await client.order();
    expect(found(client)).toEqual(["IDEM-1 info"]);
  });

  test.each([{ scenario: "lost-response" }, { body: { name: "scenario:lost-response" } }])(
    "only worth knowing: the first request chose its scenario by itself, as in %o",
    async (first) => {
      const client = await openClient();
      await client.order(first);
      client.wait(250);
      await client.order();
      expect(found(client)).toEqual(["IDEM-1 info"]);
    },
  );

  test("only worth knowing: the same order twice at the same time", async () => {
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

  /** Orders, and closes the connection after a second, while the issuer is slow. */
  async function givenUp(client: Client, sent: Sent = {}) {
    const patience = new AbortController();
    const order = client.order({ ...sent, signal: patience.signal });
    await until(() => client.clockOfTest.waits.length > 0);
    client.wait(1000);
    patience.abort();
    await order;
    client.wait(5);
  }

  /** The issuer answers after the client stopped waiting. */
  async function answered(client: Client) {
    const before = client.exchanges.length;
    client.clockOfTest.endWaits();
    await until(() => client.exchanges.length > before);
  }

  test("found: the client closed the connection, the retry has a new key, and both made a card", async () => {
    const client = await openClient();
    client.scenario("in-flight", { times: 1 });
    await givenUp(client);
    await client.order();
    await answered(client);
    expect(found(client)).toEqual(["IDEM-1 critical"]);
    const [occurrence] = client.findings().findings[0]?.occurrences ?? [];
    expect(occurrence?.requests.map(({ id }) => id)).toEqual(["3", "2"]);
    expect(occurrence?.seen).toMatch(
      /^The client closed the connection before an order was answered, and it/,
    );
  });

  test("found: the same, where the first order was answered before its retry began", async () => {
    const client = await openClient();
    client.scenario("in-flight", { times: 1 });
    await givenUp(client);
    await answered(client);
    await client.order();
    expect(found(client)).toEqual(["IDEM-1 critical"]);
  });

  test("found: the client closed the connection, and the retry with a new key made no card", async () => {
    const client = await openClient();
    client.scenario("in-flight", { times: 1 });
    await givenUp(client);
    await answered(client);
    client.control.companies.change("northwind", { status: "suspended" });
    await client.order();
    expect(found(client)).toEqual(["IDEM-1 high"]);
  });

  test("right: the client closed the connection, and retried with its key", async () => {
    const client = await openClient();
    client.scenario("in-flight", { times: 1 });
    await givenUp(client, { key });
    await client.order({ key });
    await answered(client);
    await client.order({ key });
    await client.order();
    expect(found(client)).not.toContainEqual(expect.stringContaining("IDEM-1"));
  });

  test("right: the client closed the connection, and looked for the card before it ordered again", async () => {
    const client = await openClient();
    client.scenario("in-flight", { times: 1 });
    await givenUp(client);
    await answered(client);
    await client.listCards();
    await client.order();
    expect(found(client)).toEqual([]);
  });

  test("right: the client closed the connection, and ordered another card", async () => {
    const client = await openClient();
    client.scenario("in-flight", { times: 1 });
    await givenUp(client);
    await client.order({ body: { delivery_method: "classic" } });
    await answered(client);
    expect(found(client)).toEqual([]);
  });

  test("only worth knowing: the client closed both connections of the same order, sent in parallel", async () => {
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

  test("only worth knowing: the author disarmed the scenario that slowed the first one before the second", async () => {
    const client = await openClient();
    const armed = client.scenario("in-flight", { times: 1 });
    await givenUp(client);
    await answered(client);
    armed.disarm();
    await client.order();
    expect(found(client)).toEqual(["IDEM-1 info"]);
  });

  test("muted: the test says that it is wrong on purpose", async () => {
    const client = await openClient();
    client.scenario("lost-response", { times: 1 });
    await client.order({ negative: true });
    client.wait(250);
    await client.order();
    expect(found(client)).toEqual([]);
  });
});
