import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openapiDocument } from "../../src/contract/openapi/document.ts";
import { controlDocument } from "../../src/control/openapi/document.ts";
import { startCommandLine } from "../support/command-line.ts";

const root = new URL("../../", import.meta.url);

test.each([
  ["openapi", openapiDocument],
  ["control", controlDocument],
])("schema/%s.json of the build is the document that is served", (name, document) => {
  const built = JSON.parse(readFileSync(new URL(`schema/${name}.json`, root), "utf8"));
  expect(built).toEqual(JSON.parse(JSON.stringify(document())));
});

test("both base URLs serve the OpenAPI document and the API reference without the control API", async () => {
  const { url, liveUrl } = await startCommandLine(["--no-control", "--live-port", "0"]);
  expect(url).not.toBe(liveUrl);
  for (const base of [url, liveUrl]) {
    const described = JSON.parse(await (await fetch(`${base}/openapi.json`)).text());
    const served = base === url ? "/auth/v1/sandbox/token" : "/auth/v1/token";
    expect(Object.keys(described.paths).filter((path) => path.startsWith("/auth/"))).toEqual([served]);
    expect(described.servers).toMatchObject([
      { variables: { [base === url ? "sandbox_base_url" : "base_url"]: { default: base } } },
    ]);
    const head = await fetch(`${base}/docs`, { method: "HEAD" });
    expect([head.status, head.headers.get("Content-Type")]).toEqual([200, "text/html; charset=utf-8"]);
    const script = await fetch(`${base}/docs/swagger-ui-bundle.js`);
    expect([script.status, script.headers.get("Content-Type")]).toEqual([
      200,
      "text/javascript; charset=utf-8",
    ]);
    expect(await script.text()).toContain("SwaggerUIBundle");
    expect((await fetch(`${base}/_sandbox/health`)).status).toBe(404);
  }
});
