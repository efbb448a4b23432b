import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { found } from "../../support/found.ts";
import { type Client, openClient, until } from "../../support/open-client.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("IDEM-1, a retry with a new key", () => {
  test.each(["issuer-unavailable", "issuer-bad-gateway", "lost-response", "truncated-response"])(
    "found: the order waits after %s, and goes out again with a new key",
    async (scenario) => {
      const client = await openClient();
      client.scenario(scenario, { times: 1 });
      await client.order();
      client.wait(250);
      await client.order();
      expect(found(client)).toEqual(["IDEM-1 critical"]);
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
    expect(found(client)).toEqual(["IDEM-1 critical", "IDEM-1 info"]);
    const [certain] = client.findings().findings;
    expect(certain?.occurrences[0]?.requests.map(({ id }) => id)).toEqual(["2", "3", "4"]);
  });

  test("found: each retry is one", async () => {
    const client = await openClient({ scenario: "issuer-unavailable" });
    for (const _ of [1, 2, 3, 4]) {
      await client.order();
      client.wait(1000);
    }
    expect(client.findings().findings).toMatchObject([{ id: "IDEM-1", severity: "critical", times: 3 }]);
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

  test("only worth knowing: the next test follows at once, and its order is the first", async () => {
    const client = await openClient();
    client.scenario("issuer-unavailable", { times: 1 });
    await client.order();
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

  test("muted: the test says that it is wrong on purpose", async () => {
    const client = await openClient();
    client.scenario("lost-response", { times: 1 });
    await client.order({ negative: true });
    client.wait(250);
    await client.order();
    expect(found(client)).toEqual([]);
  });
});
