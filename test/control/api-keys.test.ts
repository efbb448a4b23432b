import { describe, expect, test } from "vitest";
import { openSandbox, type TestOptions } from "../support/open-sandbox.ts";

/** A sandbox with shorthands for its API keys. */
function openKeys(options: TestOptions = {}) {
  const sandbox = openSandbox(options);
  const make = (body: object) => sandbox.post("/_sandbox/api-keys", body);
  const list = async (company = "") =>
    (await sandbox.request(`/_sandbox/api-keys${company && `?company=${company}`}`)).json.api_keys;
  const revoke = (id: string) => sandbox.request(`/_sandbox/api-keys/${id}`, { method: "DELETE" });
  return { ...sandbox, make, list, revoke };
}

describe("API keys (spec §2, §5)", () => {
  test.each([
    ["sandbox", "sk_sandbox_"],
    ["live", "sk_live_"],
  ])("a %s key: its secret is shown this once, and opens", async (environment, prefix) => {
    const sandbox = openKeys();
    const reply = await sandbox.make({ member: "northwind-owner", environment, label: "CI" });
    expect(reply.status).toBe(201);
    expect(reply.json).toEqual({
      id: expect.any(String),
      environment,
      prefix: expect.stringMatching(/^.{16}$/),
      status: "active",
      secret: expect.stringMatching(new RegExp(`^${prefix}[0-9A-Za-z]{38}$`)),
    });
    expect(await sandbox.exchange(reply.json.secret)).toHaveLength(43);
    const listed = await sandbox.list(environment === "live" ? "live/northwind" : "northwind");
    expect(listed.at(-1)).toEqual({
      id: reply.json.id,
      environment,
      prefix: reply.json.prefix,
      status: "active",
      label: "CI",
      member: "northwind-owner",
      company: "northwind",
    });
    const everything = JSON.stringify([
      sandbox.world(),
      await sandbox.list(),
      sandbox.database.all("SELECT * FROM api_keys"),
    ]);
    expect(everything).not.toContain(reply.json.secret);
  });

  test("creates different keys, each with a valid checksum", async () => {
    const sandbox = openKeys();
    sandbox.database.run("UPDATE api_keys SET status = 'revoked'");
    const secrets = new Set<string>();
    for (let n = 0; n < 5; n++) {
      secrets.add((await sandbox.make({ member: "northwind-owner", environment: "sandbox" })).json.secret);
    }
    expect(secrets.size).toBe(5);
    expect(new Set([...secrets].map((secret) => secret.slice(-6))).size).toBe(5);
  });

  test("lists the first 1,000 keys, and sets has_more if there are more", async () => {
    const sandbox = openKeys();
    const columns = "company_pk, membership_pk, environment, prefix, status, public_secret, label";
    sandbox.database.run(
      `INSERT INTO api_keys (id, hash, ${columns})
       WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < 2000)
       SELECT printf('00000000-0000-4000-8000-%012d', n), CAST(n AS BLOB), ${columns} FROM each JOIN api_keys ON pk = 1`,
    );
    const all = (await sandbox.request("/_sandbox/api-keys")).json;
    expect([all.api_keys.length, all.has_more]).toEqual([1000, true]);
    const own = (await sandbox.request("/_sandbox/api-keys?company=halfway")).json;
    expect([own.api_keys.length < 1000, own.has_more]).toEqual([true, false]);
  });

  test("revoking stops new exchanges only, and frees a slot", async () => {
    const sandbox = openKeys();
    const { json: key } = await sandbox.make({ member: "northwind-owner", environment: "sandbox" });
    const token = await sandbox.exchange(key.secret);
    for (let n = 0; n < 2; n++) {
      const revoked = await sandbox.revoke(key.id);
      expect([revoked.status, revoked.json.status]).toEqual([200, "revoked"]);
    }
    expect((await sandbox.order({ token })).status).toBe(201);
    const refused = await sandbox.post("/auth/v1/sandbox/token", { api_key: key.secret });
    expect(refused.point).toBe("token.key_revoked");
  });

  test("refuses a sixth active key of a company for any member", async () => {
    const sandbox = openKeys();
    const make = (member: string) => sandbox.make({ member, environment: "sandbox" });
    const fifth = await make("northwind-employee");
    expect(fifth.status).toBe(201);
    const sixth = await make("northwind-owner");
    expect([sixth.status, sixth.json]).toEqual([
      409,
      { error: expect.stringContaining("key_limit_reached") },
    ]);
    expect((await sandbox.make({ member: "northwind-owner", environment: "live" })).status).toBe(201);
    await sandbox.revoke(fifth.json.id);
    expect((await make("northwind-owner")).status).toBe(201);
  });

  test("refuses a sixth active key of a member when keys are counted per member", async () => {
    const sandbox = openKeys({ choices: { "api_keys.quota": "member" } });
    const statuses = [];
    for (let n = 0; n < 5; n++) {
      statuses.push((await sandbox.make({ member: "northwind-owner", environment: "sandbox" })).status);
    }
    expect(statuses).toEqual([201, 201, 201, 201, 409]);
    expect((await sandbox.make({ member: "northwind-admin", environment: "sandbox" })).status).toBe(201);
  });

  test("a member of two companies can have keys in each", async () => {
    const sandbox = openKeys();
    const { json } = await sandbox.make({
      member: "northwind-admin",
      environment: "sandbox",
      company: "fullhouse",
    });
    const body = { account_id: sandbox.account("fullhouse").id };
    expect((await sandbox.order({ apiKey: json.secret, body })).point).toBe("order.quota_reached");
  });

  test.each([
    [{ environment: "sandbox" }, 400, "member: is required"],
    [{ member: "northwind-owner" }, 400, "environment"],
    [{ member: "northwind-owner", environment: "test" }, 400, "environment"],
    [{ member: "northwind-owner", environment: "sandbox", more: 1 }, 400, "more"],
    [{ member: "nobody", environment: "sandbox" }, 404, "no member"],
    [{ member: "fullhouse-owner", environment: "live" }, 404, "no member"],
    [{ member: "northwind-owner", environment: "sandbox", company: "fullhouse" }, 404, "in fullhouse"],
  ])("%j: %i", async (body, status, message) => {
    const reply = await openKeys().make(body);
    expect([reply.status, reply.json]).toEqual([status, { error: expect.stringContaining(message) }]);
  });

  test("refuses a key for an inactive member", async () => {
    const sandbox = openKeys();
    sandbox.database.run("UPDATE memberships SET status = 'inactive'");
    const reply = await sandbox.make({ member: "fullhouse-owner", environment: "sandbox" });
    expect([reply.status, reply.json.error]).toEqual([409, expect.stringContaining("member_inactive")]);
  });

  test("returns 404 when an unknown key is revoked", async () => {
    expect((await openKeys().revoke("9b2ac1de-4b8c-4f2e-8f53-0c7e5e0f6a11")).status).toBe(404);
  });

  test("issues a token without the secret, which is accepted until it expires", async () => {
    const sandbox = openKeys();
    const { json: key } = await sandbox.make({ member: "northwind-owner", environment: "sandbox" });
    const { status, json } = await sandbox.post(`/_sandbox/api-keys/${key.id}/token`, {});
    expect([status, json]).toEqual([
      201,
      { access_token: expect.stringMatching(/^.{43}$/), expires_at: expect.any(String) },
    ]);
    expect((await sandbox.order({ token: json.access_token })).status).toBe(201);
    expect(sandbox.requests.list().requests[0]?.caller?.api_key_id).toBe(key.id);
    await sandbox.clock.advance({ by: "PT20M" });
    expect((await sandbox.order({ token: json.access_token })).point).toBe("auth.token_expired");
  });

  test("issues a token while a scenario refuses each exchange", async () => {
    const sandbox = openKeys();
    const { json: key } = await sandbox.make({ member: "northwind-owner", environment: "sandbox" });
    sandbox.scenario("key-revoked");
    expect((await sandbox.post(`/_sandbox/api-keys/${key.id}/token`, {})).status).toBe(201);
  });

  test("issues no token for a revoked key, an inactive member or an unknown key", async () => {
    const sandbox = openKeys();
    const { json: key } = await sandbox.make({ member: "northwind-owner", environment: "sandbox" });
    const issue = async (id = key.id) => {
      const { status, json } = await sandbox.post(`/_sandbox/api-keys/${id}/token`, {});
      return [status, json.error];
    };
    expect(await issue("9b2ac1de-4b8c-4f2e-8f53-0c7e5e0f6a11")).toEqual([
      404,
      expect.stringContaining("no API key has the id"),
    ]);
    sandbox.database.run("UPDATE memberships SET status = 'inactive'");
    expect(await issue()).toEqual([409, expect.stringMatching(/^member_inactive: northwind-owner/)]);
    await sandbox.revoke(key.id);
    expect(await issue()).toEqual([409, expect.stringMatching(/^key_revoked: the API key sk_sandbox_/)]);
  });
});
