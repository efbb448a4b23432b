import { describe, expect, test } from "vitest";
import type { ServeOptions } from "../../src/api.ts";
import { startSandbox } from "../../src/node/start-sandbox.ts";
import { succeed } from "../support/command.ts";
import { openSandbox } from "../support/open-sandbox.ts";

const browser = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const base = "http://127.0.0.1:4242";
const whole: ServeOptions = { environments: ["sandbox", "live"], control: { kind: "loopback" } };
const withToken: ServeOptions = { ...whole, control: { kind: "token", token: "the-admin-token" } };
const withoutControl: ServeOptions = { ...whole, control: undefined };

/** Sends a request to `/` of a base URL. */
function visit(served: ServeOptions, init: RequestInit = {}, origin = base, sandbox = openSandbox()) {
  return sandbox.serve(served)(new Request(`${origin}/`, init));
}

const textOf = async (served: ServeOptions, origin = base, sandbox = openSandbox()) =>
  (await visit(served, {}, origin, sandbox)).text();

describe("GET / in a browser", () => {
  test.each([
    ["the dashboard", whole, "/_sandbox/ui"],
    ["the dashboard, which asks for the admin token", withToken, "/_sandbox/ui"],
    ["the API reference if there is no dashboard", withoutControl, "/docs"],
  ])("leads to %s", async (_what, served, location) => {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await visit(served, { method, headers: browser });
      expect([status, headers.get("Location"), headers.get("Vary")]).toEqual([303, location, "Accept"]);
    }
  });
});

describe("GET / of another client", () => {
  test("returns a text with the base URLs, the dashboard, the control API and the API reference", async () => {
    const { status, headers } = await visit(whole, { headers: { Accept: "*/*" } });
    expect([status, headers.get("Content-Type"), headers.get("Vary")]).toEqual([
      200,
      "text/plain; charset=utf-8",
      "Accept",
    ]);
    expect(await textOf(whole, "https://cards.localhost:8443")).toContain(`\
card-sandbox 0.0.0-test: the company-card API on your machine

Sandbox base URL  https://cards.localhost:8443
Live base URL     https://cards.localhost:8443
Dashboard         https://cards.localhost:8443/_sandbox/ui
Control API       https://cards.localhost:8443/_sandbox
API reference     https://cards.localhost:8443/docs
Documentation     README.md and docs/ in the package

Order a card (run these commands twice: the second request returns the same card)

TOKEN=$(curl -s https://cards.localhost:8443/auth/v1/sandbox/token -d '{"api_key":"sk_sandbox_northwind_owner"}'`);
  });

  test("returns commands that order a card", async () => {
    for (const onBehalfOf of ["optional", "required"] as const) {
      const sandbox = await startSandbox({ port: 0, onBehalfOf });
      try {
        const text = await (await fetch(sandbox.url)).text();
        const card = await succeed("sh", ["-c", text.slice(text.indexOf("TOKEN="))]);
        expect(JSON.parse(card)).toMatchObject({ status: "active" });
      } finally {
        await sandbox.close();
      }
    }
  });

  test("shows the base URL of each port if the live environment has its own", async () => {
    const sandbox = await startSandbox({ port: 0, livePort: 0 });
    try {
      const [atSandbox, atLive] = await Promise.all(
        [sandbox.url, sandbox.liveUrl].map(async (url) => (await fetch(url)).text()),
      );
      expect(atSandbox).toContain(`Sandbox base URL  ${sandbox.url}\nLive base URL     ${sandbox.liveUrl}\n`);
      expect(atSandbox).toContain(`curl -s ${sandbox.url}/auth/v1/sandbox/token`);
      expect(atLive).toContain(
        `\n\nLive base URL     ${sandbox.liveUrl}\nAPI reference     ${sandbox.liveUrl}/docs`,
      );
      expect(atLive).toContain(`curl -s ${sandbox.liveUrl}/auth/v1/token -d '{"api_key":"YOUR_API_KEY"}'`);
      expect(atLive).not.toContain("_sandbox");
    } finally {
      await sandbox.close();
    }
  });

  test.each([
    ["with an admin token", withToken, base],
    ["without a control API", withoutControl, base],
    ["under a host name that is not loopback", whole, "http://rebound.example:4242"],
  ])("shows no API key and no id %s", async (_what, served, origin) => {
    const sandbox = openSandbox();
    const text = await textOf(served, origin, sandbox);
    expect(text).toContain(`curl -s ${origin}/auth/v1/sandbox/token -d '{"api_key":"YOUR_API_KEY"}'`);
    expect(text).not.toMatch(/sk_|northwind|the-admin-token|[0-9a-f]{8}-/);
  });

  test("says that the dashboard and the control API need the admin token if there is one", async () => {
    const text = await textOf(withToken);
    expect(text).toContain(`${base}/_sandbox/ui (needs the admin token)`);
    expect(text).toContain(`${base}/_sandbox (needs the admin token)`);
  });

  test("shows a placeholder if no member can order a card", async () => {
    expect(await textOf(whole, base, openSandbox({ fixtureKeys: false }))).toContain("YOUR_API_KEY");
  });

  test("returns the text without a first order if the database cannot be read, and reports the error", async () => {
    const sandbox = openSandbox();
    sandbox.database.run("DROP TABLE api_keys");
    expect(await textOf(whole, base, sandbox)).toContain("YOUR_API_KEY");
    expect(sandbox.exchanges).toMatchObject([
      { path: "/_sandbox/world", defect: { message: expect.stringContaining("api_keys") } },
    ]);
  });
});

test("HEAD / has the headers of GET, and no body", async () => {
  const [get, head] = [await visit(whole), await visit(whole, { method: "HEAD" })];
  expect([...head.headers]).toEqual([...get.headers]);
  expect(await head.text()).toBe("");
  expect(head.headers.get("Content-Length")).toBe(String((await get.arrayBuffer()).byteLength));
});

test("GET / is in neither the journal nor the coverage", async () => {
  const sandbox = openSandbox();
  for (const headers of [{}, browser]) await sandbox.fetch(`${base}/?query`, { headers });
  expect(sandbox.requests.list().requests).toEqual([]);
  expect(sandbox.coverage().total.met).toBe(0);
  expect(sandbox.exchanges).toEqual([]);
});

test("other methods on / are requests to the service: 404, recorded", async () => {
  const sandbox = openSandbox();
  for (const method of ["POST", "DELETE", "OPTIONS"]) {
    const reply = await sandbox.request("/", { method });
    expect([reply.status, reply.point]).toEqual([404, "gateway.not_found"]);
  }
  expect(sandbox.requests.list().requests).toHaveLength(3);
});
