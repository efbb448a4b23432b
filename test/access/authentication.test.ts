import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type ContractPointId, contractPoints } from "../../src/contract/points.ts";
import { openSandbox, type Reply } from "../support/open-sandbox.ts";

const cards = "/developer/cards/physical";

describe("every path under /developer needs a valid access token (spec §5)", () => {
  test.each([
    ["no header", undefined, "auth.token_missing"],
    ["an empty header", "", "auth.token_missing"],
    ["another scheme", "Basic bm9ydGh3aW5kOng=", "auth.token_missing"],
    ["no token", "Bearer", "auth.token_missing"],
    ["a blank token", "Bearer  ", "auth.token_missing"],
    ["two tokens", "Bearer a b", "auth.token_missing"],
    ["a scheme that ends alike", "xBearer a", "auth.token_missing"],
    ["an unknown token", "Bearer nobody-gave-this", "auth.token_invalid"],
    ["an API key", "Bearer sk_sandbox_northwind_owner", "auth.api_key_as_bearer"],
    ["an unknown API key", "Bearer sk_anything", "auth.api_key_as_bearer"],
  ])("returns 401 with a challenge: %s", async (_, authorization, point) => {
    const sandbox = openSandbox();
    for (const [method, path] of [
      ["POST", cards],
      ["GET", cards],
      ["GET", "/developer/nothing"],
      ["GET", "/developer"],
    ] as const) {
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      const reply = await sandbox.request(path, { method, headers });
      expect([reply.status, reply.point]).toEqual([401, point]);
      expect(reply.json).toEqual({
        success: false,
        error: { code: "unauthorized", message: expect.any(String) },
      });
      const challenge = reply.headers.get("WWW-Authenticate");
      if (point === "auth.token_missing") expect(challenge).toBe('Bearer realm="developer"');
      else {
        const { title } = contractPoints[point as ContractPointId];
        expect(challenge).toBe(
          `Bearer realm="developer", error="invalid_token", error_description="${title}"`,
        );
      }
    }
  });

  test("refuses an API key as a bearer token, and does not repeat it", async () => {
    const reply = await openSandbox().order({ token: "sk_sandbox_northwind_owner" });
    expect(reply.json.error.message).toContain("must be an access token, but is an API key");
    expect(reply.text).not.toContain("northwind");
  });

  test("accepts the scheme in any letter case", async () => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    for (const scheme of ["bearer", "BEARER", "Bearer  "]) {
      const reply = await sandbox.order({ token, headers: { Authorization: `${scheme} ${token}` } });
      expect(reply.status).toBe(201);
    }
  });

  test("accepts a token for exactly 15 minutes", async () => {
    const sandbox = openSandbox({ now: "2026-03-10T09:30:00Z" });
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    sandbox.clockOfTest.advance(15 * 60_000 - 1);
    expect((await sandbox.order({ token })).status).toBe(201);
    sandbox.clockOfTest.advance(1);
    const reply = await sandbox.order({ token });
    expect([reply.status, reply.point]).toEqual([401, "auth.token_expired"]);
    expect(reply.json.error.message).toContain("expired at 2026-03-10T09:45:00.000Z");
    expect(reply.headers.get("WWW-Authenticate")).toContain('error="invalid_token"');
  });
});

describe("permissions depend on the member's role, entitlements on the company (spec §5.6)", () => {
  test("returns the forbidden body if an employee orders", async () => {
    const reply = await openSandbox().order({ apiKey: "sk_sandbox_northwind_employee" });
    expect([reply.status, reply.point, reply.provenance]).toEqual([403, "order.forbidden", "specified"]);
    expect(reply.json).toEqual({ success: false, error: { code: "forbidden", message: expect.any(String) } });
    expect(reply.json.error.message).toContain("issue_cards");
  });

  test.each([
    ["owner", 201],
    ["admin", 201],
    ["accountant", 403],
    ["employee", 403],
  ])("returns the expected status for the role %s: %i", async (role, status) => {
    const sandbox = openSandbox();
    sandbox.database.run("UPDATE memberships SET role = ?", role);
    expect((await sandbox.order()).status).toBe(status);
  });

  test("refuses a company that is not entitled to cards", async () => {
    const sandbox = openSandbox();
    sandbox.database.run("UPDATE companies SET entitlements = 'accounts transactions'");
    const reply = await sandbox.order();
    expect([reply.status, reply.point, reply.provenance]).toEqual([403, "order.not_entitled", "assumed"]);
    expect(reply.json.error).toMatchObject({ code: "forbidden", message: expect.stringContaining("cards") });
  });
});

describe("the facts of a scenario", () => {
  test("grant and withdraw permissions and entitlements", async () => {
    const facts = { permissions: ["issue_cards"], entitled: true } as const;
    const sandbox = openSandbox({ facts });
    sandbox.database.run("UPDATE companies SET entitlements = 'accounts'");
    expect((await sandbox.order({ apiKey: "sk_sandbox_northwind_employee" })).status).toBe(201);
  });
});

describe("X-On-Behalf-Of selects the company (spec §5.7, a variant)", () => {
  const admin = "sk_sandbox_northwind_admin";

  test("selects one of a member's two companies, in any letter case", async () => {
    const sandbox = openSandbox();
    sandbox.database.run("UPDATE companies SET card_quota = 20");
    const fullhouse = sandbox.company("fullhouse");
    for (const id of [fullhouse.id, fullhouse.id.toUpperCase()]) {
      const reply = await sandbox.order({
        apiKey: admin,
        headers: { "X-On-Behalf-Of": id },
        body: { account_id: sandbox.account("fullhouse").id },
      });
      expect(reply.json.company_id).toBe(fullhouse.id);
    }
    expect((await sandbox.order({ apiKey: admin })).json.company_id).toBe(sandbox.company("northwind").id);
  });

  test("applies the accounts, the quota and the member's role of the selected company", async () => {
    const sandbox = openSandbox();
    const headers = { "X-On-Behalf-Of": sandbox.company("fullhouse").id };
    const body = { account_id: sandbox.account("fullhouse").id };
    expect((await sandbox.order({ apiKey: admin, headers })).point).toBe("order.account_not_found");
    expect((await sandbox.order({ apiKey: admin, headers, body })).point).toBe("order.quota_reached");
    sandbox.database.run(
      "UPDATE memberships SET role = 'employee' WHERE company_pk = (SELECT pk FROM companies WHERE slug = 'fullhouse')",
    );
    expect((await sandbox.order({ apiKey: admin, headers, body })).point).toBe("order.forbidden");
  });

  test("the default world has one member of two companies", () => {
    const { companies } = openSandbox().world();
    const ids = companies.flatMap(({ members }) => members.map(({ id }) => id));
    expect(ids.length - new Set(ids).size).toBe(1);
  });

  const unknown = randomUUID();
  type Sent = (sandbox: ReturnType<typeof openSandbox>, headers: Record<string, string>) => Promise<Reply>;
  const order: Sent = (sandbox, headers) => sandbox.order({ headers });
  const cards: Sent = (sandbox, headers) => sandbox.get("/developer/cards", { headers });
  const accounts: Sent = (sandbox, headers) => sandbox.get("/developer/accounts", { headers });
  const cardError = { error: expect.stringContaining("X-On-Behalf-Of: ") };
  const envelope = (code: string) => ({
    success: false,
    error: { code, message: expect.stringContaining("X-On-Behalf-Of: ") },
  });
  test.each([
    ["the order", order, "order.created", "order.on_behalf_of_", "order.on_behalf_of_", cardError, "assumed"],
    [
      "other card operations",
      cards,
      "cards.listed",
      "cards.on_behalf_of_",
      "on_behalf_of.",
      cardError,
      "variant",
    ],
    [
      "other operations",
      accounts,
      "accounts.listed",
      "on_behalf_of.",
      "on_behalf_of.",
      envelope("invalid_request"),
      "variant",
    ],
  ] as const)(
    "%s: returns the point, body and provenance of each mode",
    async (name, send, success, bad, foreign, body, by) => {
      const isOrder = name === "the order";
      const served = [isOrder ? 201 : 200, success];
      const [required, invalid] = [
        [400, `${bad}required`],
        [400, `${bad}invalid`],
      ];
      const notAMember = [403, `${foreign}not_a_member`];
      for (const [mode, header, expected] of [
        ["optional", undefined, served],
        ["optional", "northwind", invalid],
        ["optional", "", invalid],
        ["optional", unknown, notAMember],
        ["required", undefined, required],
        ["required", "northwind", invalid],
        ["required", unknown, notAMember],
        ["required-except-order", undefined, isOrder ? served : required],
        ["required-except-order", "northwind", invalid],
        ["required-except-order", unknown, notAMember],
        ["off", undefined, served],
        ["off", "northwind", served],
        ["off", unknown, served],
      ] as const) {
        const reply = await send(
          openSandbox({ choices: { "on_behalf_of.mode": mode } }),
          header === undefined ? {} : { "X-On-Behalf-Of": header },
        );
        expect([reply.status, reply.point], `${mode}, ${header}`).toEqual(expected);
        if (reply.status === 400) expect(reply.json).toEqual(body);
        if (reply.status === 403) expect(reply.json).toEqual(envelope("forbidden"));
        if (reply.status >= 400) expect(reply.provenance).toBe(by);
      }
    },
  );

  test("accepts the header in mode required", async () => {
    const sandbox = openSandbox({ choices: { "on_behalf_of.mode": "required" } });
    const headers = { "X-On-Behalf-Of": sandbox.company("northwind").id };
    expect((await sandbox.order({ headers })).status).toBe(201);
  });

  test("refuses an inactive member of the selected company", async () => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange(admin);
    sandbox.database.run("UPDATE memberships SET status = 'inactive'");
    const headers = { "X-On-Behalf-Of": sandbox.company("fullhouse").id };
    expect((await sandbox.order({ token, headers })).point).toBe("order.on_behalf_of_not_a_member");
  });

  test("does not find the company with the same slug in the other environment", async () => {
    const sandbox = openSandbox();
    const headers = { "X-On-Behalf-Of": sandbox.company("northwind", "live").id };
    expect((await sandbox.order({ headers })).point).toBe("order.on_behalf_of_not_a_member");
  });
});

describe("live and sandbox environments are separate (spec §5.3)", () => {
  test("uses the token's environment if one origin serves both", async () => {
    const sandbox = openSandbox();
    const live = await sandbox.order({
      apiKey: "sk_live_northwind_owner",
      body: { account_id: sandbox.account("northwind", "gbp", "live").id },
    });
    expect(live.json.company_id).toBe(sandbox.company("northwind", "live").id);
    expect(sandbox.company("northwind", "live").live_cards).toBe(1);
    expect(sandbox.company("northwind").live_cards).toBe(0);
  });

  test("does not find a live account with a sandbox token, nor the reverse", async () => {
    const sandbox = openSandbox();
    const liveAccount = { account_id: sandbox.account("northwind", "gbp", "live").id };
    expect((await sandbox.order({ body: liveAccount })).point).toBe("order.account_not_found");
    expect((await sandbox.order({ apiKey: "sk_live_northwind_owner" })).point).toBe(
      "order.account_not_found",
    );
  });

  test.each([
    ["sandbox", "/auth/v1/token", "sk_live_northwind_owner", "sk_sandbox_northwind_owner"],
    ["live", "/auth/v1/sandbox/token", "sk_sandbox_northwind_owner", "sk_live_northwind_owner"],
  ] as const)(
    "the %s base URL has no %s, and refuses tokens of the other environment",
    async (serve, otherPath, otherKey, ownKey) => {
      const sandbox = openSandbox({ serve });
      expect((await sandbox.post(otherPath, { api_key: otherKey })).point).toBe("gateway.not_found");
      expect(await sandbox.exchange(ownKey)).toHaveLength(43);

      const init = { method: "POST", body: JSON.stringify({ api_key: otherKey }) };
      const issued = await sandbox.fetch(new Request(`http://both.test${otherPath}`, init));
      const { access_token: token } = (await issued.json()) as { access_token: string };
      const reply = await sandbox.order({ token });
      expect([reply.status, reply.point]).toEqual([401, "auth.environment_mismatch"]);
      expect(reply.json.error.message).toContain(`this base URL serves ${serve}`);
    },
  );
});
