import { describe, expect, test } from "vitest";
import { found } from "../../../support/found.ts";
import { base, openSandbox } from "../../../support/open-sandbox.ts";

const key = "sk_sandbox_northwind_owner";
const path = "/developer/accounts";

/** A client whose token has expired. */
async function withExpiredToken() {
  const sandbox = openSandbox();
  const token = await sandbox.exchange(key);
  await sandbox.clock.advance({ by: "PT16M" });
  const get = (at = path, headers = {}) => {
    sandbox.clockOfTest.advance(200);
    return sandbox.get(at, { token, headers });
  };
  return { ...sandbox, token, get, getAtOnce: () => sandbox.get(path, { token }) };
}

describe("AUTH-4: expired access token sent again after its 401", () => {
  test("reports repeated requests without an exchange", async () => {
    const client = await withExpiredToken();
    for (const _ of [1, 2, 3, 4, 5]) await client.get();
    expect(found(client, "northwind")).toEqual(["AUTH-4 high"]);
    const [finding] = client.findings({ final: true }).findings;
    expect(finding?.times).toBe(1);
    expect(finding?.occurrences[0]?.requests.map(({ id }) => id)).toEqual(["2", "3", "4"]);
    expect(JSON.stringify(finding)).not.toContain(client.token);
  });

  test("reports repeated requests with other requests in between", async () => {
    const client = await withExpiredToken();
    for (const at of [path, "/developer/cards", path, "/developer/cards", path]) await client.get(at);
    expect(found(client)).toEqual(["AUTH-4 high"]);
  });

  test("accepts one 401 followed by an exchange", async () => {
    const client = await withExpiredToken();
    await client.get();
    const token = await client.exchange(key);
    await client.get(path, { Authorization: `Bearer ${token}` });
    expect(found(client)).toEqual([]);
  });

  test("accepts an expired token that is tried on one operation after another", async () => {
    const client = await withExpiredToken();
    for (const at of [path, "/developer/cards", "/developer/companies", "/developer/transactions"]) {
      await client.get(at);
    }
    expect(found(client)).toEqual([]);
  });

  test("accepts another instance that exchanges in between", async () => {
    const client = await withExpiredToken();
    for (const _ of [1, 2, 3]) {
      await client.get();
      await client.exchange(key);
    }
    expect(found(client)).toEqual([]);
  });

  test("accepts a client whose exchange fails", async () => {
    const client = await withExpiredToken();
    for (const _ of [1, 2, 3]) {
      await client.get();
      await client.post(
        "/auth/v1/sandbox/token",
        { api_key: key },
        { "Sandbox-Scenario": "token-unavailable" },
      );
      await client.post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_revoked" });
    }
    expect(found(client)).toEqual([]);
  });

  test("accepts requests in flight when the 401 arrives", async () => {
    const client = await withExpiredToken();
    const ends: (() => void)[] = [];
    const underWay = [1, 2, 3].map(() => {
      const body = new ReadableStream({ start: (controller) => void ends.push(() => controller.close()) });
      const headers = { Authorization: `Bearer ${client.token}` };
      const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
      return client.fetch(new Request(`${base}/developer/webhooks`, init));
    });
    client.clockOfTest.advance(10);
    await client.call("POST", "/developer/webhooks", { token: client.token });
    for (const end of ends) end();
    await Promise.all(underWay);
    expect(client.exchanges.filter(({ point }) => point === "auth.token_expired")).toHaveLength(4);
    expect(found(client)).toEqual([]);
  });

  test("accepts a queue that is processed before the exchange", async () => {
    const client = await withExpiredToken();
    for (const _ of [1, 2, 3, 4, 5]) await client.get();
    await client.exchange(key);
    expect(found(client)).toEqual([]);
  });

  test("reports an exchange after many requests", async () => {
    const client = await withExpiredToken();
    for (const _ of [1, 2, 3, 4]) {
      client.clockOfTest.advance(3000);
      await client.get();
    }
    await client.exchange(key);
    expect(found(client)).toEqual(["AUTH-4 high"]);
  });

  test("accepts several parallel requests", async () => {
    const client = await withExpiredToken();
    await Promise.all([1, 2, 3, 4].map(() => client.getAtOnce()));
    expect(found(client)).toEqual([]);
  });

  test("accepts a 401 that a scenario forced, because the token is still valid", async () => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange(key);
    for (const _ of [1, 2, 3, 4]) {
      await sandbox.order({ token, headers: { "Sandbox-Scenario": "token-expired" } });
    }
    expect(found(sandbox)).toEqual([]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const client = await withExpiredToken();
    await client.get();
    for (const _ of [1, 2, 3]) await client.get(path, { "Sandbox-Test": "negative" });
    expect(found(client)).toEqual([]);
  });
});
