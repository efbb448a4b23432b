import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { type Client, openClient } from "../../../support/open-client.ts";

/** Sends one order repeatedly, with these waits in between. */
async function retry(client: Client, waitsMs: readonly number[], sent = {}) {
  const key = crypto.randomUUID();
  await client.order({ key, ...sent });
  for (const waitMs of waitsMs) {
    client.wait(waitMs);
    await client.order({ key, ...sent });
  }
}

const down = { scenario: "issuer-unavailable" };

describe("RETRY-1: retries without backoff", () => {
  test.each([[[200, 200, 200]], [[1000, 1002, 999, 1001]], [[5000, 5100, 4950]]])(
    "reports an order that is retried after %j ms",
    async (waitsMs) => {
      const client = await openClient(down);
      await retry(client, waitsMs);
      expect(found(client)).toEqual(["RETRY-1 warn"]);
    },
  );

  test("reports twelve attempts without any wait", async () => {
    const client = await openClient(down);
    await retry(client, Array(11).fill(1));
    expect(client.findings().findings).toMatchObject([{ id: "RETRY-1", severity: "warn", times: 1 }]);
  });

  test("reports retries after lost responses, also if the last one succeeds", async () => {
    const client = await openClient();
    client.scenario("dropped-request", { times: 4 });
    await retry(client, [300, 300, 300, 300]);
    expect(found(client)).toEqual(["RETRY-1 warn"]);
  });

  test.each([
    ["grow", [1000, 2000, 4000, 8000]],
    ["grow and were shortened for the test", [2, 4, 8, 16]],
    ["grow by half", [100, 150, 225]],
    ["grow up to a cap", [1000, 2000, 4000, 4000, 4000]],
    ["have jitter", [130, 90, 420, 310, 1900]],
    ["come from a queue", [60_000, 60_000, 60_000]],
    ["are equal, but only two", [500, 500]],
  ])("accepts waits that %s", async (_, waitsMs) => {
    const client = await openClient(down);
    await retry(client, waitsMs);
    expect(found(client)).toEqual([]);
  });

  test("accepts waits that Retry-After gave", async () => {
    const client = await openClient({ scenario: "rate-limited" });
    await retry(client, [30_000, 30_000, 30_000, 30_000]);
    expect(found(client)).toEqual([]);
  });

  test("accepts a test that moves the company's clock instead of waiting", async () => {
    const client = await openClient(down);
    const key = crypto.randomUUID();
    for (const by of ["PT2S", "PT4S", "PT8S", "PT16S"]) {
      await client.order({ key });
      await client.clock.advance({ by });
    }
    expect(found(client)).toEqual([]);
  });

  test("accepts four orders that are each sent once", async () => {
    const client = await openClient(down);
    for (const name of ["1", "2", "3", "4"]) {
      await client.order({ body: { name }, negative: true });
      client.wait(200);
    }
    expect(found(client)).toEqual([]);
  });

  test("ignores a list that is polled despite Retry-After, which RETRY-2 reports", async () => {
    const client = await openClient();
    client.scenario("rate-limited", { operation: "listCards" });
    for (const _ of [1, 2, 3, 4, 5]) {
      await client.listCards();
      client.wait(5000);
    }
    expect(found(client)).toEqual(["RETRY-2 warn"]);
  });

  test("reports waits that a test left out as info", async () => {
    const client = await openClient(down);
    await retry(client, [0, 0, 0, 0]);
    expect(found(client)).toEqual(["RETRY-1 info"]);
  });

  test("reports jitter that is regular by chance as info", async () => {
    const client = await openClient(down);
    for (const waitsMs of [
      [100, 102, 101],
      [80, 190, 150],
    ]) {
      await retry(client, waitsMs);
    }
    expect(found(client)).toEqual(["RETRY-1 info"]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const client = await openClient(down);
    await retry(client, [200, 200, 200], { negative: true });
    expect(found(client)).toEqual([]);
  });
});
