import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { openSandbox } from "../../../support/open-sandbox.ts";

async function withOrders(pins: readonly unknown[], headers = {}) {
  const sandbox = openSandbox();
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  for (const pin of pins) await sandbox.order({ token, body: { pin }, headers });
  return sandbox;
}

describe("VAL-2, a PIN sent as a number", () => {
  test.each<[string, unknown[]]>([
    ["a client that keeps PINs as numbers", [4821, 1234]],
    ["and sent a string once", [4821, 1234, "0007"]],
    ["a PIN that lost its leading zero, and was tried again", [821, 821]],
  ])("found: %s", async (_, pins) => {
    const sandbox = await withOrders(pins);
    expect(found(sandbox)).toEqual(["VAL-2 high"]);
    const told = JSON.stringify(sandbox.findings().findings[0]?.occurrences);
    for (const pin of pins) expect(told).not.toContain(String(pin));
  });

  test.each<[string, unknown[]]>([
    ["one that is to be refused, beside orders that are not", [4821, "4821", "1234"]],
    [
      "a table of PINs that are to be refused",
      ["4821", 4821, 123, "482", "48210", "abcd", "", null, "1111", "2222"],
    ],
    ["what is no PIN at all", [48210, -1, 4.5, 1e9]],
  ])("right: %s", async (_, pins) => {
    expect(found(await withOrders(pins))).toEqual([]);
  });

  test.each([4821, 821])("only worth knowing: %i, and no other order", async (pin) => {
    expect(found(await withOrders([pin]))).toEqual(["VAL-2 info"]);
  });

  test("right: they say that they are wrong on purpose", async () => {
    expect(found(await withOrders([4821, 821, 1], { "Sandbox-Test": "negative" }))).toEqual([]);
  });

  test("right: tests that each begin with a reset, one of which sends a number", async () => {
    const sandbox = openSandbox();
    for (const pin of ["4821", 821, "1234"]) {
      sandbox.reset();
      await sandbox.order({ body: { pin } });
    }
    expect(found(sandbox)).toEqual([]);
  });
});
