import { describe, expect, test } from "vitest";
import type { Call, MakeObserver, Observer } from "../../src/http/observer.ts";
import type { Exchange, Messages } from "../../src/journal/exchange.ts";
import { readShippedScenarios } from "../../src/node/input-files.ts";
import type { Scenario } from "../../src/scenarios/scenario.ts";
import type { ScenarioName } from "../../src/scenarios/shipped.ts";
import { openSandbox, type TestOptions } from "../support/open-sandbox.ts";
import { own } from "../support/own-scenario.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const shipped = readShippedScenarios();
const named = (name: ScenarioName) => shipped.find((each) => each.name === name) as Scenario;

/** A sandbox with an observer that keeps the calls, and forces a scenario on the next call after `force`. */
async function openObserved(options: TestOptions = {}) {
  const calls: Call[] = [];
  const ended: (Exchange & Messages)[] = [];
  let next: Scenario | undefined;
  let parts: Parameters<MakeObserver>[0] | undefined;
  const observer: Observer = {
    begin(call) {
      calls.push(call);
      const forced = next;
      next = undefined;
      return { forced, ended: (exchange, messages) => void ended.push({ ...exchange, ...messages }) };
    },
    delivered() {},
  };
  const sandbox = openSandbox({
    ...options,
    observer: (made) => {
      parts = made;
      return observer;
    },
  });
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  calls.length = 0;
  ended.length = 0;
  const force = (scenario: Scenario) => {
    next = scenario;
  };
  return {
    sandbox,
    calls,
    ended,
    force,
    order: (sent: object = {}) => sandbox.order({ token, ...sent }),
    releaseForced: () => parts?.scenarios.releaseForced(),
  };
}

describe("an observer is called once", () => {
  test("for each request to an operation, with its caller if it is known", async () => {
    const { sandbox, calls, ended, order } = await openObserved();
    await order({ key });
    await order({ key });
    await order({ body: { pin: "1" } });
    await sandbox.request("/developer/cards/physical", { method: "POST" });
    await sandbox.request("/developer/cards", { method: "HEAD" });
    await sandbox.post("/auth/v1/sandbox/token", "{");
    await sandbox.post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_unknown" });
    expect(calls.map(({ operation, caller }) => [operation, caller?.role])).toEqual([
      ["orderPhysicalCard", "owner"],
      ["orderPhysicalCard", "owner"],
      ["orderPhysicalCard", "owner"],
      ["orderPhysicalCard", undefined],
      ["listCards", undefined],
      ["exchangeSandboxKey", undefined],
      ["exchangeSandboxKey", undefined],
    ]);
    expect(ended.map(({ point }) => point)).toEqual([
      "order.created",
      "order.replayed",
      "order.pin_invalid",
      "auth.token_missing",
      "auth.token_missing",
      "token.invalid_request",
      "token.key_unknown",
    ]);
  });

  test("for an operation that the sandbox does not serve", async () => {
    const { sandbox, calls } = await openObserved({ assumed: false });
    expect((await sandbox.call("GET", "/developer/accounts", { token: "none" })).status).toBe(401);
    expect(calls).toMatchObject([{ operation: "listAccounts", caller: undefined }]);
  });

  test("for a request that names an unknown scenario", async () => {
    const { calls, order } = await openObserved();
    await order({ headers: { "Sandbox-Scenario": "none" } });
    expect(calls).toMatchObject([{ operation: "orderPhysicalCard", isForced: false }]);
  });

  test("but not for the control API, a wrong method or an unknown path", async () => {
    const { sandbox, calls } = await openObserved();
    await sandbox.request("/_sandbox/world");
    await sandbox.request("/developer/cards/physical", { method: "PUT" });
    await sandbox.request("/developer/nothing");
    await sandbox.request("/openapi.json");
    expect(calls).toEqual([]);
  });
});

test("a call that selects a scenario, or is wrong on purpose, is forced", async () => {
  const { calls, order } = await openObserved();
  await order({ headers: { "Sandbox-Scenario": "quota-reached" } });
  await order({ headers: { Prefer: "code=503" } });
  await order({ body: { name: "scenario:conflict" } });
  await order({ headers: { "Sandbox-Test": " Negative" } });
  await order();
  expect(calls.map(({ isForced }) => isForced)).toEqual([true, true, true, true, false]);
});

describe("a scenario that an observer forces", () => {
  test("acts once, before one that is armed or that the request selects, which keep their steps", async () => {
    const { sandbox, order, force } = await openObserved();
    const armed = sandbox.scenario("issuer-recovers", { company: "northwind", times: 1 });
    force(named("quota-reached"));
    const reply = await order();
    expect([reply.point, reply.headers.get("Sandbox-Scenario")]).toEqual([
      "order.quota_reached",
      "quota-reached",
    ]);
    expect(armed.listing()).toMatchObject({ steps_taken: 0, fired: 0 });
    expect(sandbox.control.scenarios.armed().unused).toEqual([armed.id]);
    const select = { key, headers: { "Sandbox-Scenario": "issuer-recovers" } };
    force(named("account-closed"));
    expect((await order(select)).point).toBe("order.account_closed");
    const points = [];
    for (const _ of [1, 2, 3]) points.push((await order(select)).point);
    expect(points).toEqual(["order.issuer_unavailable", "order.issuer_unavailable", "order.created"]);
    expect((await order()).point).toBe("order.issuer_unavailable");
    expect(armed.listing()).toMatchObject({ steps_taken: 1, fired: 1 });
  });

  test("acts on operations that it is not made for", async () => {
    const { sandbox, force } = await openObserved();
    force(named("lost-response"));
    await expect(sandbox.exchange("sk_sandbox_northwind_owner")).rejects.toThrow("fetch failed");
    force(named("rate-limited"));
    const reply = await sandbox.post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" });
    expect(reply.point).toBe("gateway.rate_limited");
  });

  test.each([
    ["that cannot affect the operation", named("issuer-unavailable")],
    ["whose first step passes", own([{ pass: true }, { facts: { quota_reached: true } }]).scenarios?.[0]],
  ])("%s leaves armed scenarios in effect", async (_which, scenario) => {
    const { sandbox, force } = await openObserved();
    const armed = sandbox.scenario("token-unavailable");
    force(scenario as Scenario);
    const reply = await sandbox.post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" });
    expect([reply.point, armed.listing().fired]).toEqual(["token.unavailable", 1]);
  });

  test("is not used by a request that another check refuses first", async () => {
    const { order, force, ended } = await openObserved();
    force(named("quota-reached"));
    expect((await order({ body: { pin: "1" } })).headers.get("Sandbox-Scenario")).toBe(null);
    expect(ended).toMatchObject([{ point: "order.pin_invalid", scenario: undefined }]);
  });
});

const connectionFaults = [
  ["dropped-request", "request.dropped", undefined],
  ["slow-response", "response.latency_ms", 0],
  ["lost-response", "response.reset", undefined],
  ["empty-response", "response.empty", undefined],
  ["truncated-response", "response.truncated", 0],
] as const;

const refusals = [
  ["422", { facts: { quotaReached: true } }, {}, 422, "order.quota_reached"],
  ["400", {}, { body: { pin: "1" } }, 400, "order.pin_invalid"],
  ["401 before the caller is known", {}, { token: "unknown" }, 401, "auth.token_invalid"],
] as const;

describe.each(refusals)(
  "on a request that the sandbox refuses with %s",
  (_which, options, sent, status, point) => {
    test.each(connectionFaults)("an observer can force %s", async (name, fault, sentStatus) => {
      const { sandbox, order, force, ended } = await openObserved(options);
      force(named(name));
      const reply = order(sent);
      if (name === "slow-response") expect((await reply).point).toBe(point);
      else await expect(reply).rejects.toThrow(name === "truncated-response" ? "terminated" : "fetch failed");
      expect(ended).toMatchObject([
        {
          scenario: name,
          fault,
          point: name === "dropped-request" ? undefined : point,
          status: sentStatus === undefined ? undefined : status,
        },
      ]);
      expect(sandbox.company("northwind").live_cards).toBe(0);
      expect((await order(sent)).point).toBe(point);
    });

    test("an observer can force silent-response", async () => {
      const { sandbox, order, force, ended } = await openObserved(options);
      force(named("silent-response"));
      const leave = new AbortController();
      const reply = order({ ...sent, signal: leave.signal });
      reply.catch(() => {});
      while (sandbox.clockOfTest.waits.length === 0) await new Promise(setImmediate);
      leave.abort();
      await expect(reply).rejects.toThrow("aborted");
      await new Promise(setImmediate);
      expect(ended).toMatchObject([{ point, fault: "response.silent", status: undefined }]);
    });

    test.each(["created-but-502", "lost-in-flight", "issuer-slow", "webhook-duplicate"] as const)(
      "%s does not act",
      async (name) => {
        const { order, force, ended } = await openObserved(options);
        force(named(name));
        expect((await order(sent)).point).toBe(point);
        expect(ended).toMatchObject([{ point, status, scenario: undefined, fault: undefined }]);
      },
    );
  },
);

describe("the end of a call", () => {
  test.each<[ScenarioName, string]>([
    ["lost-response", "order.created"],
    ["empty-response", "order.created"],
    ["truncated-response", "order.created"],
    ["created-but-502", "order.created"],
  ])("under %s contains the body that the operation produced", async (name, point) => {
    const { sandbox, order, force, ended } = await openObserved();
    force(named(name));
    await order().catch(() => {});
    const [card] = (await sandbox.call("GET", "/developer/cards")).json.data;
    const [end] = ended;
    expect([end?.point, JSON.parse(end?.decidedBody ?? "null").id]).toEqual([point, card.id]);
  });

  test("of an order whose connection is lost while the issuer works comes when the observer releases it", async () => {
    const { order, force, ended, releaseForced } = await openObserved();
    force(named("lost-in-flight"));
    await expect(order({ key })).rejects.toThrow("fetch failed");
    expect((await order({ key })).point).toBe("order.key_in_progress");
    expect(ended.map(({ point }) => point)).toEqual(["order.key_in_progress"]);
    releaseForced();
    await new Promise(setImmediate);
    expect(ended.slice(1)).toMatchObject([
      { point: "order.created", fault: "issuer.disconnect", status: undefined },
    ]);
    expect((await order({ key })).point).toBe("order.replayed");
  });

  test("of a held order comes when the observer releases it, and armed holds go on", async () => {
    const { sandbox, order, force, releaseForced } = await openObserved();
    const armed = sandbox.scenario("in-flight", { company: "northwind" });
    const byArmed = order({ key });
    while (armed.listing().held === 0) await new Promise(setImmediate);
    force(named("in-flight"));
    const byObserver = order();
    while (sandbox.clockOfTest.waits.filter((ms) => ms > 0).length < 2) await new Promise(setImmediate);
    releaseForced();
    expect((await byObserver).point).toBe("order.created");
    expect(armed.listing().held).toBe(1);
    armed.release();
    expect((await byArmed).point).toBe("order.created");
  });

  test("is not affected by an observer that throws there", async () => {
    const observer: MakeObserver = () => ({
      begin: () => ({
        ended() {
          throw new Error("a defect of the observer");
        },
      }),
      delivered() {},
    });
    const sandbox = openSandbox({ observer });
    expect((await sandbox.order()).point).toBe("order.created");
  });
});

test("an observer sees each attempt to deliver an event", async () => {
  const attempts: [string, number | null][] = [];
  const observer: MakeObserver = () => ({
    begin: () => ({ ended() {} }),
    delivered: ({ body }, { status }) => void attempts.push([JSON.parse(body).type, status]),
  });
  const sandbox = openSandbox({ observer, deliver: async () => new Response(null, { status: 204 }) });
  const url = "http://localhost/hooks";
  await sandbox.call("POST", "/developer/webhooks", { body: { url, events: ["card.created"] } });
  await sandbox.order({ headers: { "Sandbox-Scenario": "webhook-duplicate" } });
  await sandbox.webhooks.settled();
  expect(attempts).toEqual([
    ["card.created", 204],
    ["card.created", 204],
  ]);
});

test("without an observer, a request that is reset during its delay is refused, not dropped", async () => {
  const faults = { request: { latency_ms: 6000, dropped: true } };
  const sandbox = openSandbox(own([{ faults }]));
  sandbox.scenario("own");
  const order = sandbox.order();
  while (sandbox.clockOfTest.waits.length === 0) await new Promise(setImmediate);
  sandbox.reset();
  sandbox.clockOfTest.endWaits();
  expect((await order).point).toBe("order.change_in_progress");
});
