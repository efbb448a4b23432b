import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openClient } from "../../../support/open-client.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const nil = "00000000-0000-0000-0000-000000000000";
const sample = "550E8400-E29B-41D4-A716-446655440000";

const named = (name: string) => ({ body: { name } });

describe("IDEM-3: same Idempotency-Key for all orders", () => {
  test.each([nil, "ffffffff-ffff-ffff-ffff-ffffffffffff", sample])(
    "reports two orders with %s",
    async (key) => {
      const client = await openClient();
      await client.order({ key, ...named("first") });
      await client.order({ key, ...named("second") });
      expect(found(client)).toEqual(["IDEM-2 critical", "IDEM-3 high"]);
    },
  );

  test("reports three orders with any key, once", async () => {
    const client = await openClient();
    for (const name of ["first", "second", "third", "fourth"]) await client.order({ key, ...named(name) });
    expect(client.findings().findings).toMatchObject([
      { id: "IDEM-2", times: 3 },
      { id: "IDEM-3", times: 1, occurrences: [{ requests: [{ id: "2" }, { id: "3" }, { id: "4" }] }] },
    ]);
  });

  test("reports the same order of two members with the nil UUID", async () => {
    const client = await openClient();
    await client.order({ key: nil });
    await client.order({ key: nil, token: await client.exchange("sk_sandbox_northwind_admin") });
    expect(found(client)).toEqual(["IDEM-3 high"]);
  });

  test("accepts one order with the nil UUID, and its retries", async () => {
    const client = await openClient();
    client.scenario("issuer-recovers");
    for (const _ of [1, 2, 3, 4]) {
      await client.order({ key: nil });
      client.wait(1000);
    }
    expect(found(client)).not.toContain("IDEM-3 high");
  });

  test("accepts two orders with one key, which IDEM-2 reports", async () => {
    const client = await openClient();
    await client.order({ key, ...named("first") });
    await client.order({ key, ...named("second") });
    expect(found(client)).toEqual(["IDEM-2 critical"]);
  });

  test("accepts a fixed key in tests that reset the world", async () => {
    const client = await openClient();
    for (const name of ["first", "second", "third"]) {
      client.reset();
      const token = await client.exchange("sk_sandbox_northwind_owner");
      await client.order({ key: nil, token, ...named(name) });
    }
    expect(found(client)).toEqual([]);
  });

  test("accepts a fixed key with refused bodies and one valid body", async () => {
    const client = await openClient();
    for (const pin of ["1", "12", "123", "4821"]) await client.order({ key, body: { pin } });
    expect(found(client)).toEqual(["IDEM-2 info"]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const client = await openClient();
    for (const name of ["first", "second", "third"])
      await client.order({ key, negative: true, ...named(name) });
    expect(found(client)).toEqual([]);
  });
});
