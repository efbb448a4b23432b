import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { startSandbox } from "../../src/node/start-sandbox.ts";
import { httpClient } from "../support/http-client.ts";
import { physicalOrder } from "../support/physical-order.ts";

const all = [
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "setImmediate",
  "clearImmediate",
  "performance",
  "hrtime",
  "Date",
] as const;

beforeEach(() => {
  vi.useFakeTimers({ toFake: [...all] });
});
afterEach(() => {
  vi.useRealTimers();
});

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

/** Orders in a company over `fetch`, and returns the status. */
async function orderIn(
  { fetch }: { fetch: typeof globalThis.fetch },
  company: { readonly apiKey: string; readonly accountId: string },
  scenario?: string,
): Promise<number> {
  const post = (path: string, body: unknown, headers = {}) =>
    fetch(`http://sandbox${path}`, { method: "POST", body: JSON.stringify(body), headers });
  const { access_token } = (await (
    await post("/auth/v1/sandbox/token", { api_key: company.apiKey })
  ).json()) as { access_token: string };
  const response = await post("/developer/cards/physical", physicalOrder(company.accountId), {
    Authorization: `Bearer ${access_token}`,
    "Content-Type": "application/json",
    "Idempotency-Key": key,
    ...(scenario !== undefined && { "Sandbox-Scenario": scenario }),
  });
  return response.status;
}

test("requests in the process of a test that fakes all timers are answered, even late", async () => {
  const sandbox = createSandbox();
  const company = await sandbox.isolatedCompany();
  for (const scenario of ["issuer-slow", "slow-response"]) {
    company.scenario(scenario, { latency_ms: 20, times: 1 });
  }
  const fetch = sandbox.fetch as typeof globalThis.fetch;
  expect(await orderIn({ fetch }, company)).toBe(201);
  expect(await orderIn({ fetch }, company)).toBe(201);
  expect(vi.getTimerCount()).toBe(0);
  sandbox.close();
});

test("the time of the sandbox is the system time that a test sets", async () => {
  vi.setSystemTime("2031-05-06T07:08:09Z");
  const sandbox = createSandbox();
  expect(sandbox.clock.read().now).toBe("2031-05-06T07:08:09.000Z");
  vi.setSystemTime("2031-05-06T08:00:00Z");
  expect(sandbox.clock.read().now).toBe("2031-05-06T08:00:00.000Z");
  sandbox.close();
});

test("webhook events are delivered in process and over a socket while timers are fake", async () => {
  const received: unknown[] = [];
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(204).end(() => received.push(request.url)));
  });
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
  const { port } = receiver.address() as AddressInfo;
  for (const deliver of [undefined, async () => new Response(null, { status: 204 })]) {
    const sandbox = createSandbox({ deliver });
    const company = await sandbox.isolatedCompany();
    const fetch = sandbox.fetch as typeof globalThis.fetch;
    const exchange = await fetch("http://sandbox/auth/v1/sandbox/token", {
      method: "POST",
      body: JSON.stringify({ api_key: company.apiKey }),
    });
    const { access_token } = (await exchange.json()) as { access_token: string };
    await fetch("http://sandbox/developer/webhooks", {
      method: "POST",
      body: JSON.stringify({ url: `http://127.0.0.1:${port}/hook`, events: ["card.created"] }),
      headers: { Authorization: `Bearer ${access_token}`, "Content-Type": "application/json" },
    });
    expect(await orderIn({ fetch }, company)).toBe(201);
    await sandbox.webhooks.settled();
    const deliveries = sandbox.webhooks.deliveries();
    expect(deliveries.map(({ status }) => status)).toEqual(["delivered"]);
    sandbox.close();
  }
  expect(received).toEqual(["/hook"]);
  receiver.close();
  receiver.closeAllConnections();
});

test("a server that is started while timers are fake serves requests, and closes", async () => {
  const sandbox = await startSandbox({ port: 0 });
  const { exchange, order } = httpClient(sandbox.url);
  const company = await sandbox.isolatedCompany();
  const token = await exchange(company.apiKey);
  company.scenario("slow-response", { latency_ms: 20, times: 1 });
  expect((await order(company.accountId, { key, token })).status).toBe(201);
  company.scenario("silent-response");
  const leave = new AbortController();
  const silent = order(company.accountId, { token, signal: leave.signal });
  while (sandbox.world({ company: company.slug }).companies[0]?.live_cards !== 2) {
    await vi.waitFor(() => {});
    await exchange(company.apiKey);
  }
  leave.abort();
  await expect(silent).rejects.toThrow("aborted");
  expect((await (await fetch(`${sandbox.url}/_sandbox/world`)).json()) as object).toHaveProperty("companies");
  await sandbox.close();
});
