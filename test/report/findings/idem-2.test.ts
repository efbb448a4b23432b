import { describe, expect, test } from "vitest";
import { found } from "../../support/found.ts";
import { openSandbox } from "../../support/open-sandbox.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

async function withClient() {
  const sandbox = openSandbox();
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  const order = (body = {}, scenario?: string) =>
    sandbox.order({ token, key, body, headers: { "Sandbox-Scenario": scenario } });
  return { ...sandbox, order };
}

describe("IDEM-2, a key reused for another order", () => {
  test("found: another order under the key of one that was made", async () => {
    const client = await withClient();
    await client.order();
    await client.order({ delivery_method: "classic" });
    expect(found(client)).toEqual(["IDEM-2 critical"]);
  });

  test("found: another order under the key of one whose outcome is not known", async () => {
    const client = await withClient();
    await client.order({}, "issuer-unavailable");
    await client.order({ pin: "1111" });
    expect(found(client)).toEqual(["IDEM-2 critical"]);
  });

  test("right: the same order again", async () => {
    const client = await withClient();
    for (const _ of [1, 2, 3]) await client.order();
    expect(found(client)).toEqual([]);
  });

  test("right: the same order, written otherwise", async () => {
    const client = await withClient();
    await client.order({ spending_limit: { period: "daily", amount: "10.00" } });
    await client.order({
      spending_limit: { amount: 10, period: "daily" },
      remark: "a field that is ignored",
    });
    expect(found(client)).toEqual([]);
  });

  test("only worth knowing: a body that was corrected after 400", async () => {
    const client = await withClient();
    await client.order({ pin: "48210" });
    await client.order();
    expect(found(client)).toEqual(["IDEM-2 info"]);
  });
});
