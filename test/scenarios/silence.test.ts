import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import type { Exchange, Messages } from "../../src/journal/exchange.ts";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { startSandbox } from "../../src/node/start-sandbox.ts";
import { openSandbox } from "../support/open-sandbox.ts";
import { own } from "../support/own-scenario.ts";
import { physicalOrder } from "../support/physical-order.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

/** A sandbox of which one order is silent. */
async function openSilent() {
  const sandbox = openSandbox();
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  const armed = sandbox.scenario("silent-response", { times: 1 });
  const leave = new AbortController();
  const order = sandbox.order({ key, token, signal: leave.signal });
  order.catch(() => {});
  while (sandbox.clockOfTest.waits.length === 0) await new Promise(setImmediate);
  const lost = () => sandbox.exchanges.find(({ fault }) => fault === "response.silent");
  return { sandbox, armed, leave, order, lost };
}

describe("a silent response", () => {
  test("ends as soon as the client aborts the request, and is recorded then", async () => {
    const { sandbox, leave, order, lost } = await openSilent();
    expect(lost()).toBeUndefined();
    leave.abort(new Error("too slow for me"));
    await expect(order).rejects.toThrow("too slow for me");
    await new Promise(setImmediate);
    expect(sandbox.clockOfTest.waits).toEqual([]);
    expect(lost()).toMatchObject({
      scenario: "silent-response",
      point: "order.created",
      status: undefined,
      responseBody: undefined,
      decidedBody: expect.stringContaining('"id"'),
    });
    expect((await sandbox.order({ key })).point).toBe("order.replayed");
  });

  test("ends with a reset of the connection when its time is over", async () => {
    const sandbox = openSandbox(own([{ faults: { response: { latency_ms: 3, silent_ms: 4 } } }]));
    sandbox.scenario("own");
    await expect(sandbox.order()).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
    expect(sandbox.clockOfTest.waited).toEqual([3, 4]);
  });

  test.each<[string, (opened: Awaited<ReturnType<typeof openSilent>>) => void]>([
    ["its scenario is disarmed", ({ armed }) => armed.disarm()],
    ["its company is reset", ({ sandbox }) => sandbox.reset("northwind")],
    ["the world is reset", ({ sandbox }) => sandbox.reset()],
    ["the sandbox is drained", ({ sandbox }) => sandbox.drain()],
    ["the sandbox is closed", ({ sandbox }) => sandbox.abandon()],
  ])("ends when %s", async (_when, end) => {
    const opened = await openSilent();
    end(opened);
    await expect(opened.order).rejects.toThrow("fetch failed");
    expect(opened.sandbox.clockOfTest.waits.filter((ms) => ms > 0)).toEqual([]);
  });

  test("is not released like a hold", async () => {
    const { sandbox, armed } = await openSilent();
    expect([armed.listing().held, armed.release()]).toEqual([0, 0]);
    expect(sandbox.clockOfTest.waits).toHaveLength(1);
  });

  test("also acts on a refusal that the same step forces", async () => {
    const sandbox = openSandbox(
      own([{ facts: { quota_reached: true }, faults: { response: { silent_ms: 4 } } }]),
    );
    sandbox.scenario("own");
    await expect(sandbox.order()).rejects.toThrow("fetch failed");
    expect(sandbox.exchanges.at(-1)).toMatchObject({
      point: "order.quota_reached",
      fault: "response.silent",
    });
  });
});

/** The recorded exchange of a silent order. */
function recordedSilence() {
  let found: (exchange: Exchange) => void;
  const exchange = new Promise<Exchange>((resolve) => {
    found = resolve;
  });
  const observe = (each: Exchange, _: Messages) => each.fault === "response.silent" && found(each);
  return { exchange, observe };
}

describe("the time at which the client left a silent response is recorded", () => {
  test("in process", async () => {
    const { exchange, observe } = recordedSilence();
    const sandbox = createSandbox({ observe });
    const company = await sandbox.isolatedCompany();
    company.scenario("silent-response", { operation: "exchangeSandboxKey" });
    const sent = sandbox.fetch("http://sandbox/auth/v1/sandbox/token", {
      method: "POST",
      body: JSON.stringify({ api_key: company.apiKey }),
      signal: AbortSignal.timeout(50),
    });
    await expect(sent).rejects.toThrow(/timeout/);
    const { startedMs, abortedMs, durationMs } = await exchange;
    expect(abortedMs).toBeGreaterThan(startedMs);
    expect(durationMs).toBeLessThan(50_000);
    sandbox.close();
  });

  test("over a socket, whether the client resets or closes the connection", async () => {
    for (const end of ["destroy", "resetAndDestroy"] as const) {
      const { exchange, observe } = recordedSilence();
      const sandbox = await startSandbox({ port: 0, observe });
      const company = await sandbox.isolatedCompany();
      const { access_token } = (await (
        await fetch(`${sandbox.url}/auth/v1/sandbox/token`, {
          method: "POST",
          body: JSON.stringify({ api_key: company.apiKey }),
        })
      ).json()) as { access_token: string };
      company.scenario("silent-response");
      const body = JSON.stringify(physicalOrder(company.accountId));
      const socket = connect(Number(new URL(sandbox.url).port), "127.0.0.1");
      const received: Buffer[] = [];
      socket.on("data", (chunk: Buffer) => received.push(chunk));
      socket.write(
        `POST /developer/cards/physical HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${access_token}\r\nContent-Type: application/json\r\nIdempotency-Key: ${randomUUID()}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      while (sandbox.world({ company: company.slug }).companies[0]?.live_cards !== 1) {
        await new Promise(setImmediate);
      }
      socket[end]();
      const { startedMs, abortedMs, durationMs } = await exchange;
      expect(abortedMs).toBeGreaterThan(startedMs);
      expect(durationMs).toBeLessThan(50_000);
      expect(received).toEqual([]);
      await sandbox.close();
    }
  });
});
