import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Arming } from "../../src/control/scenarios.ts";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { startSandbox } from "../../src/node/start-sandbox.ts";
import { temporaryFolder } from "../support/command-line.ts";
import { openSandbox } from "../support/open-sandbox.ts";
import { own } from "../support/own-scenario.ts";
import { physicalOrder } from "../support/physical-order.ts";

const slowEverywhere = {
  faults: {
    request: { latency_ms: 600_000 },
    issuer: { latency_ms: 600_000, hold_ms: 600_000 },
    response: { latency_ms: 600_000 },
  },
};

describe("the waiting times that a scenario is armed with", () => {
  test("let a client that obeys Retry-After finish at once, over a socket", async () => {
    const sandbox = await startSandbox({ port: 0 });
    try {
      const company = await sandbox.isolatedCompany();
      company.scenario("rate-limited", { times: 2, retry_after_s: 0 });
      const post = (path: string, body: unknown, headers = {}) =>
        fetch(sandbox.url + path, { method: "POST", body: JSON.stringify(body), headers });
      const exchange = await post("/auth/v1/sandbox/token", { api_key: company.apiKey });
      const { access_token } = (await exchange.json()) as { access_token: string };
      const headers = {
        Authorization: `Bearer ${access_token}`,
        "Content-Type": "application/json",
        "Idempotency-Key": randomUUID(),
      };
      const waitedS: number[] = [];
      for (;;) {
        const response = await post("/developer/cards/physical", physicalOrder(company.accountId), headers);
        if (response.status !== 429) {
          expect(response.status).toBe(201);
          break;
        }
        expect(await response.json()).toMatchObject({
          error: { message: "Too many requests. Retry in 0 s." },
        });
        waitedS.push(Number(response.headers.get("Retry-After")));
        await sleep(1000 * Number(response.headers.get("Retry-After")));
      }
      expect(waitedS).toEqual([0, 0]);
      expect(sandbox.findings({ company: company.id, final: true }).findings).toEqual([]);
    } finally {
      await sandbox.close();
    }
  });

  test("replace every latency and hold of its steps, and add none where a step has none", async () => {
    const sandbox = openSandbox(own([slowEverywhere, { faults: { response: { latency_ms: 9 } } }]));
    sandbox.scenario("own", { latency_ms: 11, hold_ms: 22 });
    await sandbox.order();
    expect(sandbox.clockOfTest.waited).toEqual([11, 11, 22, 11]);
    await sandbox.order();
    expect(sandbox.clockOfTest.waited.slice(4)).toEqual([11]);
  });

  test("do not change the scenario for a request that chooses it, nor its listing", async () => {
    const sandbox = openSandbox(own([{ faults: { issuer: { latency_ms: 5 } } }]));
    sandbox.scenario("own", { company: "northwind", latency_ms: 11 });
    await sandbox.order();
    await sandbox.order({ headers: { "Sandbox-Scenario": "own" } });
    expect(sandbox.clockOfTest.waited).toEqual([11, 5]);
    expect(sandbox.control.scenarios.all().at(-1)?.steps).toEqual([
      { faults: { issuer: { latency_ms: 5 } } },
    ]);
  });

  test("are listed; the times that stay as in the file are null", async () => {
    const sandbox = openSandbox();
    sandbox.scenario("in-flight", { hold_ms: 20 });
    sandbox.scenario("rate-limited", { retry_after_s: 0 });
    const { armed } = (await sandbox.request("/_sandbox/armed")).json;
    expect(armed).toMatchObject([
      { name: "in-flight", retry_after_s: null, latency_ms: null, hold_ms: 20 },
      { name: "rate-limited", retry_after_s: 0, latency_ms: null, hold_ms: null },
    ]);
  });

  test("survive a restart on the same database file, and a restored snapshot", async () => {
    const db = join(temporaryFolder(), "sandbox.db");
    const first = createSandbox({ db });
    first.scenario("rate-limited", { retry_after_s: 2 });
    first.snapshot("limited");
    first.control.scenarios.disarmAll();
    first.close();
    const second = createSandbox({ db });
    second.restore("limited");
    second.close();
    const third = createSandbox({ db });
    expect(third.control.scenarios.armed().armed).toMatchObject([{ name: "rate-limited", retry_after_s: 2 }]);
    expect(await retryAfter(third)).toBe("2");
    third.close();
  });

  test("end with a reset, which arms the scenario of the start as in its file", async () => {
    const sandbox = createSandbox({ scenario: "rate-limited" });
    sandbox.scenario("rate-limited", { retry_after_s: 0 });
    expect(await retryAfter(sandbox)).toBe("0");
    sandbox.reset();
    expect(await retryAfter(sandbox)).toBe("30");
    sandbox.close();
  });
});

/** The Retry-After header of an order. */
async function retryAfter(sandbox: ReturnType<typeof createSandbox>): Promise<string | null> {
  const post = (path: string, body: unknown, headers = {}) =>
    sandbox.fetch(`http://sandbox${path}`, { method: "POST", body: JSON.stringify(body), headers });
  const exchange = await post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" });
  const { access_token } = (await exchange.json()) as { access_token: string };
  const account = sandbox.world().companies[0]?.accounts[0]?.id ?? "";
  const response = await post("/developer/cards/physical", physicalOrder(account), {
    Authorization: `Bearer ${access_token}`,
    "Content-Type": "application/json",
    "Idempotency-Key": randomUUID(),
  });
  return response.headers.get("Retry-After");
}

describe("a waiting time is refused", () => {
  test.each<[string, string, Arming, string]>([
    [
      "that the scenario has no use for, with the scenarios that have",
      "issuer-slow",
      { retry_after_s: 0 },
      "retry_after_s: issuer-slow has no rate limit. Omit retry_after_s, or arm a scenario that has one: rate-limited.",
    ],
    [
      "for a scenario without latency",
      "rate-limited",
      { latency_ms: 1 },
      "latency_ms: rate-limited has no latency. Omit latency_ms, or arm a scenario that has one: issuer-slow, slow-response.",
    ],
    [
      "for a scenario without hold",
      "quota-reached",
      { hold_ms: 1 },
      "hold_ms: quota-reached has no hold. Omit hold_ms, or arm a scenario that has one: in-flight, lost-in-flight.",
    ],
    ["below zero", "rate-limited", { retry_after_s: -1 }, "retry_after_s: must be at least 0, but is -1"],
    [
      "that is no whole number of seconds",
      "rate-limited",
      { retry_after_s: 0.5 },
      "retry_after_s: must be an integer, but is 0.5",
    ],
    ["of no time", "issuer-slow", { latency_ms: 0 }, "latency_ms: must be at least 1, but is 0"],
    [
      "beyond ten minutes, as in a file",
      "in-flight",
      { hold_ms: 600_001 },
      "hold_ms: must be at most 600000, but is 600001",
    ],
  ])("%s", async (_what, name, options, message) => {
    const sandbox = openSandbox();
    expect(() => sandbox.scenario(name, options)).toThrow(message);
    const reply = await sandbox.post(`/_sandbox/scenarios/${name}/arm`, options);
    expect([reply.status, reply.json]).toEqual([400, { error: message }]);
    expect(sandbox.control.scenarios.armed().armed).toEqual([]);
  });

  test("on an operation for which the scenario has no such fault", () => {
    const on = ["orderPhysicalCard", "exchangeSandboxKey"] as const;
    const faults = { issuer: { latency_ms: 5 }, token: { unavailable: true } };
    const sandbox = openSandbox(own([{ faults }], { on: [...on] }));
    sandbox.scenario("own", { latency_ms: 1 });
    expect(() => sandbox.scenario("own", { latency_ms: 1, operation: "exchangeSandboxKey" })).toThrow(
      "latency_ms: own has no latency on exchangeSandboxKey. Omit latency_ms, or arm a scenario that has one: issuer-slow, slow-response, own.",
    );
  });
});

describe("a sandbox that shortens waits", () => {
  const shortenWait = (ms: number) => Math.min(ms / 10, 1800);

  test("shortens every latency and hold, however the scenario is chosen", async () => {
    const sandbox = openSandbox({ ...own([slowEverywhere]), shortenWait });
    await sandbox.order({ headers: { "Sandbox-Scenario": "own" } });
    expect(sandbox.clockOfTest.waited).toEqual([1800, 1800, 1800, 1800]);
    sandbox.scenario("own", { latency_ms: 110, hold_ms: 220 });
    await sandbox.order();
    expect(sandbox.clockOfTest.waited.slice(4)).toEqual([11, 11, 22, 11]);
    await sandbox.order({ headers: { "Sandbox-Scenario": "issuer-slow" } });
    expect(sandbox.clockOfTest.waited.slice(8)).toEqual([300]);
  });

  test("rounds Retry-After down to whole seconds", async () => {
    const sandbox = openSandbox({ shortenWait });
    const limited = async () =>
      (await sandbox.order({ headers: { "Sandbox-Scenario": "rate-limited" } })).headers.get("Retry-After");
    expect(await limited()).toBe("1");
    sandbox.scenario("rate-limited", { retry_after_s: 9 });
    expect((await sandbox.order()).headers.get("Retry-After")).toBe("0");
  });

  test("does not shorten a silence, nor the work of an issuer whose connection is lost", async () => {
    const steps = [
      { faults: { response: { latency_ms: 10, silent_ms: 50 } } },
      { faults: { request: { latency_ms: 20 }, issuer: { latency_ms: 70, hold_ms: 90, disconnect: true } } },
    ];
    const sandbox = openSandbox({ ...own(steps), shortenWait });
    sandbox.scenario("own");
    for (const _ of steps) await expect(sandbox.order()).rejects.toThrow("fetch failed");
    while (sandbox.exchanges.length < 4) await new Promise(setImmediate);
    expect(sandbox.clockOfTest.waited).toEqual([1, 50, 2, 70, 90]);
  });

  test("lists the waits of scenarios as they are in their files", () => {
    const { control } = openSandbox({ shortenWait });
    expect(control.scenarios.all().find(({ name }) => name === "issuer-slow")?.steps).toEqual([
      { faults: { issuer: { latency_ms: 3000 } } },
    ]);
  });
});
