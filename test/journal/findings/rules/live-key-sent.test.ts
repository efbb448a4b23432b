import { describe, expect, test } from "vitest";
import { makeSecret } from "../../../../src/rules/api-key.ts";
import { seededRandom } from "../../../../src/rules/random.ts";
import { found } from "../../../support/found.ts";
import { openSandbox } from "../../../support/open-sandbox.ts";

const made = makeSecret("live", seededRandom(7).block("api_key_secret", "elsewhere", 1));
const drawn = "sk_live_9fQ2xLw7RtV0bKz4";

const exchange = (sandbox: ReturnType<typeof openSandbox>, apiKey: string, headers = {}) =>
  sandbox.post("/auth/v1/sandbox/token", { api_key: apiKey }, headers);

describe("AUTH-2: live API key sent to the sandbox", () => {
  test.each([made, drawn])("reports a foreign live key at the sandbox token endpoint", async (apiKey) => {
    const sandbox = openSandbox();
    await exchange(sandbox, apiKey);
    expect(found(sandbox)).toEqual(["AUTH-2 critical"]);
    expect(JSON.stringify(sandbox.findings())).not.toContain(apiKey.slice("sk_live_".length));
  });

  test("reports a foreign live key in a header", async () => {
    const sandbox = openSandbox();
    await sandbox.request("/developer/accounts", { headers: { Authorization: `Bearer ${drawn}` } });
    expect(found(sandbox)).toEqual(["AUTH-2 critical"]);
  });

  test("reports the sandbox's own live key at the sandbox token endpoint as info", async () => {
    const sandbox = openSandbox();
    await exchange(sandbox, "sk_live_northwind_owner");
    expect(found(sandbox)).toEqual(["AUTH-2 info"]);
    expect(JSON.stringify(sandbox.findings())).not.toContain("northwind_owner");
  });

  test.each(["sk_live_abc", "sk_live_test_key_0123456789abcdef", "sk_live_xxxxxxxxxxxxxxxxxxxxxxxx1"])(
    "reports the made-up key %s as info",
    async (apiKey) => {
      const sandbox = openSandbox();
      await exchange(sandbox, apiKey);
      expect(found(sandbox)).toEqual(["AUTH-2 info"]);
    },
  );

  test("accepts a live key at the live token endpoint", async () => {
    const sandbox = openSandbox();
    await sandbox.exchange("sk_live_northwind_owner");
    await sandbox.post("/auth/v1/token", { api_key: drawn });
    expect(found(sandbox)).toEqual([]);
  });

  test("accepts a card whose name starts like a live key", async () => {
    const sandbox = openSandbox();
    await sandbox.order({ body: { name: "sk_live_" } });
    await sandbox.order({ body: { name: "sk_live_card" } });
    expect(found(sandbox)).toEqual([]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const sandbox = openSandbox();
    await exchange(sandbox, drawn, { "Sandbox-Test": "negative" });
    expect(found(sandbox)).toEqual([]);
  });
});
