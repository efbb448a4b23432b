import { describe, expect, test } from "vitest";
import { checksOf, decisionsOf } from "../../src/contract/decisions.ts";
import type { JournalFilter } from "../../src/journal/journal.ts";
import { cardOf, openSandbox, type TestOptions } from "../support/open-sandbox.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

/** A sandbox after this many requests, each with a different path. */
async function sent(count: number, options?: TestOptions) {
  const sandbox = openSandbox(options);
  const send = async (from: number, to: number) => {
    for (let n = from; n <= to; n++) await sandbox.request(`/${n}`);
  };
  await send(1, count);
  const ids = (filter?: JournalFilter) => sandbox.requests.list(filter).requests.map(({ id }) => id);
  return { ...sandbox, send, ids };
}

describe("an entry", () => {
  test("of an order has every field and no secret", async () => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const card = cardOf(await sandbox.order({ token, key: key.toUpperCase() }));
    const company = sandbox.company("northwind");
    const [entry] = sandbox.requests.list().requests;
    expect(entry).toEqual({
      id: "2",
      time: "2026-03-10T09:30:00.000Z",
      duration_ms: 0,
      method: "POST",
      path: "/developer/cards/physical",
      query: "",
      operation: "orderPhysicalCard",
      caller: {
        company: "northwind",
        company_id: company.id,
        environment: "sandbox",
        member: "northwind-owner",
        member_id: company.members[0]?.id,
        role: "owner",
        api_key: "sk_sandbox_north",
        api_key_id: company.members[0]?.api_keys[0]?.id,
      },
      idempotency_key: key,
      request: {
        headers: {
          authorization: "Bearer …",
          "content-type": "application/json",
          "idempotency-key": key.toUpperCase(),
        },
        body: JSON.stringify(sandbox.orderBody({ pin: "…" })),
      },
      status: 201,
      response: {
        headers: {
          "content-type": "application/json",
          date: "Tue, 10 Mar 2026 09:30:00 GMT",
          "sandbox-contract-point": "order.created; provenance=specified",
        },
        body: JSON.stringify(card),
      },
      point: "order.created",
      provenance: "specified",
      checks: checksOf(decisionsOf("orderPhysicalCard")).map(({ id }) => id),
      scenario: null,
      fault: null,
    });
    expect(JSON.stringify(entry)).not.toContain(token);
  });

  test("of a token exchange contains neither the key nor the token", async () => {
    const sandbox = openSandbox();
    await sandbox.exchange("sk_sandbox_northwind_owner");
    expect(sandbox.requests.get("1")).toMatchObject({
      operation: "exchangeSandboxKey",
      request: { body: '{"api_key":"…"}' },
      response: { body: '{"access_token":"…","expires_at":"2026-03-10T09:45:00.000Z"}' },
      point: "token.issued",
    });
  });

  test("of a refusal lists the checks that passed before it", async () => {
    const sandbox = openSandbox();
    await sandbox.order({ apiKey: "sk_sandbox_northwind_employee", key });
    expect(sandbox.requests.get("2")).toMatchObject({
      status: 403,
      point: "order.forbidden",
      provenance: "specified",
      checks: ["access_token", "acting_company", "rate_limit"],
      caller: { company: "northwind", role: "employee" },
      idempotency_key: key,
      request: { body: expect.stringContaining('"pin":"…"') },
    });
  });

  test("of an unknown path has no caller and no checks", async () => {
    const sandbox = openSandbox();
    await sandbox.request("/developer/sk_live_abc?token=short&a=1", { method: "PUT" });
    await sandbox.request("/developer/cards/physical");
    await sandbox.request("/developer/cards/physical", { method: "POST" });
    expect(sandbox.requests.list().requests).toMatchObject([
      { method: "POST", operation: "orderPhysicalCard", point: "auth.token_missing", checks: [] },
      { method: "GET", operation: null, point: "auth.token_missing", checks: [] },
      {
        method: "PUT",
        path: "/developer/sk_live_…",
        query: "?token=…&a=1",
        operation: null,
        caller: null,
        checks: [],
      },
    ]);
  });

  test.each([
    ["lost-response", { status: null, response: null, point: "order.created", fault: "response.reset" }],
    ["truncated-response", { status: 201, point: "order.created", fault: "response.truncated" }],
    ["created-but-502", { status: 502, point: "order.created", fault: "response.bad_gateway" }],
    ["dropped-request", { status: null, response: null, point: null, fault: "request.dropped", checks: [] }],
    ["quota-reached", { status: 422, point: "order.quota_reached", fault: null }],
  ])("under %s has the contract point and the delivered response", async (scenario, expected) => {
    const sandbox = openSandbox({ scenario });
    await sandbox.order().catch(() => {});
    expect(sandbox.requests.get("2")).toMatchObject({ scenario, ...expected });
    expect(sandbox.requests.list({ scenario }).requests).toHaveLength(1);
  });

  test("masks the PIN in a broken body", async () => {
    const sandbox = openSandbox();
    await sandbox.order({ raw: '{"pin": "4821", "delivery' });
    expect(sandbox.requests.get("2")).toMatchObject({
      point: "order.body_not_json",
      request: { body: expect.stringMatching(/^\(not shown: 25 characters of application\/json; /) },
    });
  });

  test("has the duration in hundredths of a millisecond", async () => {
    const sandbox = openSandbox();
    sandbox.force.issuer = {
      issue() {
        sandbox.clockOfTest.advance(12.3456);
        return { outcome: "issued" };
      },
    };
    await sandbox.order();
    expect(sandbox.requests.get("2")?.duration_ms).toBe(12.35);
  });

  test("has the time of the company's clock", async () => {
    const sandbox = openSandbox();
    await sandbox.post("/_sandbox/clock/advance", { by: "PT1H", company: "northwind" });
    await sandbox.order();
    expect(sandbox.requests.get("2")?.time).toBe("2026-03-10T10:30:00.000Z");
  });

  test("has the message of an internal error, but no stack trace", async () => {
    const sandbox = openSandbox();
    sandbox.force.issuer = {
      issue() {
        throw new Error('broken on purpose: {"pin":"4821"}');
      },
    };
    await sandbox.order();
    const entry = sandbox.requests.get("2");
    expect(entry).toMatchObject({ status: 500, defect: 'broken on purpose: {"pin":"…"}' });
    expect(JSON.stringify(entry)).not.toContain("journal.test");
  });
});

describe("the journal keeps", () => {
  test("requests to the service, but not to the control API", async () => {
    const { ids, request } = await sent(1);
    await request("/_sandbox/world");
    expect(ids()).toEqual(["1"]);
  });

  test("the latest requests, up to its limit", async () => {
    const { ids, requests } = await sent(7, { journal: 3 });
    expect(ids()).toEqual(["7", "6", "5"]);
    expect(["4", "5", "7", "8", "05", "-5", "five"].map((id) => requests.get(id)?.path)).toEqual([
      undefined,
      "/5",
      "/7",
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("no more than the limit in bytes: the oldest requests are dropped first", async () => {
    const body = "x".repeat(40_000);
    const sandbox = openSandbox({ journal: 100, journalBytes: 1_000_000 });
    const ids = () => sandbox.requests.list().requests.map(({ id }) => Number(id));
    const send = async (count: number, sent = body) => {
      const init = { method: "POST", body: sent };
      for (let n = 0; n < count; n++) await sandbox.request("/auth/v1/sandbox/token", init);
    };
    await send(30);
    expect(ids()).toHaveLength(24);
    expect(ids()[0]).toBe(30);
    expect(sandbox.requests.get("6")).toBeUndefined();
    // With two bytes for each character, it needs twice the memory.
    await send(20, `€${body}`);
    expect(ids()).toHaveLength(12);
    await send(100, "{}");
    expect(ids()[0]).toBe(150);
    sandbox.requests.clear();
    await send(30);
    expect(ids()).toHaveLength(24);
  });

  test("no request that exceeds the limit by itself", async () => {
    const sandbox = openSandbox({ journalBytes: 20_000 });
    await sandbox.request("/nothing");
    await sandbox.request("/nothing", { headers: { "X-Long": "x".repeat(30_000) } });
    expect(sandbox.requests.list().requests).toEqual([]);
    await sandbox.request("/nothing");
    expect(sandbox.requests.list().requests.map(({ id }) => id)).toEqual(["3"]);
  });

  test("a thousand requests by default", async () => {
    const { ids } = await sent(1002);
    expect([ids({ limit: 1000 }).length, ids({ limit: 1000 }).at(-1)]).toEqual([1000, "3"]);
  });

  test("no requests with the limit 0", async () => {
    const { ids, requests } = await sent(2, { journal: 0 });
    expect([ids(), requests.get("1"), requests.get("2")]).toEqual([[], undefined, undefined]);
  });

  test("no cleared requests, and never reuses an id", async () => {
    const { ids, requests, send } = await sent(4, { journal: 3 });
    requests.clear();
    expect([ids(), requests.get("4")]).toEqual([[], undefined]);
    await send(5, 6);
    expect(ids()).toEqual(["6", "5"]);
  });

  test("requests across a reset, a restore and the deletion of their company", async () => {
    const sandbox = openSandbox();
    await sandbox.order();
    sandbox.snapshot("then");
    sandbox.reset("northwind");
    sandbox.reset();
    sandbox.restore("then");
    await sandbox.request("/_sandbox/companies/northwind", { method: "DELETE" });
    expect(sandbox.requests.list({ company: "northwind" }).requests).toHaveLength(2);
    expect(sandbox.requests.list().requests).toHaveLength(2);
  });

  test("requests even if another observer throws", async () => {
    const { ids } = await sent(2, {
      observe: () => {
        throw new Error("on purpose");
      },
    });
    expect(ids()).toEqual(["2", "1"]);
  });
});

describe("a list", () => {
  test.each<[JournalFilter | undefined, string, boolean]>([
    [undefined, "5 4 3 2 1", false],
    [{ limit: 2 }, "5 4", true],
    [{ limit: 2, after: "4" }, "3 2", true],
    [{ limit: 2, after: "3" }, "2 1", false],
    [{ after: "1" }, "", false],
    [{ after: "99" }, "5 4 3 2 1", false],
    [{ limit: 5 }, "5 4 3 2 1", false],
  ])("by %j has %s", async (filter, expected, hasMore) => {
    const { requests } = await sent(5);
    const listing = requests.list(filter);
    expect([listing.requests.map(({ id }) => id).join(" "), listing.has_more]).toEqual([expected, hasMore]);
  });

  test("has no more pages if no other entry matches", async () => {
    const { requests, order } = await sent(3);
    await order();
    expect(requests.list({ limit: 1, operation: "orderPhysicalCard" })).toMatchObject({
      requests: [{ id: "5" }],
      has_more: false,
    });
  });
});
