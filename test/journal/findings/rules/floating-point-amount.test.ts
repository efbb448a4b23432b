import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openSandbox } from "../../../support/open-sandbox.ts";

const limit = (amount: unknown) => ({ body: { spending_limit: { period: "monthly", amount } } });

describe("VAL-1, an amount with a floating-point artefact", () => {
  test.each([
    19.99 + 1e-14,
    0.7 + 0.1,
    "10.000000000000002",
    "19.989999771118164",
    "19.989999999999998436805981327779591083526611328125",
  ])("found: %s", async (amount) => {
    const sandbox = openSandbox();
    await sandbox.order(limit(amount));
    expect(found(sandbox)).toEqual(["VAL-1 high"]);
  });

  test("found: in the operation that sets a limit", async () => {
    const sandbox = openSandbox();
    const { json } = await sandbox.order();
    const body = { period: "daily", amount: 1.1 * 3 };
    await sandbox.call("PUT", `/developer/cards/${json.id}/spending-limit`, { body });
    expect(found(sandbox)).toEqual(["VAL-1 high"]);
    expect(sandbox.findings().findings[0]?.occurrences[0]).toMatchObject({
      seen: "The amount 3.3000000000000003 was sent, where 3.30 was meant",
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
  ])("right: %s, whatever it is refused for", async (amount) => {
    const sandbox = openSandbox();
    await sandbox.order(limit(amount));
    expect(found(sandbox)).toEqual([]);
  });

  test("right: it says that it is wrong on purpose", async () => {
    const sandbox = openSandbox();
    await sandbox.order({ ...limit(0.7 + 0.1), headers: { "Sandbox-Test": "negative" } });
    expect(found(sandbox)).toEqual([]);
  });
});
