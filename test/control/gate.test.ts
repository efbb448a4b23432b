import { describe, expect, test } from "vitest";
import type { Guard } from "../../src/control/gate.ts";
import { startSandbox } from "../../src/node/start-sandbox.ts";
import { openSandbox, readReply } from "../support/open-sandbox.ts";

async function ask(guard: Guard, url: string, headers: Record<string, string> = {}) {
  const { serve } = openSandbox();
  const fetch = serve({ environments: ["sandbox"], control: guard });
  return readReply(await fetch(new Request(url, { headers })));
}

describe("on loopback", () => {
  const loopback: Guard = { kind: "loopback" };

  test.each([
    "http://localhost:4242",
    "http://127.0.0.1",
    "http://127.1.2.3:1",
    "http://[::1]:4242",
    "http://my.localhost",
  ])("%s is answered", async (base) => {
    expect((await ask(loopback, `${base}/_sandbox/world`)).status).toBe(200);
    expect((await ask(loopback, `${base}/_sandbox/world`, { Origin: base })).status).toBe(200);
  });

  test.each([
    "http://evil.test",
    "http://192.168.0.7",
    "http://localhost.evil.test",
    "http://127.0.0.1.nip.io",
    "http://notlocalhost",
  ])("the foreign host %s is not: a name may be made to lead here", async (base) => {
    const reply = await ask(loopback, `${base}/_sandbox/world`);
    expect([reply.status, Object.keys(reply.json)]).toEqual([403, ["error"]]);
  });

  test.each([
    "https://evil.test",
    "http://localhost:9",
    "null",
    "http://localhost.evil.test",
    "",
    "http://0.0.0.0:4242",
  ])("a page of %j is not", async (origin) => {
    const reply = await ask(loopback, "http://localhost:4242/_sandbox/world", { Origin: origin });
    expect(reply.status).toBe(403);
    expect(reply.headers.has("Access-Control-Allow-Origin")).toBe(false);
  });
});

describe("with an admin token", () => {
  const token: Guard = { kind: "token", token: "correct-horse" };
  const url = "http://sandbox.internal/_sandbox/world";

  test("admits requests with the token, from any host", async () => {
    expect((await ask(token, url, { Authorization: "Bearer correct-horse" })).status).toBe(200);
  });

  test.each([
    [{}],
    [{ Authorization: "Bearer wrong" }],
    [{ Authorization: "Basic correct-horse" }],
    [{ Authorization: "Bearer " }],
  ])("%j: 401 {error}", async (headers) => {
    const reply = await ask(token, url, headers as Record<string, string>);
    expect([reply.status, Object.keys(reply.json)]).toEqual([401, ["error"]]);
  });
});

test("refuses paths that only end like health", async () => {
  const reply = await ask({ kind: "loopback" }, "http://evil.test/_sandbox/companies/a/_sandbox/health");
  expect(reply.status).toBe(403);
});

test.each(["", " ", "a b"])(
  "the admin token %j is refused, rather than open to everyone",
  async (adminToken) => {
    await expect(startSandbox({ port: 0, adminToken })).rejects.toThrow(/admin token: must not be empty/);
  },
);

test("health is open to everyone", async () => {
  for (const guard of [{ kind: "loopback" }, { kind: "token", token: "t" }] as const) {
    expect((await ask(guard, "http://evil.test/_sandbox/health")).status).toBe(200);
  }
});

test("the service itself needs only its own access tokens", async () => {
  const reply = await ask({ kind: "loopback" }, "http://evil.test/developer/cards/physical");
  expect(reply.point).toBe("auth.token_missing");
});

test.each(["webhook", "svix", "x-webhook"])(
  "refuses requests that the sandbox itself sends as webhooks: %s-…",
  async (prefix) => {
    const sandbox = openSandbox({ serve: "sandbox", guard: { kind: "loopback" } });
    const request = new Request("http://localhost/_sandbox/reset", {
      method: "POST",
      headers: { [`${prefix}-signature`]: "v1,x" },
    });
    const response = await sandbox.serve({ environments: ["sandbox"], control: { kind: "loopback" } })(
      request,
    );
    expect([response.status, await response.json()]).toEqual([
      403,
      {
        error:
          "the control API refuses webhook deliveries. Use a webhook URL that does not point to /_sandbox.",
      },
    ]);
  },
);
