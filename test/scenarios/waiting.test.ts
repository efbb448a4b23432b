import { describe, expect, test } from "vitest";
import { cardOf, openSandbox, type Reply, type TestOptions } from "../support/open-sandbox.ts";
import { own } from "../support/own-scenario.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const points = (replies: readonly Reply[]) => replies.map(({ point }) => point?.replace("order.", ""));
const full = { facts: { quota_reached: true } };

describe("the step of a waiting request is given back if another check decides", () => {
  const slow = { faults: { request: { latency_ms: 5 }, issuer: { unavailable: true } } };

  test.each([
    ["an invalid body", { body: { pin: "12" } }, "order.pin_invalid"],
    ["a replay", { key }, "order.replayed"],
  ])("%s", async (_what, request, point) => {
    const sandbox = openSandbox(own([slow], { then: "pass" }));
    await sandbox.order({ key });
    const armed = sandbox.scenario("own", { times: 1 });
    const reply = await sandbox.order(request);
    expect([reply.point, reply.headers.get("Sandbox-Scenario")]).toEqual([point, null]);
    expect(armed.listing()).toMatchObject({ steps_taken: 0, fired: 0 });
    expect((await sandbox.order()).point).toBe("order.issuer_unavailable");
    expect((await sandbox.order()).point).toBe("order.created");
  });

  test("the next request uses it, even if later steps were used meanwhile", async () => {
    const steps = [
      { faults: { request: { latency_ms: 6000 }, issuer: { unavailable: true } } },
      { faults: { issuer: { bad_gateway: true } } },
    ];
    const sandbox = openSandbox(own(steps));
    const armed = sandbox.scenario("own", { times: 1 });
    const bad = sandbox.order({ body: { pin: "12" } });
    while (sandbox.clockOfTest.waits.length === 0) await new Promise(setImmediate);
    expect((await sandbox.order()).point).toBe("order.issuer_bad_gateway");
    expect((await sandbox.order()).point).toBe("order.created");
    sandbox.clockOfTest.endWaits();
    expect((await bad).point).toBe("order.pin_invalid");
    const last = sandbox.order();
    while (sandbox.clockOfTest.waits.length === 0) await new Promise(setImmediate);
    sandbox.clockOfTest.endWaits();
    expect((await last).point).toBe("order.issuer_unavailable");
    expect(armed.listing()).toMatchObject({ steps_taken: 2, fired: 2, spent: true });
  });

  test("also a step that the request chose", async () => {
    const sandbox = openSandbox(own([slow], { then: "pass" }));
    const chosen = { key, headers: { "Sandbox-Scenario": "own" } };
    expect((await sandbox.order({ ...chosen, body: { pin: "" } })).point).toBe("order.pin_invalid");
    expect((await sandbox.order(chosen)).point).toBe("order.issuer_unavailable");
    expect((await sandbox.order(chosen)).point).toBe("order.created");
  });

  test("also a held order whose company is suspended meanwhile", async () => {
    const sandbox = openSandbox();
    const armed = sandbox.scenario("in-flight");
    const order = sandbox.order();
    while (armed.listing().held === 0) await new Promise(setImmediate);
    sandbox.control.companies.change("northwind", { status: "suspended" });
    armed.release();
    const reply = await order;
    expect([reply.point, reply.headers.get("Sandbox-Scenario")]).toEqual(["order.company_inactive", null]);
    expect(armed.listing()).toMatchObject({ steps_taken: 0, fired: 0 });
  });
});

describe("delays and lost connections", () => {
  test("delays the request, the issuer and the response in real time", async () => {
    const faults = {
      request: { latency_ms: 11 },
      issuer: { latency_ms: 22 },
      response: { latency_ms: 33 },
    };
    const sandbox = openSandbox(own([{ faults }]));
    sandbox.scenario("own");
    expect((await sandbox.order()).point).toBe("order.created");
    expect(sandbox.clockOfTest.waited).toEqual([11, 22, 33]);
    expect(sandbox.exchanges.at(-1)).toMatchObject({ scenario: "own", fault: "response.latency_ms" });
  });

  test("delays and truncates a refusal", async () => {
    const faults = { response: { latency_ms: 44, truncated: true } };
    const sandbox = openSandbox(own([{ ...full, faults }]));
    sandbox.scenario("own");
    await expect(sandbox.order()).rejects.toThrow("terminated");
    expect(sandbox.clockOfTest.waited).toEqual([44]);
  });

  test("creates the card of a client that aborted its request", async () => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const armed = sandbox.scenario("in-flight");
    const giveUp = new AbortController();
    const order = sandbox.fetch("http://sandbox/developer/cards/physical", {
      method: "POST",
      body: JSON.stringify(sandbox.orderBody()),
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        "Idempotency-Key": key,
      },
      signal: giveUp.signal,
    });
    while (armed.listing().held === 0) await new Promise(setImmediate);
    giveUp.abort(new Error("too slow for me"));
    await expect(order).rejects.toThrow("too slow for me");
    expect(armed.release()).toBe(1);
    await new Promise(setImmediate);
    expect((await sandbox.order({ key })).point).toBe("order.replayed");
  });
});

describe("a held order", () => {
  const hold = async (options: TestOptions = {}) => {
    const sandbox = openSandbox(options);
    const armed = sandbox.scenario("in-flight", { company: "northwind" });
    const first = sandbox.order({ key });
    while (armed.listing().held === 0) await new Promise(setImmediate);
    return { sandbox, armed, first };
  };

  test("continues when it is released", async () => {
    const { armed, first } = await hold();
    expect(armed.release()).toBe(1);
    expect((await first).point).toBe("order.created");
    expect(armed.release()).toBe(0);
  });

  test("has the time of its release, so that lists stay sorted", async () => {
    for (const company of [undefined, "northwind"]) {
      const { sandbox, armed, first } = await hold();
      await sandbox.clock.advance({ by: "PT1H", company });
      const second = cardOf(await sandbox.order());
      armed.release();
      const held = cardOf(await first);
      expect(held.created_at).toBe(second.created_at);
      const { json } = await sandbox.call("GET", "/developer/cards");
      expect(json.data.map(({ id }: { id: string }) => id)).toEqual([held.id, second.id]);
      const times = json.data.map(({ created_at }: { created_at: string }) => created_at);
      expect(times).toEqual(times.toSorted().toReversed());
    }
  });

  test("is released only with its own scenario; a slow order cannot be released", async () => {
    const sandbox = openSandbox(own([{ faults: { issuer: { latency_ms: 6000 } } }]));
    const armed = [
      sandbox.scenario("in-flight", { company: "northwind" }),
      sandbox.scenario("in-flight", { company: "fullhouse" }),
      sandbox.scenario("own", { company: "halfway" }),
    ];
    sandbox.control.companies.change("fullhouse", { card_quota: 9 });
    sandbox.control.companies.change("halfway", { details_complete: true });
    const orders = ["northwind", "fullhouse", "halfway"].map((slug) =>
      sandbox.order({ apiKey: `sk_sandbox_${slug}_owner`, body: { account_id: sandbox.account(slug).id } }),
    );
    while (sandbox.clockOfTest.waits.length < 3) await new Promise(setImmediate);
    expect(armed.map((each) => each.listing().held)).toEqual([1, 1, 0]);
    expect(armed[2]?.release()).toBe(0);
    armed[0]?.disarm();
    expect((await orders[0])?.point).toBe("order.created");
    expect(armed[1]?.listing().held).toBe(1);
    expect(armed[1]?.release()).toBe(1);
    expect(sandbox.clockOfTest.waits).toEqual([6000]);
    sandbox.drain();
    expect(points(await Promise.all(orders))).toEqual(["created", "created", "created"]);
    expect(sandbox.clockOfTest.waits).toEqual([]);
  });

  test("continues when its scenario, those of its company or all scenarios are disarmed", async () => {
    for (const query of [undefined, {}, { company: "northwind" }]) {
      const { sandbox, armed, first } = await hold();
      if (query) sandbox.control.scenarios.disarmAll(query);
      else armed.disarm();
      expect((await first).point).toBe("order.created");
    }
  });

  test("is refused when its company is reset or deleted, unlike those of other companies", async () => {
    for (const end of ["reset", "deleted"]) {
      const sandbox = openSandbox(own([{ faults: { issuer: { latency_ms: 6000, hold_ms: 6000 } } }]));
      const [mine, theirs] = [
        await sandbox.control.companies.create(),
        await sandbox.control.companies.create(),
      ];
      sandbox.scenario("own");
      const order = ({ members, accounts }: typeof mine) =>
        sandbox.order({
          apiKey: members[0]?.api_keys[0]?.secret ?? "",
          body: { account_id: accounts[0]?.id },
        });
      const orders = [order(mine), order(theirs)];
      while (sandbox.clockOfTest.waits.length < 2) await new Promise(setImmediate);
      if (end === "reset") sandbox.reset(mine.slug);
      else sandbox.control.companies.delete(mine.slug);
      // The latencies are over; only the order of the other company is held.
      sandbox.clockOfTest.endWaits();
      expect((await orders[0])?.point).toBe("order.change_in_progress");
      expect(sandbox.clockOfTest.waits).toHaveLength(1);
      sandbox.drain();
      expect((await orders[1])?.point).toBe("order.created");
    }
  });

  test("is no longer held after its delay if the scenario is disarmed or the sandbox drained meanwhile", async () => {
    for (const end of ["disarmed", "drained"]) {
      const sandbox = openSandbox(
        own([{ faults: { request: { latency_ms: 6000 }, issuer: { hold_ms: 6000 } } }]),
      );
      const armed = sandbox.scenario("own");
      const order = sandbox.order();
      while (sandbox.clockOfTest.waits.length === 0) await new Promise(setImmediate);
      if (end === "drained") sandbox.drain();
      else {
        armed.disarm();
        sandbox.clockOfTest.endWaits();
      }
      expect((await order).point).toBe("order.created");
    }
  });

  test("creates no card if the world is reset or restored meanwhile", async () => {
    for (const change of ["reset", "restore"]) {
      const { sandbox, first } = await hold();
      sandbox.snapshot("now");
      if (change === "reset") sandbox.reset();
      else sandbox.restore("now");
      const reply = await first;
      expect([reply.status, reply.point]).toEqual([409, "order.change_in_progress"]);
      expect(sandbox.company("northwind").live_cards).toBe(0);
    }
  });

  test("loses its connection when the sandbox is closed", async () => {
    const { sandbox, first } = await hold();
    sandbox.abandon();
    await expect(first).rejects.toThrow("fetch failed");
  });
});

test("a delayed token exchange issues no token after a reset", async () => {
  const sandbox = openSandbox(
    own([{ faults: { request: { latency_ms: 6000 } } }], {
      on: ["exchangeSandboxKey"],
    }),
  );
  const fresh = openSandbox();
  sandbox.scenario("own");
  const body = { api_key: "sk_sandbox_northwind_owner" };
  const exchange = sandbox.post("/auth/v1/sandbox/token", body);
  while (sandbox.clockOfTest.waits.length === 0) await new Promise(setImmediate);
  sandbox.reset();
  sandbox.clockOfTest.endWaits();
  expect((await exchange).point).toBe("token.unavailable");
  expect(await sandbox.exchange(body.api_key)).toBe(await fresh.exchange(body.api_key));
});
