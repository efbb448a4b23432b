import { describe, expect, test } from "vitest";
import { type OperationId, operationIds, operations } from "../../src/contract/operations.ts";
import { contractPoints } from "../../src/contract/points.ts";
import { readShippedScenarios } from "../../src/node/input-files.ts";
import { Catalogue } from "../../src/scenarios/catalogue.ts";
import { pointsOf } from "../../src/scenarios/step.ts";
import { openCards } from "../support/open-cards.ts";
import { openSandbox } from "../support/open-sandbox.ts";
import { own } from "../support/own-scenario.ts";

const owner = "sk_sandbox_northwind_owner";

describe("Prefer: code", () => {
  test.each([
    ["getCard", 403, "access.forbidden", "forbidden"],
    ["freezeCard", 400, "cards.invalid_request", "invalid-request"],
    ["freezeCard", 401, "auth.token_invalid", "unauthorized"],
    ["listAccounts", 401, "auth.token_invalid", "unauthorized"],
    ["listAccounts", 429, "gateway.rate_limited", "rate-limited"],
    ["getInvoice", 403, "access.forbidden", "forbidden"],
    ["exchangeSandboxKey", 429, "gateway.rate_limited", "rate-limited"],
  ] as const)(
    "chooses a scenario for %s and %d that lists another operation",
    async (id, status, point, scenario) => {
      const sandbox = openSandbox();
      const { method, path } = operations[id];
      const exchanges = id === "exchangeSandboxKey";
      const reply = await sandbox.call(method, path.replace("{id}", "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30"), {
        ...(!exchanges && { token: await sandbox.exchange(owner) }),
        ...(method === "POST" && { body: exchanges ? { api_key: owner } : {} }),
        headers: { Prefer: `code=${status}` },
      });
      expect([reply.status, reply.point, reply.headers.get("Sandbox-Scenario")]).toEqual([
        status,
        point,
        scenario,
      ]);
    },
  );

  test.each([
    [422, "cards.quota_reached"],
    [503, "cards.issuer_unavailable"],
  ])("forces %d on a replacement", async (status, point) => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    const reply = await sandbox.set("replace", id, { headers: { Prefer: `code=${status}` } });
    expect([reply.status, reply.point]).toEqual([status, point]);
  });

  test("lists the statuses that scenarios can force on the operation", async () => {
    const sandbox = openSandbox();
    const reply = await sandbox.get("/developer/accounts", {
      token: await sandbox.exchange(owner),
      headers: { Prefer: "code=422" },
    });
    expect(reply.json).toEqual({
      error:
        'Prefer: no scenario forces code "422" on listAccounts. Use one of 401, 403, 429. GET /_sandbox/scenarios lists all scenarios.',
    });
  });

  test("prefers a first step, then a listed operation, then the order of the catalogue", () => {
    const down = { faults: { issuer: { unavailable: true } } };
    const full = { facts: { quota_reached: true } };
    const [later] = own([down, full]).scenarios ?? [];
    const [elsewhere] =
      own([full], { on: ["orderVirtualCard"], points: ["cards.quota_reached"] }).scenarios ?? [];
    const [first] = own([full]).scenarios ?? [];
    const [second] = own([full, down]).scenarios ?? [];
    if (!later || !elsewhere || !first || !second) throw new Error("a scenario is missing");
    const chosen = (...all: (typeof later)[]) =>
      new Catalogue(() => all.map((each, n) => ({ ...each, name: `s${n}` })))
        .statusesOf("orderPhysicalCard")
        .get(422)?.name;
    expect(chosen(later)).toBe("s0");
    expect(chosen(later, elsewhere)).toBe("s1");
    expect(chosen(later, elsewhere, first, second)).toBe("s2");
  });

  test("chooses a scenario for every status that a shipped step can force", () => {
    const shipped = readShippedScenarios();
    const catalogue = new Catalogue(() => shipped);
    const missing = operationIds.flatMap((id: OperationId) =>
      shipped.flatMap(({ name, steps }) =>
        steps
          .flatMap((step) => pointsOf(step, [id]))
          .filter((point) => !catalogue.statusesOf(id).has(contractPoints[point].status))
          .map((point) => `${name} leads ${id} to ${point}`),
      ),
    );
    expect(missing).toEqual([]);
  });
});
