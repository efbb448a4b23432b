import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { type Client, openClient } from "../../../support/open-client.ts";

/** Retry-After of the scenario, in milliseconds. */
const retryAfterMs = 30_000;

/** A client whose first requests get 429 with Retry-After: 30. */
async function openLimited(times = 1) {
  const client = await openClient();
  client.scenario("rate-limited", { times });
  client.scenario("rate-limited", { times, operation: "listCards" });
  return client;
}

/** Sends one order again after each of these waits. */
async function retry(client: Client, waitsMs: readonly number[], sent = {}) {
  const key = crypto.randomUUID();
  await client.order({ key, ...sent });
  for (const waitMs of waitsMs) {
    client.wait(waitMs);
    await client.order({ key, ...sent });
  }
}

/** Reads the list of cards again after each of these waits. */
async function list(client: Client, waitsMs: readonly number[]) {
  await client.listCards();
  for (const waitMs of waitsMs) {
    client.wait(waitMs);
    await client.listCards();
  }
}

describe("RETRY-2: retry before Retry-After has passed", () => {
  test.each([1000, 26_000])("warns about an order that is retried after %i ms", async (waitMs) => {
    const client = await openLimited();
    await retry(client, [waitMs]);
    expect(client.findings().findings).toMatchObject([
      {
        id: "RETRY-2",
        severity: "warn",
        times: 1,
        occurrences: [
          {
            observed: `A request got 429 with Retry-After: 30 and was sent again after ${waitMs} ms`,
            requests: [
              { id: "2", status: 429 },
              { id: "3", status: 201 },
            ],
          },
        ],
      },
    ]);
  });

  test("warns when the last of the retries is in time", async () => {
    const client = await openLimited(5);
    await retry(client, [1000, 2000, 4000, 8000, 16_000]);
    expect(client.findings().findings).toMatchObject([{ id: "RETRY-2", severity: "warn", times: 5 }]);
  });

  test("warns about a request without a key that is retried early twice", async () => {
    const client = await openLimited(3);
    await list(client, [500, 1000, 2000]);
    expect(found(client)).toEqual(["RETRY-2 warn"]);
  });

  test("warns about twelve attempts without any wait", async () => {
    const client = await openLimited(11);
    await retry(client, Array(11).fill(1));
    expect(found(client)).toEqual(["RETRY-2 warn"]);
  });

  test.each([27_000, 29_900, 30_000, 33_000])("accepts a retry after %i ms", async (waitMs) => {
    const client = await openLimited(2);
    await retry(client, [waitMs, waitMs]);
    expect(found(client)).toEqual([]);
  });

  test("accepts several workers that each retry in time", async () => {
    const client = await openLimited(3);
    await list(client, [3000, 3000, retryAfterMs - 6000, 3000, 3000]);
    expect(found(client)).toEqual([]);
  });

  test("accepts another client that sends the same request early", async () => {
    const client = await openLimited();
    const token = await client.exchange("sk_sandbox_northwind_owner");
    const key = crypto.randomUUID();
    await client.order({ key });
    client.wait(1000);
    await client.order({ key, token });
    expect(found(client)).toEqual([]);
  });

  test("accepts other orders before the time", async () => {
    const client = await openLimited();
    for (const name of ["1", "2", "3"]) {
      await client.order({ body: { name } });
      client.wait(1000);
    }
    expect(found(client)).toEqual([]);
  });

  test("accepts a test that moves the company's clock instead of waiting", async () => {
    const client = await openLimited();
    const key = crypto.randomUUID();
    await client.order({ key });
    await client.clock.advance({ by: "PT30S" });
    client.wait(100);
    await client.order({ key });
    expect(found(client)).toEqual([]);
  });

  test("accepts the same request once the test has disarmed the scenario", async () => {
    const client = await openLimited(9);
    const key = crypto.randomUUID();
    await client.order({ key });
    client.control.scenarios.disarmAll();
    client.wait(100);
    await client.order({ key });
    expect(found(client)).toEqual([]);
  });

  test("accepts a request that chose the scenario, and one that did not", async () => {
    const client = await openClient();
    const key = crypto.randomUUID();
    await client.order({ key, scenario: "rate-limited" });
    client.wait(100);
    await client.order({ key });
    expect(found(client)).toEqual([]);
  });

  test("reports a single early request without a key as info", async () => {
    const client = await openLimited();
    await list(client, [1000]);
    expect(found(client)).toEqual(["RETRY-2 info"]);
  });

  test("accepts a request without a key that a test sends again at once", async () => {
    const client = await openLimited();
    await list(client, [2]);
    expect(found(client)).toEqual([]);
  });

  test("reports a test without waits as info", async () => {
    const client = await openLimited(3);
    await retry(client, [0, 1, 2]);
    expect(found(client)).toEqual(["RETRY-2 info"]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const client = await openLimited(3);
    await retry(client, [1000, 1000], { negative: true });
    expect(found(client)).toEqual([]);
  });
});
