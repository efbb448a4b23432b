import { describe, expect, test } from "vitest";
import { makeSecret } from "../../../../src/rules/api-key.ts";
import { seededRandom } from "../../../../src/rules/random.ts";
import { found } from "../../../support/found.ts";
import { openSandbox } from "../../../support/open-sandbox.ts";

const key = "sk_sandbox_northwind_owner";
/** A key of another sandbox, unknown to this one. */
const strange = makeSecret("sandbox", seededRandom(7).block("api_key_secret", "elsewhere", 1));

const path = "/developer/accounts";
const bearer = (credential: string) => ({ headers: { Authorization: `Bearer ${credential}` } });

describe("AUTH-1: API key sent outside the token exchange", () => {
  test("reports a client that only sends its key as Bearer token", async () => {
    const sandbox = openSandbox();
    for (const _ of [1, 2, 3]) await sandbox.request(path, bearer(key));
    expect(found(sandbox, "northwind")).toEqual(["AUTH-1 critical"]);
    const [occurrence] = sandbox.findings().findings[0]?.occurrences ?? [];
    expect(occurrence?.requests.map(({ id, status }) => [id, status])).toEqual([
      ["1", 401],
      ["2", 401],
      ["3", 401],
    ]);
  });

  test.each<[string, (token: string) => [string, RequestInit]]>([
    [
      "another header",
      (token) => [path, { headers: { Authorization: `Bearer ${token}`, "X-Api-Key": key } }],
    ],
    [
      "the User-Agent",
      (token) => [path, { headers: { ...bearer(token).headers, "User-Agent": `acme ${key}` } }],
    ],
    [
      "the Idempotency-Key",
      () => ["/developer/cards/physical", { method: "POST", headers: { "Idempotency-Key": key } }],
    ],
    ["the query", (token) => [`${path}?api_key=${key}`, bearer(token)]],
    ["the path", () => [`/developer/keys/${key}`, {}]],
    ["the query of the token endpoint", () => [`/auth/v1/sandbox/token?api_key=${key}`, { method: "POST" }]],
    [
      "a header of the token endpoint in addition to the body",
      () => [
        "/auth/v1/sandbox/token",
        { method: "POST", body: JSON.stringify({ api_key: key }), ...bearer(key) },
      ],
    ],
    ["a header, from another sandbox", () => [path, { headers: { "X-Api-Key": strange } }]],
    ["the Bearer token, from another sandbox", () => [path, bearer(strange)]],
  ])("reports a key in %s", async (_, asked) => {
    const sandbox = openSandbox();
    await sandbox.request(...asked(await sandbox.exchange(key)));
    expect(found(sandbox)).toEqual(["AUTH-1 critical"]);
  });

  test("reports a key in a field of an order", async () => {
    const sandbox = openSandbox();
    await sandbox.order({ body: { delivery_address: { line1: key, country_code: "GB" } } });
    expect(found(sandbox)).toEqual(["AUTH-1 critical"]);
  });

  test("reports Basic credentials of a client that never exchanges its key", async () => {
    const sandbox = openSandbox();
    const headers = { Authorization: `Basic ${btoa(`${key}:`)}` };
    for (const _ of [1, 2, 3]) await sandbox.request(path, { headers });
    expect(found(sandbox)).toEqual(["AUTH-1 critical"]);
  });

  test("reports a single 401 of a client that exchanges its key as info", async () => {
    const sandbox = openSandbox();
    await sandbox.request(path, bearer(key));
    await sandbox.get(path);
    expect(found(sandbox)).toEqual(["AUTH-1 info"]);
  });

  test("reports one 401 for each operation as info", async () => {
    const sandbox = openSandbox();
    for (const at of [path, "/developer/cards", "/developer/companies"])
      await sandbox.request(at, bearer(key));
    expect(found(sandbox)).toEqual(["AUTH-1 info"]);
  });

  test("ignores requests with Sandbox-Test: negative", async () => {
    const sandbox = openSandbox();
    const headers = { ...bearer(key).headers, "Sandbox-Test": "negative" };
    await sandbox.request(path, { headers });
    expect(found(sandbox)).toEqual([]);
  });

  test.each(["sk_test", "sk_sandbox_", "task_list", strange.replace(/.$/, "!"), "sk_live_of_the_team"])(
    "accepts a text that only looks like a key: %s",
    async (name) => {
      const sandbox = openSandbox();
      await sandbox.order({ body: { name } });
      expect(found(sandbox)).toEqual([]);
    },
  );

  test("accepts a key in the body of a token endpoint, with any response", async () => {
    const sandbox = openSandbox();
    await sandbox.exchange(key);
    await sandbox.post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_revoked" });
    await sandbox.post("/auth/v1/sandbox/token", { api_key: strange });
    expect(found(sandbox)).toEqual([]);
  });

  test("masks the key", async () => {
    const sandbox = openSandbox();
    await sandbox.request(`/developer/keys/${key}?api_key=${strange}`, {
      headers: { ...bearer(key).headers, "X-Api-Key": key },
    });
    await sandbox.request(path, bearer(key));
    const told = JSON.stringify(sandbox.findings());
    expect(told).toContain("AUTH-1");
    for (const secret of [key, strange]) expect(told).not.toContain(secret.slice("sk_sandbox_".length));
  });
});
