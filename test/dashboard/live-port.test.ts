import { afterAll, beforeAll, expect, test } from "vitest";
import { type StartedSandbox, startSandbox } from "../../src/node/start-sandbox.ts";

let sandbox: StartedSandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, livePort: 0 });
});
afterAll(() => sandbox.close());

const page = async (path: string) =>
  (await (await fetch(`${sandbox.url}/_sandbox/ui${path}`)).text())
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"');

test("the overview names both base URLs", async () => {
  const html = await page("");
  expect(html).toContain(`<code>${sandbox.url}</code>`);
  expect(html).toContain(`<code>${sandbox.liveUrl}</code>`);
  expect(sandbox.liveUrl).not.toBe(sandbox.url);
});

test("repeats and replays a live request at the live base URL, and others at their own", async () => {
  for (const [base, path, api_key] of [
    [sandbox.liveUrl, "/auth/v1/token", "sk_live_northwind_owner"],
    [sandbox.url, "/auth/v1/sandbox/token", "sk_sandbox_northwind_owner"],
  ] as const) {
    const exchange = await fetch(base + path, { method: "POST", body: JSON.stringify({ api_key }) });
    const { access_token } = (await exchange.json()) as { access_token: string };
    expect(await page(`/requests/${newest()}`)).toContain(`curl -si -X POST '${base}${path}'`);
    await fetch(`${base}/developer/cards`, { headers: { Authorization: `Bearer ${access_token}` } });
    const html = await page(`/requests/${newest()}`);
    expect(html).toContain(`curl -si -X GET '${base}/developer/cards'`);
    expect(html).toContain(`${base}${path} `);
    const before = newest();
    const replayed = await fetch(`${sandbox.url}/_sandbox/ui/requests/${before}/replay`, {
      method: "POST",
      headers: { Origin: sandbox.url },
      body: new URLSearchParams(),
    });
    expect(await replayed.text()).toContain(`Request ${before} is sent again: 200, as before.`);
  }
});

test("the page of a live company exchanges its keys at the live base URL", async () => {
  const [company] = sandbox.world({ environment: "live" }).companies;
  expect(await page(`/companies/${company?.id}`)).toContain(`${sandbox.liveUrl}/auth/v1/token`);
});

function newest(): string {
  return sandbox.requests.list({ limit: 1 }).requests[0]?.id ?? "";
}
