import { describe, expect, test } from "vitest";
import { makeSecret } from "../../../../src/rules/api-key.ts";
import { seededRandom } from "../../../../src/rules/random.ts";
import { found } from "../../../support/found.ts";
import { openSandbox } from "../../../support/open-sandbox.ts";

const key = "sk_sandbox_northwind_owner";
/** A key of another sandbox, which this one does not know. */
const strange = makeSecret("sandbox", seededRandom(7).block("api_key_secret", "elsewhere", 1));

const path = "/developer/accounts";
const bearer = (credential: string) => ({ headers: { Authorization: `Bearer ${credential}` } });

describe("AUTH-1, an API key outside the token exchange", () => {
  test("found: a client that sends its key as the bearer, and knows no better", async () => {
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
      "a header of the token endpoint, although the body has it too",
      () => [
        "/auth/v1/sandbox/token",
        { method: "POST", body: JSON.stringify({ api_key: key }), ...bearer(key) },
      ],
    ],
    ["a header, and of another sandbox", () => [path, { headers: { "X-Api-Key": strange } }]],
    ["the bearer, and of another sandbox", () => [path, bearer(strange)]],
  ])("found: a key in %s", async (_, asked) => {
    const sandbox = openSandbox();
    await sandbox.request(...asked(await sandbox.exchange(key)));
    expect(found(sandbox)).toEqual(["AUTH-1 critical"]);
  });

  test("found: a key in a field of an order", async () => {
    const sandbox = openSandbox();
    await sandbox.order({ body: { delivery_address: { line1: key, country_code: "GB" } } });
    expect(found(sandbox)).toEqual(["AUTH-1 critical"]);
  });

  test("found: Basic credentials of a client that exchanges nothing", async () => {
    const sandbox = openSandbox();
    const headers = { Authorization: `Basic ${btoa(`${key}:`)}` };
    for (const _ of [1, 2, 3]) await sandbox.request(path, { headers });
    expect(found(sandbox)).toEqual(["AUTH-1 critical"]);
  });

  test("only worth knowing: the 401 is looked at once, and the key is exchanged otherwise", async () => {
    const sandbox = openSandbox();
    await sandbox.request(path, bearer(key));
    await sandbox.get(path);
    expect(found(sandbox)).toEqual(["AUTH-1 info"]);
  });

  test("only worth knowing: the 401 is looked at in a sandbox of its own, on one operation after another", async () => {
    const sandbox = openSandbox();
    for (const at of [path, "/developer/cards", "/developer/companies"])
      await sandbox.request(at, bearer(key));
    expect(found(sandbox)).toEqual(["AUTH-1 info"]);
  });

  test("right: it says that it is wrong on purpose", async () => {
    const sandbox = openSandbox();
    const headers = { ...bearer(key).headers, "Sandbox-Test": "negative" };
    await sandbox.request(path, { headers });
    expect(found(sandbox)).toEqual([]);
  });

  test.each(["sk_test", "sk_sandbox_", "task_list", strange.replace(/.$/, "!"), "sk_live_of_the_team"])(
    "right: what merely looks like a key, as %s",
    async (name) => {
      const sandbox = openSandbox();
      await sandbox.order({ body: { name } });
      expect(found(sandbox)).toEqual([]);
    },
  );

  test("right: a key in the body of a token endpoint, whatever it answers", async () => {
    const sandbox = openSandbox();
    await sandbox.exchange(key);
    await sandbox.post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_revoked" });
    await sandbox.post("/auth/v1/sandbox/token", { api_key: strange });
    expect(found(sandbox)).toEqual([]);
  });

  test("no key is shown", async () => {
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
