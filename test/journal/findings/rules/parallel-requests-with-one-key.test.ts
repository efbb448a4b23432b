import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { IssuerAnswer } from "../../../../src/rules/overlay.ts";
import { found } from "../../../support/found.ts";
import { type Client, openClient, type Sent, until } from "../../../support/open-client.ts";

/** Sends a second request with the key of an order that waits for the issuer, this many milliseconds later. */
async function race(client: Client, afterMs = 5, sent: Sent = {}) {
  const key = randomUUID();
  let answer: ((answer: IssuerAnswer) => void) | undefined;
  client.force.issuer = {
    issue: () =>
      new Promise<IssuerAnswer>((resolve) => {
        answer = resolve;
      }),
  };
  const first = client.order({ ...sent, key });
  await until(() => answer !== undefined);
  client.wait(afterMs);
  const second = await client.order({ ...sent, key });
  client.wait(5);
  answer?.({ outcome: "issued" });
  return [(await first)?.status, second?.status];
}

describe("IDEM-4: parallel requests with the same Idempotency-Key", () => {
  test("reports the third key that is sent in parallel", async () => {
    const client = await openClient();
    for (const _ of [1, 2, 3]) expect(await race(client)).toEqual([201, 409]);
    expect(client.findings().findings).toMatchObject([
      {
        id: "IDEM-4",
        severity: "warn",
        times: 1,
        occurrences: [{ requests: [{ status: 201 }, { status: 409 }] }],
      },
      { id: "IDEM-4", severity: "info", times: 2 },
    ]);
  });

  test("reports a test with two keys as info", async () => {
    const client = await openClient();
    for (const _ of [1, 2]) await race(client);
    expect(found(client)).toEqual(["IDEM-4 info"]);
  });

  test("reports a retry after a second as info", async () => {
    const client = await openClient();
    for (const _ of [1, 2, 3, 4]) await race(client, 1000);
    expect(found(client)).toEqual(["IDEM-4 info"]);
  });

  test("reports a first request that a scenario holds as info", async () => {
    const client = await openClient();
    for (const key of [randomUUID(), randomUUID(), randomUUID(), randomUUID()]) {
      client.scenario("in-flight", { times: 1 });
      const held = client.order({ key });
      await until(() => client.clockOfTest.waits.length > 0);
      client.wait(5);
      await client.order({ key });
      client.wait(5);
      client.clockOfTest.endWaits();
      await held;
    }
    expect(found(client)).toEqual(["IDEM-4 info"]);
  });

  test("accepts consecutive requests", async () => {
    const client = await openClient();
    const key = randomUUID();
    for (const _ of [1, 2, 3, 4]) await client.order({ key });
    expect(found(client)).toEqual([]);
  });

  test("accepts parallel orders with different keys", async () => {
    const client = await openClient();
    await Promise.all([1, 2, 3, 4].map((n) => client.order({ body: { name: `card ${n}` } })));
    expect(found(client)).toEqual([]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const client = await openClient();
    for (const _ of [1, 2, 3, 4]) await race(client, 5, { negative: true });
    await race(client);
    expect(found(client)).toEqual(["IDEM-4 info"]);
  });
});
