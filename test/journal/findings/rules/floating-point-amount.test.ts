import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openSandbox } from "../../../support/open-sandbox.ts";

const limit = (amount: unknown) => ({ body: { spending_limit: { period: "monthly", amount } } });

describe("VAL-1: amount with a floating-point error", () => {
  test.each([
    19.99 + 1e-14,
    0.7 + 0.1,
    "10.000000000000002",
    "19.989999771118164",
    "19.989999999999998436805981327779591083526611328125",
  ])("reports %s", async (amount) => {
    const sandbox = openSandbox();
    await sandbox.order(limit(amount));
    expect(found(sandbox)).toEqual(["VAL-1 high"]);
  });

  test("reports the amount of a new spending limit", async () => {
    const sandbox = openSandbox();
    const { json } = await sandbox.order();
    const body = { period: "daily", amount: 1.1 * 3 };
    await sandbox.call("PUT", `/developer/cards/${json.id}/spending-limit`, { body });
    expect(found(sandbox)).toEqual(["VAL-1 high"]);
    expect(sandbox.findings().findings[0]?.occurrences[0]).toMatchObject({
      observed: "The amount 3.3000000000000003 was sent instead of 3.30",
      requests: [{ method: "PUT", status: 400 }],
    });
  });

  test.each([
    0.1 + 0.2,
    10.005,
    "10.000",
    "10.001",
    "10.0000001",
    "1e-7",
    1e21,
    0,
    -1,
    "ten",
    null,
    250,
    "250.00",
    99.9,
  ])("accepts %s", async (amount) => {
    const sandbox = openSandbox();
    await sandbox.order(limit(amount));
    expect(found(sandbox)).toEqual([]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const sandbox = openSandbox();
    await sandbox.order({ ...limit(0.7 + 0.1), headers: { "Sandbox-Test": "negative" } });
    expect(found(sandbox)).toEqual([]);
  });
});
