import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openSandbox } from "../../../support/open-sandbox.ts";

async function withOrders(pins: readonly unknown[], headers = {}) {
  const sandbox = openSandbox();
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  for (const pin of pins) await sandbox.order({ token, body: { pin }, headers });
  return sandbox;
}

describe("VAL-2: PIN sent as a number", () => {
  test.each<[string, unknown[]]>([
    ["a client that keeps PINs as numbers", [4821, 1234]],
    ["a client that sent a string once", [4821, 1234, "0007"]],
    ["a retried PIN that lost its leading zero", [821, 821]],
  ])("reports %s", async (_, pins) => {
    const sandbox = await withOrders(pins);
    expect(found(sandbox)).toEqual(["VAL-2 high"]);
    const told = JSON.stringify(sandbox.findings().findings[0]?.occurrences);
    for (const pin of pins) expect(told).not.toContain(String(pin));
  });

  test.each<[string, unknown[]]>([
    ["a test of the refusal among valid orders", [4821, "4821", "1234"]],
    ["a table of invalid PINs", ["4821", 4821, 123, "482", "48210", "abcd", "", null, "1111", "2222"]],
    ["values that are not PINs", [48210, -1, 4.5, 1e9]],
  ])("accepts %s", async (_, pins) => {
    expect(found(await withOrders(pins))).toEqual([]);
  });

  test.each([4821, 821])("reports a single %i as info", async (pin) => {
    expect(found(await withOrders([pin]))).toEqual(["VAL-2 info"]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    expect(found(await withOrders([4821, 821, 1], { "Sandbox-Test": "negative" }))).toEqual([]);
  });

  test("accepts tests that each begin with a reset, one of which sends a number", async () => {
    const sandbox = openSandbox();
    for (const pin of ["4821", 821, "1234"]) {
      sandbox.reset();
      await sandbox.order({ body: { pin } });
    }
    expect(found(sandbox)).toEqual([]);
  });
});
