import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { cardOf, openSandbox } from "../../../support/open-sandbox.ts";

const calls = Array.from({ length: 10 }, (_, n) => n);
const cards = "/developer/cards";

describe("AUTH-3: new access token for each request", () => {
  test("reports an instance that uses its own cards with a new token each time", async () => {
    const sandbox = openSandbox();
    for (const _ of calls) {
      const { id } = cardOf(await sandbox.order());
      await sandbox.get(`${cards}/${id}`);
    }
    expect(found(sandbox)).toEqual(["AUTH-3 warn"]);
    expect(sandbox.findings().findings[0]?.occurrences[0]?.requests.map(({ id }) => id)).toEqual([
      "1",
      "2",
      "3",
      "4",
      "5",
      "6",
    ]);
    for (const { responseBody } of sandbox.exchanges) {
      const token = JSON.parse(responseBody ?? "{}").access_token;
      if (token) expect(JSON.stringify(sandbox.findings())).not.toContain(token);
    }
  });

  test("reports a client that retries each order with a new token", async () => {
    const sandbox = openSandbox();
    for (const _ of calls.slice(5)) {
      const key = randomUUID();
      await sandbox.order({ key, headers: { "Sandbox-Scenario": "issuer-bad-gateway" } });
      await sandbox.order({ key });
    }
    expect(found(sandbox)).toEqual(["AUTH-3 warn"]);
  });

  test("reports unrelated calls, as of short-lived processes, as info", async () => {
    const sandbox = openSandbox();
    for (const _ of calls) await sandbox.get(cards);
    expect(found(sandbox)).toEqual(["AUTH-3 info"]);
  });

  test("accepts a new client for each test, one of which calls twice", async () => {
    const sandbox = openSandbox();
    for (const _ of calls) await sandbox.get(cards);
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const { id } = cardOf(await sandbox.order({ token }));
    await sandbox.get(`${cards}/${id}`, { token });
    expect(found(sandbox)).toEqual([]);
  });

  test("accepts an exchange after each token has expired", async () => {
    const sandbox = openSandbox();
    for (const _ of calls) {
      const { id } = cardOf(await sandbox.order());
      await sandbox.clock.advance({ by: "PT16M" });
      await sandbox.get(`${cards}/${id}`);
      await sandbox.clock.advance({ by: "PT16M" });
    }
    expect(found(sandbox)).toEqual([]);
  });

  test("accepts an exchange after each 401", async () => {
    const sandbox = openSandbox();
    for (const _ of calls) {
      const headers = { "Sandbox-Scenario": "token-expired" };
      await sandbox.order({ headers });
    }
    expect(found(sandbox)).toEqual([]);
  });

  test("accepts tokens that a scenario makes short-lived", async () => {
    const sandbox = openSandbox({ scenario: "token-short-lived" });
    for (const _ of calls) await sandbox.get(cards);
    expect(found(sandbox)).toEqual([]);
  });

  test("accepts tests that each begin with a reset", async () => {
    const sandbox = openSandbox();
    for (const _ of calls) {
      sandbox.reset();
      await sandbox.get(cards);
    }
    expect(found(sandbox)).toEqual([]);
  });
});
