import { describe, expect, test } from "vitest";
import { checksOf } from "../../src/contract/decisions.ts";
import { type OperationId, operations } from "../../src/contract/operations.ts";
import type { PointId } from "../../src/contract/points.ts";
import { scenarioSchema } from "../../src/scenarios/scenario.ts";
import { openSandbox, type TestOptions } from "../support/open-sandbox.ts";

const apiKey = "sk_sandbox_northwind_owner";

/** What forces each refusal, in the order in which they strike: each row hides those after it. */
const refusals: Partial<Record<OperationId, readonly (readonly [PointId, object])[]>> = {
  orderPhysicalCard: [
    ["auth.token_expired", { facts: { token: "expired" } }],
    ["gateway.rate_limited", { faults: { request: { rate_limited: { retry_after_s: 1 } } } }],
    ["order.forbidden", { facts: { permissions: [] } }],
    ["order.not_entitled", { facts: { entitled: false } }],
    ["order.invalid_request", { facts: { request_valid: false } }],
    ["order.account_not_found", { facts: { account: "missing" } }],
    ["order.change_in_progress", { facts: { change_in_progress: true } }],
    ["order.company_inactive", { facts: { company_status: "closed" } }],
    ["order.account_closed", { facts: { account: "closed" } }],
    ["order.company_details_missing", { facts: { company_details_complete: false } }],
    ["order.cardholder_details_missing", { facts: { cardholder_details_complete: false } }],
    ["order.country_undeliverable", { facts: { country_deliverable: false } }],
    ["order.quota_reached", { facts: { quota_reached: true } }],
    ["order.issuer_rejected", { faults: { issuer: { rejected: "no" } } }],
    ["order.issuer_bad_gateway", { faults: { issuer: { bad_gateway: true } } }],
    ["order.issuer_unavailable", { faults: { issuer: { unavailable: true } } }],
  ],
  orderVirtualCard: [
    ["auth.token_expired", { facts: { token: "expired" } }],
    ["gateway.rate_limited", { faults: { request: { rate_limited: { retry_after_s: 1 } } } }],
    ["access.forbidden", { facts: { permissions: [] } }],
    ["access.not_entitled", { facts: { entitled: false } }],
    ["cards.invalid_request", { facts: { request_valid: false } }],
    ["cards.account_not_found", { facts: { account: "missing" } }],
    ["cards.virtual_change_in_progress", { facts: { change_in_progress: true } }],
    ["cards.company_inactive", { facts: { company_status: "closed" } }],
    ["cards.account_closed", { facts: { account: "closed" } }],
    ["cards.company_details_missing", { facts: { company_details_complete: false } }],
    ["cards.cardholder_details_missing", { facts: { cardholder_details_complete: false } }],
    ["cards.quota_reached", { facts: { quota_reached: true } }],
    ["cards.issuer_rejected", { faults: { issuer: { rejected: "no" } } }],
    ["cards.issuer_bad_gateway", { faults: { issuer: { bad_gateway: true } } }],
    ["cards.issuer_unavailable", { faults: { issuer: { unavailable: true } } }],
  ],
  exchangeSandboxKey: [
    ["token.invalid_request", { facts: { request_valid: false } }],
    ["gateway.rate_limited", { faults: { request: { rate_limited: { retry_after_s: 1 } } } }],
    ["token.unavailable", { faults: { token: { unavailable: true } } }],
    ["token.key_revoked", { facts: { key_revoked: true } }],
  ],
};

test.each(Object.keys(refusals) as OperationId[])(
  "%s: refusals are forced in the order of its checks",
  (on) => {
    const places = (refusals[on] ?? []).map(([point]) =>
      checksOf(on).findIndex(({ points }) => points.includes(point)),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  },
);

type Step = { facts?: object; faults?: Record<string, object> };

/** Both steps in one, each place of faults with what either says there. */
function merged(one: Step, other: Step): Step {
  const faults: Record<string, object> = { ...one.faults };
  for (const [place, each] of Object.entries(other.faults ?? {}))
    faults[place] = { ...faults[place], ...each };
  return { facts: { ...one.facts, ...other.facts }, faults };
}

/** A sandbox in which every request meets a step, which need not be one that a file may hold. */
function under(step: Step, on: OperationId, options: TestOptions = {}) {
  const read = scenarioSchema().parse({
    name: "own",
    title: "A test's own",
    description: "A test's own",
    spec: ["§4"],
    points: ["order.created"],
    on,
    steps: [{ faults: { request: { latency_ms: 1 } } }],
    example: [{ expect: {} }],
    ...(on !== "orderPhysicalCard" && { points: [operations[on].success] }),
  });
  const own = { ...read, steps: [step as (typeof read.steps)[number]] };
  return openSandbox({ scenarios: [own], ...options });
}

describe.each(Object.keys(refusals) as OperationId[])("on %s", (operation) => {
  const rows = refusals[operation] ?? [];
  const pointUnder = async (step: Step) => {
    const sandbox = under(step, operation);
    const token = await sandbox.exchange(apiKey);
    const armed = sandbox.scenario("own");
    const reply =
      operation === "orderPhysicalCard"
        ? await sandbox.order({ token })
        : operation === "orderVirtualCard"
          ? await sandbox.call("POST", "/developer/cards/virtual", {
              token,
              body: { account_id: sandbox.account("northwind").id },
              key: "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30",
            })
          : await sandbox.post("/auth/v1/sandbox/token", { api_key: apiKey });
    expect([reply.headers.get("Sandbox-Scenario"), armed.listing().fired]).toEqual(["own", 1]);
    expect(sandbox.exchanges.at(-1)).toMatchObject({
      scenario: "own",
      fault: undefined,
      status: reply.status,
    });
    return reply.point;
  };

  test.each(rows)("%s is forced", async (point, step) => {
    expect(await pointUnder(step)).toBe(point);
  });

  test.each(rows.slice(1).map(([later], i) => [rows[i]?.[0], later, i] as const))(
    "%s comes before %s",
    async (earlier, _later, i) => {
      const [one, other] = [rows[i]?.[1], rows[i + 1]?.[1]];
      // One fact has one value: an account cannot be closed and missing.
      expect(await pointUnder(merged(other as Step, one as Step))).toBe(earlier);
      expect(() =>
        scenarioSchema().parse({
          name: "own",
          title: "a",
          description: "b",
          spec: ["§4"],
          points: rows.map(([point]) => point),
          on: operation,
          steps: [merged(one as Step, other as Step)],
          example: [{ expect: {} }],
        }),
      ).toThrow(/decides before it/);
    },
  );
});

describe("what a step does beside", () => {
  test("a slow request is still refused", async () => {
    const request = { latency_ms: 1, rate_limited: { retry_after_s: 1 } };
    const sandbox = under({ faults: { request } }, "orderPhysicalCard");
    sandbox.scenario("own");
    expect((await sandbox.order()).point).toBe("gateway.rate_limited");
  });

  test("the facts of the step and of the world count both, and the step's win", async () => {
    const step = { faults: { issuer: { unavailable: true } } };
    const sandbox = under(step, "orderPhysicalCard", { facts: { quotaReached: true } });
    sandbox.scenario("own");
    expect((await sandbox.order()).point).toBe("order.quota_reached");
    const other = under({ facts: { company_status: "closed" } }, "orderPhysicalCard", {
      facts: { companyStatus: "active" },
    });
    other.scenario("own");
    expect((await other.order()).point).toBe("order.company_inactive");
  });

  test("a slow issuer and a lost answer strike one request", async () => {
    const step = { faults: { issuer: { latency_ms: 1 }, response: { reset: true } } };
    const sandbox = under(step, "orderPhysicalCard");
    sandbox.scenario("own");
    await expect(sandbox.order()).rejects.toThrow("fetch failed");
    expect(sandbox.exchanges.at(-1)).toMatchObject({
      status: undefined,
      fault: "response.reset",
      scenario: "own",
    });
  });

  test("hidden spending and a lost answer strike an order without a limit too", async () => {
    const step = { facts: { used_unreadable: true }, faults: { response: { reset: true } } };
    const sandbox = under(step, "orderPhysicalCard");
    sandbox.scenario("own");
    await expect(sandbox.order()).rejects.toThrow("fetch failed");
  });

  test("a fault of the answer leaves a refusal that it did not force alone", async () => {
    const step = { faults: { request: { latency_ms: 1 }, response: { truncated: true } } };
    const sandbox = under(step, "orderPhysicalCard");
    sandbox.scenario("own");
    expect((await sandbox.order({ body: { pin: "1" } })).point).toBe("order.pin_invalid");
  });

  test("an answer that is cut off is half of itself, for the client and for the journal", async () => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange(apiKey);
    sandbox.scenario("truncated-response");
    const response = await sandbox.fetch("http://sandbox/developer/cards/physical", {
      method: "POST",
      body: JSON.stringify(sandbox.orderBody()),
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        "Idempotency-Key": "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30",
      },
    });
    const length = Number(response.headers.get("Content-Length"));
    const chunk = await response.body?.getReader().read();
    const text = new TextDecoder().decode(chunk?.value);
    expect(text).toHaveLength(Math.floor(length / 2));
    expect(sandbox.exchanges.at(-1)).toMatchObject({ fault: "response.truncated", responseBody: text });
  });

  test("a request that was aborted before it is sent never is", async () => {
    const sandbox = openSandbox();
    const sent = sandbox.request("/developer/cards/physical", {
      method: "POST",
      signal: AbortSignal.abort(),
    });
    await expect(sent).rejects.toThrow("aborted");
    expect(sandbox.exchanges).toEqual([]);
  });
});
