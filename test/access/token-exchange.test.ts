import { describe, expect, test } from "vitest";
import { base, openSandbox } from "../support/open-sandbox.ts";

const sandboxPath = "/auth/v1/sandbox/token";
const livePath = "/auth/v1/token";

describe("an API key is exchanged for an access token (spec §4, §5)", () => {
  test.each([
    [sandboxPath, "sk_sandbox_northwind_owner"],
    [livePath, "sk_live_northwind_owner"],
  ])("%s exchanges API keys of its environment", async (path, api_key) => {
    const reply = await openSandbox({ now: "2026-03-10T09:30:00Z" }).post(path, { api_key });
    expect([reply.status, reply.point, reply.provenance]).toEqual([200, "token.issued", "specified"]);
    expect(reply.headers.get("Cache-Control")).toBe("no-store");
    expect(reply.headers.get("Content-Type")).toBe("application/json");
    expect(reply.json).toEqual({
      access_token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      expires_at: "2026-03-10T09:45:00.000Z",
    });
  });

  test("creates a new token at each exchange, and older tokens stay valid", async () => {
    const sandbox = openSandbox();
    const tokens = [
      await sandbox.exchange("sk_sandbox_northwind_owner"),
      await sandbox.exchange("sk_sandbox_northwind_owner"),
    ];
    expect(tokens[0]).not.toBe(tokens[1]);
    for (const token of tokens) expect((await sandbox.order({ token })).status).toBe(201);
  });

  test("needs no header, and ignores unknown fields", async () => {
    const body = new Blob(['{"api_key": "sk_sandbox_northwind_owner", "more": 1}']).stream();
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    expect((await openSandbox().fetch(new Request(base + sandboxPath, init))).status).toBe(200);
  });

  test("exchanges the API key of a suspended company", async () => {
    expect(await openSandbox().exchange("sk_sandbox_frostbite_owner")).toHaveLength(43);
  });

  test("stores tokens and API keys as hashes, except the public secrets of fixtures", async () => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const kept = sandbox.database.all<{ hash: Uint8Array }>("SELECT * FROM access_tokens");
    expect(JSON.stringify(kept)).not.toContain(token);
    expect(kept[0]?.hash).toHaveLength(32);
  });
});

describe("expired tokens are deleted after 10,000 later ones, a few at each exchange", () => {
  const owner = "sk_sandbox_northwind_owner";
  /** As if so many had been exchanged since. */
  const makeMore = ({ database }: ReturnType<typeof openSandbox>, n: number) =>
    database.run(
      `INSERT INTO access_tokens (hash, company_pk, api_key_pk, expires_at_ms)
       WITH RECURSIVE made(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM made WHERE n < ?)
       SELECT randomblob(32), company_pk, api_key_pk, expires_at_ms
       FROM made JOIN access_tokens ON pk = (SELECT min(pk) FROM access_tokens)`,
      n,
    );
  const pointFor = async ({ order }: ReturnType<typeof openSandbox>, token: string) =>
    (await order({ token })).point;

  test("returns auth.token_expired until the token is deleted", async () => {
    const sandbox = openSandbox();
    const first = await sandbox.exchange(owner);
    makeMore(sandbox, 9990);
    const second = await sandbox.exchange(owner);
    sandbox.clockOfTest.advance(15 * 60_000);
    expect(await pointFor(sandbox, first)).toBe("auth.token_expired");
    makeMore(sandbox, 100);
    for (let n = 0; n < 10; n++) await sandbox.exchange(owner);
    expect(await pointFor(sandbox, first)).toBe("auth.token_invalid");
    expect(await pointFor(sandbox, second)).toBe("auth.token_expired");
    expect(sandbox.database.get("SELECT count(*) AS n FROM access_tokens")).toEqual({
      n: 9992 + 100 + 10 - 40,
    });
  });

  test("keeps valid tokens, regardless of the number of later ones", async () => {
    const sandbox = openSandbox();
    const first = await sandbox.exchange(owner);
    makeMore(sandbox, 10_100);
    for (let n = 0; n < 3; n++) await sandbox.exchange(owner);
    expect(await pointFor(sandbox, first)).toBe("order.created");
    expect(sandbox.database.get("SELECT count(*) AS n FROM access_tokens")).toEqual({ n: 10_104 });
  });

  test("uses the clock of the token's company", async () => {
    const sandbox = openSandbox();
    const first = await sandbox.exchange(owner);
    makeMore(sandbox, 10_100);
    await sandbox.clock.advance({ by: "PT1H", company: "fullhouse" });
    await sandbox.exchange("sk_sandbox_fullhouse_owner");
    expect(await pointFor(sandbox, first)).toBe("order.created");
    await sandbox.clock.advance({ by: "PT1H", company: "northwind" });
    await sandbox.exchange("sk_sandbox_fullhouse_owner");
    expect(await pointFor(sandbox, first)).toBe("auth.token_invalid");
  });
});

describe("a failed exchange returns the error body of the gateway (assumed)", () => {
  test.each([
    ["no JSON", "{"],
    ["nothing", ""],
    ["a list", "[]"],
    ["null", "null"],
    ["a string", '"sk_sandbox_northwind_owner"'],
    ["no api_key", "{}"],
    ["api_key null", '{"api_key": null}'],
    ["api_key a number", '{"api_key": 1}'],
    ["api_key empty", '{"api_key": ""}'],
    ["over 64 KiB", `{"api_key": "${"k".repeat(65536)}"}`],
  ])("returns 400 invalid_request: %s", async (_, body) => {
    const reply = await openSandbox().post(sandboxPath, body);
    expect([reply.status, reply.point]).toEqual([400, "token.invalid_request"]);
    expect(reply.json).toEqual({
      success: false,
      error: { code: "invalid_request", message: expect.stringMatching(/api_key|at most 64 KiB/) },
    });
  });

  test.each([
    ["an unknown key", sandboxPath, "sk_sandbox_nobody", "token.key_unknown", "no API key with this secret"],
    ["no key at all", sandboxPath, "hello", "token.key_unknown", "no API key"],
    ["a revoked key", sandboxPath, "sk_sandbox_northwind_revoked", "token.key_revoked", "revoked"],
    [
      "a live key at the sandbox endpoint",
      sandboxPath,
      "sk_live_northwind_owner",
      "token.environment_mismatch",
      "must be a sandbox key, but is a live key. Exchange it at POST /auth/v1/token.",
    ],
    [
      "a sandbox key at the live endpoint",
      livePath,
      "sk_sandbox_northwind_owner",
      "token.environment_mismatch",
      "must be a live key, but is a sandbox key. Exchange it at POST /auth/v1/sandbox/token.",
    ],
  ])("returns 401 invalid_api_key with the reason: %s", async (_, path, api_key, point, why) => {
    const reply = await openSandbox().post(path, { api_key });
    expect([reply.status, reply.point, reply.provenance]).toEqual([401, point, "assumed"]);
    expect(reply.json).toEqual({
      success: false,
      error: { code: "invalid_api_key", message: expect.stringContaining(why) },
    });
    expect(reply.text).not.toContain(api_key);
    expect(reply.headers.get("WWW-Authenticate")).toBe('Bearer realm="token"');
  });

  test("refuses the API key of an inactive member (spec §5.1)", async () => {
    const sandbox = openSandbox();
    sandbox.control.companies.changeMember("northwind-owner", { status: "inactive" });
    const reply = await sandbox.post(sandboxPath, { api_key: "sk_sandbox_northwind_owner" });
    expect([reply.status, reply.point]).toEqual([401, "token.member_inactive"]);
    expect(reply.json.error.code).toBe("invalid_api_key");
    expect(reply.headers.get("WWW-Authenticate")).toBe('Bearer realm="token"');
  });

  test("tokens stay valid when their API key is revoked (spec §5.4)", async () => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    sandbox.database.run("UPDATE api_keys SET status = 'revoked'");
    expect((await sandbox.order({ token })).status).toBe(201);
    const refused = await sandbox.post(sandboxPath, { api_key: "sk_sandbox_northwind_owner" });
    expect(refused.point).toBe("token.key_revoked");
  });
});

test("checks the rate limit and availability before a revoked API key, and records these checks", async () => {
  const sandbox = openSandbox();
  const exchange = (apiKey: string, scenario?: string) =>
    sandbox.post(
      "/auth/v1/sandbox/token",
      { api_key: apiKey },
      scenario ? { "Sandbox-Scenario": scenario } : {},
    );
  const forced = await exchange("sk_sandbox_northwind_owner", "key-revoked");
  const limited = await exchange("sk_sandbox_northwind_revoked", "rate-limited");
  const real = await exchange("sk_sandbox_northwind_revoked");
  expect([forced.point, limited.point, real.point]).toEqual([
    "token.key_revoked",
    "gateway.rate_limited",
    "token.key_revoked",
  ]);
  const passed = ["body", "key_environment", "key_known", "rate_limit", "availability"];
  const revoked = sandbox.requests.list().requests.filter(({ status }) => status === 401);
  expect(revoked.map(({ checks }) => checks)).toEqual([passed, passed]);
});
