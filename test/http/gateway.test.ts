import { describe, expect, test } from "vitest";
import { openSandbox } from "../support/open-sandbox.ts";

describe("a request without an operation gets the error body of the gateway", () => {
  test.each(["/nothing", "/auth/v1", "/auth/v1/token/", "/Developer/cards", "//developer/cards/physical"])(
    "%s: 404",
    async (path) => {
      const reply = await openSandbox().request(path);
      expect([reply.status, reply.point]).toEqual([404, "gateway.not_found"]);
      expect(reply.json).toEqual({
        success: false,
        error: { code: "not_found", message: expect.stringContaining(path) },
      });
    },
  );

  test("checks the access token before the path under /developer: 401, then 404", async () => {
    const sandbox = openSandbox();
    expect((await sandbox.request("/developer/nothing")).status).toBe(401);
    const headers = { Authorization: `Bearer ${await sandbox.exchange("sk_sandbox_northwind_owner")}` };
    const reply = await sandbox.request("/developer/nothing", { headers });
    expect([reply.status, reply.point]).toEqual([404, "gateway.not_found"]);
  });

  test.each([
    ["/auth/v1/token", "GET"],
    ["/auth/v1/sandbox/token", "DELETE"],
    ["/auth/v1/sandbox/token", "OPTIONS"],
    ["/developer/cards/physical", "GET"],
    ["/developer/cards/physical", "PUT"],
    ["/developer/cards/physical", "PATCH"],
  ])("%s does not support %s: 405 with Allow", async (path, method) => {
    const sandbox = openSandbox();
    const headers = { Authorization: `Bearer ${await sandbox.exchange("sk_sandbox_northwind_owner")}` };
    const reply = await sandbox.request(path, { method, headers });
    expect([reply.status, reply.point]).toEqual([405, "gateway.method_not_allowed"]);
    expect(reply.headers.get("Allow")).toBe("POST");
    expect(reply.json).toMatchObject({ success: false, error: { code: "method_not_allowed" } });
  });

  test.each([
    ["/developer/accounts", "GET, HEAD"],
    ["/developer/cards", "GET, HEAD"],
    ["/developer/cards/9b2ac1de-4b8c-4f2e-8f53-0c7e5e0f6a11", "GET, HEAD, PATCH"],
  ])("405 of %s lists HEAD in addition to GET in Allow", async (path, allowed) => {
    const sandbox = openSandbox();
    const headers = { Authorization: `Bearer ${await sandbox.exchange("sk_sandbox_northwind_owner")}` };
    const reply = await sandbox.request(path, { method: "OPTIONS", headers });
    expect([reply.status, reply.headers.get("Allow")]).toEqual([405, allowed]);
    expect(reply.json.error.message).toContain(
      `method not allowed. Use ${allowed.replaceAll(", ", " or ")}.`,
    );
    for (const method of allowed.split(", ")) {
      expect((await sandbox.request(path, { method, headers })).status, method).not.toBe(405);
    }
  });

  test("masks a key or a token in the path in the message", async () => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    for (const secret of ["sk_sandbox_northwind_owner", token]) {
      expect((await sandbox.request(`/cards/${secret}`)).text).not.toContain(secret);
    }
  });

  test("responds to a bug of the sandbox with 500 and without a stack trace", async () => {
    const broken = () => {
      throw new TypeError("broken on purpose");
    };
    const sandbox = openSandbox({ issuer: { issue: broken } });
    const reply = await sandbox.order();
    expect([reply.status, reply.point]).toEqual([500, "gateway.internal_error"]);
    expect(reply.json).toEqual({
      success: false,
      error: {
        code: "internal_error",
        message: "The sandbox failed with an internal error. Its log shows the cause.",
      },
    });
    expect(sandbox.exchanges.at(-1)?.defect?.message).toBe("broken on purpose");
    expect(sandbox.company("northwind").live_cards).toBe(0);
  });
});

describe("an observer", () => {
  test("receives each response with its caller and its duration", async () => {
    const sandbox = openSandbox();
    await sandbox.order();
    await sandbox.request("/nothing?pin=4821");
    expect(sandbox.exchanges).toMatchObject([
      {
        method: "POST",
        path: "/auth/v1/sandbox/token",
        status: 200,
        point: "token.issued",
        caller: { companySlug: "northwind", memberSlug: "northwind-owner", apiKeyPrefix: "sk_sandbox_north" },
      },
      {
        path: "/developer/cards/physical",
        status: 201,
        point: "order.created",
        caller: { companySlug: "northwind", environment: "sandbox", role: "owner" },
        durationMs: 0,
        defect: undefined,
      },
      { method: "GET", path: "/nothing", status: 404, point: "gateway.not_found" },
    ]);
  });

  test("receives the duration of a slow response", async () => {
    const sandbox = openSandbox();
    sandbox.force.issuer = {
      issue() {
        sandbox.clockOfTest.advance(12);
        return { outcome: "issued" };
      },
    };
    await sandbox.order();
    expect(sandbox.exchanges.at(-1)?.durationMs).toBe(12);
  });

  test("does not change the response, even if it throws", async () => {
    const sandbox = openSandbox({
      observe: () => {
        throw new Error("on purpose");
      },
    });
    expect((await sandbox.request("/nothing")).status).toBe(404);
    expect((await sandbox.order()).status).toBe(201);
  });

  test("does not change other responses, even if it changes its arguments", async () => {
    const sandbox = openSandbox({
      observe: ({ operation, responseHeaders }) => {
        if (operation === "listCards") Reflect.set(responseHeaders, "Content-Type", "text/html");
      },
    });
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    for (let n = 0; n < 2; n++) {
      const { headers } = await sandbox.get("/developer/cards", { token });
      expect(headers.get("Content-Type")).toBe("application/json");
    }
  });
});

describe("Sandbox-Contract-Point", () => {
  test("names the point and its provenance on every response", async () => {
    const reply = await openSandbox().order();
    expect(reply.headers.get("Sandbox-Contract-Point")).toBe("order.created; provenance=specified");
  });

  test("is omitted if sandboxHeaders is false, and the status is the same", async () => {
    const sandbox = openSandbox({ sandboxHeaders: false });
    const replies = [
      await sandbox.order(),
      await sandbox.order({ apiKey: "sk_sandbox_northwind_employee" }),
      await sandbox.request("/nothing"),
    ];
    for (const reply of replies) expect([...reply.headers.keys()].join()).not.toMatch(/sandbox/);
    expect(replies.map((reply) => reply.status)).toEqual([201, 403, 404]);
  });
});

test("HEAD returns the response of GET without a body, and is recorded as the same operation", async () => {
  const { get, call, requests } = openSandbox();
  const asked = await get("/developer/accounts");
  const { status, text, headers, point } = await call("HEAD", "/developer/accounts");
  expect([status, text, point]).toEqual([200, "", "accounts.listed"]);
  expect([...headers]).toEqual([...asked.headers]);
  expect(requests.list({ limit: 1 }).requests[0]).toMatchObject({
    method: "HEAD",
    operation: "listAccounts",
    checks: ["access_token", "acting_company", "rate_limit", "permission", "entitlement", "query"],
  });
});

test.each([
  ["GET", "/developer/cards/virtual/x", "gateway.not_found"],
  ["PUT", "/developer/cards/virtual", "gateway.method_not_allowed"],
])(
  "%s %s is no operation, and forces nothing: the scenario that it names is not looked for",
  async (method, path, point) => {
    const { call } = openSandbox();
    for (const name of ["no-such", "quota-reached"]) {
      expect((await call(method, path, { headers: { "Sandbox-Scenario": name } })).point).toBe(point);
    }
  },
);

test("an escaped path is decoded before routing, so it is not the id of a card", async () => {
  const { call, get } = openSandbox();
  expect((await get("/developer/%63ards")).point).toBe("cards.listed");
  expect((await call("GET", "/developer/%63ards/virtual")).point).toBe("gateway.method_not_allowed");
  expect((await call("GET", "/developer/cards/delivery%2Doptions")).point).toBe("gateway.method_not_allowed");
});
