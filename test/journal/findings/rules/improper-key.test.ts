import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openClient } from "../../../support/open-client.ts";

const missing = { headers: { "Idempotency-Key": undefined } };
const malformed = { key: "order-1" };

describe("IDEM-6, an order without a proper key", () => {
  test.each([
    { kind: "no key", sent: missing },
    { kind: "no UUID", sent: malformed },
  ])("found: three orders with $kind, and none with a proper one", async ({ sent }) => {
    const client = await openClient();
    for (const _ of [1, 2, 3, 4]) await client.order(sent);
    expect(client.findings().findings).toMatchObject([
      {
        id: "IDEM-6",
        severity: "high",
        times: 1,
        occurrences: [{ requests: [{ id: "2" }, { id: "3" }, { id: "4" }] }],
      },
    ]);
  });

  test("found: virtual cards alone are ordered without a key, over resets too", async () => {
    const client = await openClient();
    await client.order();
    for (const _ of [1, 2, 3]) {
      client.reset();
      await client.virtual({ ...missing, token: await client.exchange("sk_sandbox_northwind_owner") });
    }
    expect(found(client)).toEqual(["IDEM-6 high"]);
  });

  test("right: every way of sending none or a wrong one, and then a proper one", async () => {
    const client = await openClient();
    for (const key of ["", "order-1", "1", "7f9c24e8", `"${crypto.randomUUID()}"`]) {
      await client.order({ headers: { "Idempotency-Key": key } });
    }
    for (const _ of [1, 2, 3]) await client.order(missing);
    await client.order();
    expect(found(client)).toEqual([]);
  });

  test("only worth knowing: two of each, which may be on purpose", async () => {
    const client = await openClient();
    for (const sent of [missing, missing, malformed, malformed]) await client.order(sent);
    expect(found(client)).toEqual(["IDEM-6 info"]);
  });

  test("right: orders that are refused before their key is looked at", async () => {
    const client = await openClient({ apiKey: "sk_sandbox_northwind_employee" });
    for (const _ of [1, 2, 3]) await client.order(missing);
    expect(found(client)).not.toContain("IDEM-6 high");
  });

  test("right: no other operation takes a key", async () => {
    const client = await openClient();
    for (const _ of [1, 2, 3]) await client.listCards();
    expect(found(client)).toEqual([]);
  });

  test("muted: what is wrong on purpose does not count", async () => {
    const client = await openClient();
    for (const _ of [1, 2, 3, 4]) await client.order({ ...missing, negative: true });
    expect(found(client)).toEqual([]);
    await client.order(missing);
    expect(found(client)).toEqual(["IDEM-6 info"]);
  });
});
