import { describe, expect, test } from "vitest";
import { openSandbox } from "../support/open-sandbox.ts";

const origin = "http://sandbox.test";
const everyFace = [
  ["the whole sandbox", {}],
  ["a sandbox without its own API", { serve: "sandbox" }],
  ["the live base URL", { serve: "live" }],
] as const;

describe.each(everyFace)("%s", (_, options) => {
  test("serves the OpenAPI document without credentials", async () => {
    const { fetch } = served(options);
    const response = await fetch(`${origin}/openapi.json?fresh`);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(await response.json()).toMatchObject({ openapi: "3.1.1", info: { version: "0.1.0" } });
    expect((await fetch(`${origin}/docs`)).status).toBe(200);
  });
});

/** A sandbox as one of its faces is seen. */
function served(options: (typeof everyFace)[number][1]) {
  const sandbox = openSandbox();
  const fetch =
    "serve" in options
      ? sandbox.serve({ environments: [options.serve], control: undefined })
      : sandbox.serve({ environments: ["sandbox", "live"], control: { kind: "open" } });
  return { fetch: (url: string, init?: RequestInit) => fetch(new Request(url, init)) };
}

test.each([
  ["sandbox", ["{sandbox_base_url}"]],
  ["live", ["{base_url}"]],
] as const)("the %s base URL is the server, at the origin that was asked", async (serve, urls) => {
  const { fetch } = served({ serve });
  const response = await fetch("https://cards.test:8443/openapi.json");
  const { servers } = JSON.parse(await response.text());
  expect(servers.map(({ url }: { url: string }) => url)).toEqual(urls);
  const variables = Object.values<{ default: string }>(servers[0].variables);
  expect(variables.map((each) => each.default)).toEqual(["https://cards.test:8443"]);
});

test.each([
  ["off", undefined, undefined],
  ["optional", false, false],
  ["required", true, true],
  ["required-except-order", false, true],
] as const)(
  "with X-On-Behalf-Of %s the header is required as the server requires it",
  async (onBehalfOf, order, other) => {
    const { fetch } = openSandbox({ choices: { "on_behalf_of.mode": onBehalfOf } });
    const { paths, components } = JSON.parse(
      await (await fetch(new Request(`${origin}/openapi.json`))).text(),
    );
    const requiredOf = ({ parameters }: { parameters: { $ref?: string; name?: string }[] }) => {
      const all = parameters.map((each) => components.parameters[each.$ref?.split("/").at(-1) ?? ""] ?? each);
      const acting = all.find(({ name }) => name === "X-On-Behalf-Of");
      return acting && acting.required === true;
    };
    expect(requiredOf(paths["/developer/cards/physical"].post)).toBe(order);
    for (const path of ["/developer/cards", "/developer/accounts", "/developer/webhooks"]) {
      expect(requiredOf(paths[path].get), path).toBe(other);
    }
    expect(requiredOf(paths["/auth/v1/sandbox/token"].post)).toBe(undefined);
  },
);

test.each(["/openapi.json", "/docs", "/docs/page.js"])(
  "HEAD %s has the headers of GET, and no body",
  async (path) => {
    const { fetch } = served({});
    const [get, head] = [await fetch(origin + path), await fetch(origin + path, { method: "HEAD" })];
    expect([...head.headers]).toEqual([...get.headers]);
    expect(await head.text()).toBe("");
    expect(head.headers.get("Content-Length")).toBe(String((await get.arrayBuffer()).byteLength));
  },
);

test("other methods than GET and HEAD are 405", async () => {
  const { fetch } = served({});
  for (const path of ["/openapi.json", "/docs"]) {
    const response = await fetch(origin + path, { method: "POST", body: "{}" });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
  }
});

test("requests for it are in neither the journal nor the coverage", async () => {
  const sandbox = openSandbox();
  for (const path of ["/openapi.json", "/docs", "/docs/page.js", "/docs/nothing"]) {
    await sandbox.fetch(origin + path);
  }
  expect(sandbox.requests.list().requests).toEqual([]);
  expect(sandbox.exchanges).toEqual([]);
});

test.each(["/openapi.json/", "/openapi.jsonl", "/docsx", "/doc"])(
  "%s is none of it: 404 of the service",
  async (path) => {
    const reply = await openSandbox().request(path);
    expect([reply.status, reply.point]).toEqual([404, "gateway.not_found"]);
  },
);

describe("the API reference", () => {
  test("loads and runs only files of the sandbox", async () => {
    const response = await openSandbox().fetch(`${origin}/docs`);
    const policy = response.headers.get("Content-Security-Policy");
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    const page = await response.text();
    const loaded = [...page.matchAll(/<(?:script|link) [^>]*(?:src|href)="([^"]+)"/g)].map(
      ([, url = ""]) => url,
    );
    expect(loaded.filter((url) => !url.startsWith("data:") && !url.startsWith("/docs/"))).toEqual([]);
    expect(page).not.toMatch(/<script>|<style|style=| on[a-z]+=/);
  });

  test("has a page for the service, and one for the control API, with links to each other and to the dashboard", async () => {
    const { fetch } = served({});
    for (const path of ["/docs", "/docs/control"]) {
      const page = await (await fetch(origin + path)).text();
      for (const href of ["/docs", "/docs/control", "/_sandbox/ui"])
        expect(page).toContain(`<a href="${href}"`);
      const [, document = ""] = /data-document="([^"]+)"/.exec(page) ?? [];
      expect((await fetch(origin + document)).status).toBe(200);
    }
  });

  test("does not mention the control API and the dashboard where they are not served", async () => {
    const { fetch } = served({ serve: "live" });
    expect(await (await fetch(`${origin}/docs`)).text()).not.toMatch(/\/_sandbox|\/docs\/control/);
    expect((await fetch(`${origin}/docs/control`)).status).toBe(404);
  });

  test("serves its files with headers that let a browser cache them", async () => {
    const text = new TextEncoder().encode("files");
    const sandbox = openSandbox({ docsFiles: async () => text });
    for (const [name, type] of [
      ["swagger-ui-bundle.js", "text/javascript; charset=utf-8"],
      ["swagger-ui.css", "text/css; charset=utf-8"],
      ["dashboard.css", "text/css; charset=utf-8"],
      ["mark.svg", "image/svg+xml; charset=utf-8"],
    ]) {
      const response = await sandbox.fetch(`${origin}/docs/${name}?v=1`);
      expect(response.headers.get("Content-Type")).toBe(type);
      expect(response.headers.get("Cache-Control")).toContain("immutable");
      expect(await response.text()).toBe("files");
    }
    expect((await sandbox.fetch(`${origin}/docs/page.js`)).status).toBe(200);
    expect((await sandbox.fetch(`${origin}/docs/other.js`)).status).toBe(404);
    expect((await sandbox.fetch(`${origin}/docs/../package.json`)).status).toBe(404);
  });

  test("answers 503 with the remedy, not cacheable, if it is not built", async () => {
    const response = await openSandbox().fetch(`${origin}/docs/swagger-ui.css`);
    expect([response.status, response.headers.get("Cache-Control")]).toEqual([503, "no-store"]);
    expect(await response.text()).toContain("npm run build");
  });
});
