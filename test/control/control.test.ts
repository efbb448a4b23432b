import { describe, expect, test } from "vitest";
import { defaultContract, reachablePoints } from "../../src/contract/dialect.ts";
import type { Guard } from "../../src/control/gate.ts";
import { openSandbox } from "../support/open-sandbox.ts";

const withToken: Guard = { kind: "token", token: "correct-horse" };

describe("GET /_sandbox/health", () => {
  test("responds without authentication", async () => {
    const reply = await openSandbox({ seed: 7, now: "2026-03-10T09:30:00Z" }).request("/_sandbox/health");
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({
      status: "ok",
      version: "0.0.0-test",
      seed: 7,
      now: "2026-03-10T09:30:00.000Z",
    });
  });

  test.each<[string, Guard, string, Record<string, string>, boolean]>([
    ["on loopback", { kind: "loopback" }, "http://localhost:4242", {}, true],
    ["on a host that leads to loopback", { kind: "loopback" }, "http://evil.test", {}, false],
    ["without the admin token", withToken, "http://qa.test", {}, false],
    ["with a wrong one", withToken, "http://qa.test", { Authorization: "Bearer wrong" }, false],
    ["with the admin token", withToken, "http://qa.test", { Authorization: "Bearer correct-horse" }, true],
  ])(
    "shows the seed only to clients that may use the control API: %s",
    async (_, guard, base, headers, tells) => {
      const { serve } = openSandbox({ seed: 7 });
      const fetch = serve({ environments: ["sandbox"], control: guard });
      const response = await fetch(new Request(`${base}/_sandbox/health`, { headers }));
      const health = (await response.json()) as Record<string, unknown>;
      expect([response.status, health.status, health.seed]).toEqual([200, "ok", tells ? 7 : undefined]);
    },
  );
});

describe("GET /_sandbox", () => {
  test("redirects browsers to the dashboard", async () => {
    const { fetch } = openSandbox();
    const response = await fetch("http://sandbox.test/_sandbox", {
      headers: { Accept: "text/html,*/*;q=0.8" },
    });
    expect([response.status, response.headers.get("Location")]).toEqual([303, "/_sandbox/ui"]);
  });

  test("lists paths that exist, for other clients", async () => {
    const { request, fetch } = openSandbox({ docsFiles: async () => undefined });
    const { status, json } = await request("/_sandbox");
    expect([status, json.world]).toEqual([200, "/_sandbox/world"]);
    for (const path of Object.values<string>(json)) {
      expect([path, (await fetch(`http://sandbox.test${path}`)).status]).toEqual([path, 200]);
    }
  });
});

test("GET /_sandbox/contract lists every contract point that a request can meet", async () => {
  const { points } = (await openSandbox().request("/_sandbox/contract")).json;
  expect(points.map((point: { id: string }) => point.id)).toEqual(
    reachablePoints(defaultContract).map(({ id }) => id),
  );
  expect(points.find((point: { id: string }) => point.id === "order.quota_reached")).toEqual({
    id: "order.quota_reached",
    operations: ["orderPhysicalCard"],
    status: 422,
    provenance: "specified",
    spec: "§7, §8",
    title: "The company has reached its card quota",
  });
});

describe("GET /_sandbox/world", () => {
  const world = async () => (await openSandbox().request("/_sandbox/world")).json;

  test("lists the companies of the default world", async () => {
    const { companies } = await world();
    const listed = companies.map(
      (c: Record<string, unknown>) =>
        `${c.slug} ${c.environment} ${c.status} ${c.live_cards}/${c.card_quota}`,
    );
    expect(listed).toEqual([
      "northwind sandbox active 0/20",
      "fullhouse sandbox active 2/2",
      "frostbite sandbox suspended 0/20",
      "halfway sandbox active 0/20",
      "northwind live active 0/20",
    ]);
  });

  test("lists members with their keys and public secrets, and accounts", async () => {
    const { companies } = await world();
    expect(Object.keys(companies[0])).toEqual([
      "id",
      "slug",
      "environment",
      "name",
      "status",
      "country_code",
      "details_complete",
      "entitlements",
      "card_quota",
      "live_cards",
      "members",
      "accounts",
    ]);
    expect(companies[0].members[0]).toEqual({
      id: expect.any(String),
      slug: "northwind-owner",
      name: "Olivia Hartley",
      role: "owner",
      status: "active",
      details_complete: true,
      api_keys: [
        {
          id: expect.any(String),
          environment: "sandbox",
          prefix: "sk_sandbox_north",
          status: "active",
          secret: "sk_sandbox_northwind_owner",
        },
        {
          id: expect.any(String),
          environment: "sandbox",
          prefix: "sk_sandbox_north",
          status: "revoked",
          secret: "sk_sandbox_northwind_revoked",
        },
      ],
    });
    expect(
      companies[0].accounts.map((a: Record<string, unknown>) => [a.slug, a.currency, a.status, a.balance]),
    ).toEqual([
      ["gbp", "GBP", "active", "250000.00"],
      ["eur", "EUR", "active", "80000.00"],
      ["usd", "USD", "active", "120000.00"],
      ["closed", "GBP", "closed", "0.00"],
    ]);
  });

  test("shows inactive members, missing details and missing entitlements", async () => {
    const sandbox = openSandbox();
    sandbox.database.run("UPDATE memberships SET status = 'inactive'");
    sandbox.database.run("UPDATE companies SET entitlements = ''");
    const [northwind, , , halfway] = (await sandbox.request("/_sandbox/world")).json.companies;
    expect(northwind.members.map((m: Record<string, unknown>) => [m.status, m.details_complete])).toEqual([
      ["inactive", true],
      ["inactive", true],
      ["inactive", true],
      ["inactive", false],
    ]);
    expect([northwind.entitlements, northwind.details_complete]).toEqual([[], true]);
    expect(halfway.details_complete).toBe(false);
  });

  test("shows the prefix and no secret of a key that is not in the fixtures", async () => {
    const sandbox = openSandbox();
    sandbox.database.run("UPDATE api_keys SET public_secret = NULL");
    const { companies } = (await sandbox.request("/_sandbox/world")).json;
    expect(Object.keys(companies[0].members[0].api_keys[0])).toEqual([
      "id",
      "environment",
      "prefix",
      "status",
    ]);
  });
});

test.each(["GET", "POST", "DELETE"])(
  "an unknown path under /_sandbox is a 404 {error}: %s",
  async (method) => {
    const reply = await openSandbox().request("/_sandbox/nothing", { method });
    expect(reply.status).toBe(404);
    expect(reply.json).toEqual({ error: expect.stringContaining(`${method} /_sandbox/nothing`) });
  },
);

test("responses have the Date of the sandbox's clock", async () => {
  const reply = await openSandbox({ now: "2026-03-10T09:30:00Z" }).request("/_sandbox/health");
  expect(reply.headers.get("Date")).toBe("Tue, 10 Mar 2026 09:30:00 GMT");
});

test("an unexpected error is a 500 {error} without a stack trace", async () => {
  const sandbox = openSandbox();
  sandbox.database.exec("ALTER TABLE accounts RENAME TO gone");
  const reply = await sandbox.request("/_sandbox/world");
  expect([reply.status, reply.json]).toEqual([
    500,
    { error: "internal error of the sandbox (a bug in card-sandbox). The log shows the cause." },
  ]);
  expect(sandbox.exchanges.at(-1)).toMatchObject({
    path: "/_sandbox/world",
    status: 500,
    defect: expect.any(Error),
  });
});

test("a live base URL has no control API", async () => {
  const reply = await openSandbox({ serve: "live" }).request("/_sandbox/health");
  expect(reply.status).toBe(404);
});

test("refuses a body over 1 MiB, with Content-Length or in chunks, and reads one of 1 MiB", async () => {
  const { request } = openSandbox();
  const send = (text: string, body: string | ReadableStream = text) =>
    request("/_sandbox/companies", { method: "POST", body, duplex: "half" } as RequestInit);
  const named = (length: number) => JSON.stringify({ name: "x".repeat(length - 11) });
  const mebibyte = 1024 * 1024;
  const refusal = { error: "body: must be at most 1 MiB" };
  expect(await send(named(mebibyte + 1))).toMatchObject({ status: 413, json: refusal });
  const streamed = new Blob([named(mebibyte + 1)]).stream();
  expect(await send("", streamed)).toMatchObject({ status: 413, json: refusal });
  expect(await send(named(mebibyte))).toMatchObject({
    status: 400,
    json: { error: "name: must have at most 200 characters" },
  });
});

test.each(["__proto__", "constructor", "toString"])(
  "%s is no method, and changes no object",
  async (method) => {
    const { request } = openSandbox();
    for (const path of ["/_sandbox/world", "/_sandbox/cards/x/expire", "/_sandbox/ui/cards"]) {
      const { status, json } = await request(path, { method });
      expect([status, json]).toEqual([
        400,
        { error: `${method}: unknown HTTP method. Allowed: GET, HEAD, POST, PUT, PATCH, DELETE` },
      ]);
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  },
);

test("suggests the nearest path for an unknown one", async () => {
  const { status, json } = await openSandbox().request("/_sandbox/wrld");
  expect([status, json.error]).toEqual([
    404,
    "the control API has no GET /_sandbox/wrld. Did you mean /_sandbox/world? GET /_sandbox/openapi.json lists all operations.",
  ]);
});

describe("invalid input", () => {
  test.each([
    ["companies", { nme: "x" }, /^unknown key "nme"\. Did you mean "name"\? Allowed: slug, /],
    ["companies", { members: [{ nam: "x" }] }, /^members\.0: unknown key "nam"\. Did you mean "name"\? /],
    ["companies", { x: 1, y: 2 }, /^unknown key "x"\. Allowed: .*; unknown key "y"\. Allowed: /],
    ["clock/advance", "PT15M", /^body: must be a JSON object. Allowed keys: by, company$/],
    ["clock/advance", [], /^body: must be a JSON object. Allowed keys: by, company$/],
    [
      "invoices",
      { company: "northwind", issued_on: "2026-02-30" },
      /^issued_on: must be an ISO 8601 date, such as "2026-03-10", but is ".*"$/,
    ],
    [
      "simulate/authorisations",
      { card_id: "fa6c0000-0001-4f6b-a7ec-74df22a00883", amount: "1.00", mcc: "shop" },
      /^mcc: must be a string of four digits, such as "5411"$/,
    ],
    ["reset", null, /^body: must be a JSON object. Allowed keys: company$/],
  ])("of %s %j is told with what may be", async (path, body, message) => {
    const reply = await openSandbox().request(`/_sandbox/${path}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    expect(reply.status).toBe(400);
    expect(reply.json.error).toMatch(message);
  });
});
