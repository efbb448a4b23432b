import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openClient } from "../../../support/open-client.ts";

const missing = { headers: { "Idempotency-Key": undefined } };
const malformed = { key: "order-1" };

describe("IDEM-6: order without a valid Idempotency-Key", () => {
  test.each([
    { kind: "no key", sent: missing },
    { kind: "a key that is not a UUID", sent: malformed },
  ])("reports three orders with $kind and none with a valid key", async ({ sent }) => {
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

  test("reports virtual cards without a key, across resets", async () => {
    const client = await openClient();
    await client.order();
    for (const _ of [1, 2, 3]) {
      client.reset();
      await client.virtual({ ...missing, token: await client.exchange("sk_sandbox_northwind_owner") });
    }
    expect(found(client)).toEqual(["IDEM-6 high"]);
  });

  test("accepts missing and invalid keys before a valid one", async () => {
    const client = await openClient();
    for (const key of ["", "order-1", "1", "7f9c24e8", `"${crypto.randomUUID()}"`]) {
      await client.order({ headers: { "Idempotency-Key": key } });
    }
    for (const _ of [1, 2, 3]) await client.order(missing);
    await client.order();
    expect(found(client)).toEqual([]);
  });

  test("reports two of each as info", async () => {
    const client = await openClient();
    for (const sent of [missing, missing, malformed, malformed]) await client.order(sent);
    expect(found(client)).toEqual(["IDEM-6 info"]);
  });

  test("accepts orders that are refused before their key is read", async () => {
    const client = await openClient({ apiKey: "sk_sandbox_northwind_employee" });
    for (const _ of [1, 2, 3]) await client.order(missing);
    expect(found(client)).not.toContain("IDEM-6 high");
  });

  test("accepts other operations without a key", async () => {
    const client = await openClient();
    for (const _ of [1, 2, 3]) await client.listCards();
    expect(found(client)).toEqual([]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const client = await openClient();
    for (const _ of [1, 2, 3, 4]) await client.order({ ...missing, negative: true });
    expect(found(client)).toEqual([]);
    await client.order(missing);
    expect(found(client)).toEqual(["IDEM-6 info"]);
  });
});
