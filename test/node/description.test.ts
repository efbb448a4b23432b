import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openapiDocument } from "../../src/contract/openapi/document.ts";
import { startCommandLine } from "../support/command-line.ts";

const root = new URL("../../", import.meta.url);

test("the build's description is the one that is served", () => {
  const built = JSON.parse(readFileSync(new URL("schema/openapi.json", root), "utf8"));
  expect(built).toEqual(JSON.parse(JSON.stringify(openapiDocument())));
});

test("both base addresses serve it and the reference, without the sandbox's own API", async () => {
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
