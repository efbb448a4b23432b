import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openClient } from "../../../support/open-client.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const nil = "00000000-0000-0000-0000-000000000000";
const sample = "550E8400-E29B-41D4-A716-446655440000";

const named = (name: string) => ({ body: { name } });

describe("IDEM-3, a constant key", () => {
  test.each([nil, "ffffffff-ffff-ffff-ffff-ffffffffffff", sample])(
    "found: two orders under %s",
    async (key) => {
      const client = await openClient();
      await client.order({ key, ...named("first") });
      await client.order({ key, ...named("second") });
      expect(found(client)).toEqual(["IDEM-2 critical", "IDEM-3 high"]);
    },
  );

  test("found: three orders under any one key, once", async () => {
    const client = await openClient();
    for (const name of ["first", "second", "third", "fourth"]) await client.order({ key, ...named(name) });
    expect(client.findings().findings).toMatchObject([
      { id: "IDEM-2", times: 3 },
      { id: "IDEM-3", times: 1, occurrences: [{ requests: [{ id: "2" }, { id: "3" }, { id: "4" }] }] },
    ]);
  });

  test("found: the nil UUID under which two members order the same", async () => {
    const client = await openClient();
    await client.order({ key: nil });
    await client.order({ key: nil, token: await client.exchange("sk_sandbox_northwind_admin") });
    expect(found(client)).toEqual(["IDEM-3 high"]);
  });

  test("right: one order under the nil UUID, and its retries", async () => {
    const client = await openClient();
    client.scenario("issuer-recovers");
    for (const _ of [1, 2, 3, 4]) {
      await client.order({ key: nil });
      client.wait(1000);
    }
    expect(found(client)).not.toContain("IDEM-3 high");
  });

  test("right: two orders under one key, of which IDEM-2 tells", async () => {
    const client = await openClient();
    await client.order({ key, ...named("first") });
    await client.order({ key, ...named("second") });
    expect(found(client)).toEqual(["IDEM-2 critical"]);
  });

  test("right: a fixed key in tests that put the world back", async () => {
    const client = await openClient();
    for (const name of ["first", "second", "third"]) {
      client.reset();
      const token = await client.exchange("sk_sandbox_northwind_owner");
      await client.order({ key: nil, token, ...named(name) });
    }
    expect(found(client)).toEqual([]);
  });

  test("right: a fixed key with bodies that are refused, and with one that is not", async () => {
    const client = await openClient();
    for (const pin of ["1", "12", "123", "4821"]) await client.order({ key, body: { pin } });
    expect(found(client)).toEqual(["IDEM-2 info"]);
  });

  test("muted: what is wrong on purpose does not count", async () => {
    const client = await openClient();
    for (const name of ["first", "second", "third"])
      await client.order({ key, negative: true, ...named(name) });
    expect(found(client)).toEqual([]);
  });
});
