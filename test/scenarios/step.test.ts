import { describe, expect, test } from "vitest";
import { decisionsOf } from "../../src/contract/decisions.ts";
import { type OperationId, operations } from "../../src/contract/operations.ts";
import { type ContractPointId, contractPoints } from "../../src/contract/points.ts";
import { scenarioSchema } from "../../src/scenarios/scenario.ts";
import { openSandbox, type TestOptions } from "../support/open-sandbox.ts";

const apiKey = "sk_sandbox_northwind_owner";

/** A value for each fact and fault that forces a refusal with any value. */
const forcing: Readonly<Record<string, unknown>> = {
  "faults.request.rate_limited": { retry_after_s: 1 },
  "faults.token.unavailable": true,
  "faults.issuer.rejected": "no",
  "faults.issuer.bad_gateway": true,
  "faults.issuer.unavailable": true,
  "facts.key_revoked": true,
  "facts.permissions": [],
  "facts.entitled": false,
  "facts.request_valid": false,
  "facts.change_in_progress": true,
  "facts.company_status": "closed",
  "facts.company_details_complete": false,
  "facts.cardholder_details_complete": false,
  "facts.country_deliverable": false,
  "facts.quota_reached": true,
};

/** The refusals of an operation that scenarios force, in the order of its decisions, each with the step that forces it. */
function refusalsOf(operation: OperationId): { point: ContractPointId; path: string; step: Step }[] {
  return decisionsOf(operation).flatMap(({ forcedBy = {} }) =>
    Object.entries(forcedBy).flatMap(([place, outcome]) => {
      if (!(outcome in contractPoints)) return [];
      const [path = "", value = forcing[place]] = place.split("=");
      const [, layer = "", name = "", fault] = /^(\w+)\.(\w+)(?:\.(\w+))?$/.exec(path) ?? [];
      const step =
        fault === undefined ? { [layer]: { [name]: value } } : { [layer]: { [name]: { [fault]: value } } };
      return [{ point: outcome as ContractPointId, path, step }];
    }),
  );
}

const forcibleOperations = ["orderPhysicalCard", "orderVirtualCard", "exchangeSandboxKey"] as const;

type Step = { facts?: object; faults?: Record<string, object> };

/** Both steps in one. */
function merged(one: Step, other: Step): Step {
  const faults: Record<string, object> = { ...one.faults };
  for (const [place, each] of Object.entries(other.faults ?? {}))
    faults[place] = { ...faults[place], ...each };
  return { facts: { ...one.facts, ...other.facts }, faults };
}

/** A sandbox with a scenario of one step, which may be invalid in a file. */
function openWithStep(step: Step, on: OperationId, options: TestOptions = {}) {
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

describe.each(forcibleOperations)("on %s", (operation) => {
  const refusals = refusalsOf(operation);
  const pointWith = async (step: Step) => {
    const sandbox = openWithStep(step, operation);
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

  test.each(refusals)("$path forces $point", async ({ point, step }) => {
    expect(await pointWith(step)).toBe(point);
  });

  const neighbours = refusals.slice(1).map((later, i) => ({ earlier: refusals[i] ?? later, later }));
  // One fact has one value: a token cannot be both refused and expired.
  test.each(neighbours.filter(({ earlier, later }) => earlier.path !== later.path))(
    "$earlier.point comes before $later.point",
    async ({ earlier, later }) => {
      expect(await pointWith(merged(later.step, earlier.step))).toBe(earlier.point);
      expect(() =>
        scenarioSchema().parse({
          name: "own",
          title: "a",
          description: "b",
          spec: ["§4"],
          points: refusals.map(({ point }) => point),
          on: operation,
          steps: [merged(earlier.step, later.step)],
          example: [{ expect: {} }],
        }),
      ).toThrow(/takes precedence/);
    },
  );
});

describe("a step", () => {
  test("delays and refuses a request", async () => {
    const request = { latency_ms: 1, rate_limited: { retry_after_s: 1 } };
    const sandbox = openWithStep({ faults: { request } }, "orderPhysicalCard");
    sandbox.scenario("own");
    expect((await sandbox.order()).point).toBe("gateway.rate_limited");
  });

  test("adds its facts to those of the world, and overrides them", async () => {
    const step = { faults: { issuer: { unavailable: true } } };
    const sandbox = openWithStep(step, "orderPhysicalCard", { facts: { quotaReached: true } });
    sandbox.scenario("own");
    expect((await sandbox.order()).point).toBe("order.quota_reached");
    const other = openWithStep({ facts: { company_status: "closed" } }, "orderPhysicalCard", {
      facts: { companyStatus: "active" },
    });
    other.scenario("own");
    expect((await other.order()).point).toBe("order.company_inactive");
  });

  test("applies a slow issuer and a lost response to one request", async () => {
    const step = { faults: { issuer: { latency_ms: 1 }, response: { reset: true } } };
    const sandbox = openWithStep(step, "orderPhysicalCard");
    sandbox.scenario("own");
    await expect(sandbox.order()).rejects.toThrow("fetch failed");
    expect(sandbox.exchanges.at(-1)).toMatchObject({
      status: undefined,
      fault: "response.reset",
      scenario: "own",
    });
  });

  test("loses the response of an order without a spending limit whose spending it would hide", async () => {
    const step = { facts: { used_unreadable: true }, faults: { response: { reset: true } } };
    const sandbox = openWithStep(step, "orderPhysicalCard");
    sandbox.scenario("own");
    await expect(sandbox.order()).rejects.toThrow("fetch failed");
  });

  test("does not truncate a refusal that it did not force", async () => {
    const step = { faults: { request: { latency_ms: 1 }, response: { truncated: true } } };
    const sandbox = openWithStep(step, "orderPhysicalCard");
    sandbox.scenario("own");
    expect((await sandbox.order({ body: { pin: "1" } })).point).toBe("order.pin_invalid");
  });

  test("truncates the response to half its length, for the client and in the journal", async () => {
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

  test("never applies to a request that was aborted before it was sent", async () => {
    const sandbox = openSandbox();
    const sent = sandbox.request("/developer/cards/physical", {
      method: "POST",
      signal: AbortSignal.abort(),
    });
    await expect(sent).rejects.toThrow("aborted");
    expect(sandbox.exchanges).toEqual([]);
  });
});
