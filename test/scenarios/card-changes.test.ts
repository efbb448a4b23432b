import { describe, expect, test } from "vitest";
import type { OperationId } from "../../src/contract/operations.ts";
import type { ContractPointId } from "../../src/contract/points.ts";
import { openCards, replacement } from "../support/open-cards.ts";
import type { openSandbox } from "../support/open-sandbox.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
const owner = "sk_sandbox_northwind_owner";

/** The method, the path below the card and the body of each operation on a card. */
const requests = {
  freezeCard: ["POST", "/freeze", undefined],
  unfreezeCard: ["POST", "/unfreeze", undefined],
  setSpendingLimit: ["PUT", "/spending-limit", { period: "daily", amount: "5" }],
  removeSpendingLimit: ["DELETE", "/spending-limit", undefined],
  changeCard: ["PATCH", "", { name: "Travel" }],
  terminateCard: ["POST", "/terminate", undefined],
  replaceCard: ["POST", "/replace", replacement],
} as const satisfies Partial<Record<OperationId, readonly [string, string, unknown]>>;
const ids = Object.keys(requests) as (keyof typeof requests)[];

const send = (
  sandbox: ReturnType<typeof openSandbox>,
  operation: keyof typeof requests,
  id: string,
  token: string,
) => {
  const [method, path, body] = requests[operation];
  return sandbox.call(method, `/developer/cards/${id}${path}`, { token, key, ...(body && { body }) });
};

describe.each(ids)("on %s", (operation) => {
  test.each([
    ["conflict", "cards.change_in_progress"],
    ["invalid-request", "cards.invalid_request"],
    ["forbidden", "access.forbidden"],
    ["not-entitled", "access.not_entitled"],
    ["unauthorized", "auth.token_invalid"],
    ["rate-limited", "gateway.rate_limited"],
  ])("%s forces %s and leaves the card unchanged", async (name, point) => {
    const sandbox = openCards();
    const card = await sandbox.card();
    const token = await sandbox.exchange(owner);
    const armed = sandbox.scenario(name, { operation, company: "northwind" });
    const reply = await send(sandbox, operation, card.id, token);
    expect([reply.point, reply.headers.get("Sandbox-Scenario")]).toEqual([point, name]);
    expect(armed.listing().fired).toBe(1);
    expect(await sandbox.show(card.id)).toEqual(card);
  });
});

test("Prefer: code=409 forces a conflict on a card operation", async () => {
  const sandbox = openCards();
  const { id } = await sandbox.card();
  const reply = await sandbox.set("freeze", id, { headers: { Prefer: "code=409" } });
  expect([reply.point, reply.headers.get("Sandbox-Scenario")]).toEqual([
    "cards.change_in_progress",
    "conflict",
  ]);
});

test("an armed conflict fires on every operation that creates or changes a card", async () => {
  const sandbox = openCards();
  const { id } = await sandbox.card();
  sandbox.scenario("conflict");
  expect((await sandbox.order()).point).toBe("order.change_in_progress");
  for (const trigger of ["freeze", "unfreeze", "change", "terminate", "replace"] as const) {
    expect((await sandbox.set(trigger, id)).point, trigger).toBe("cards.change_in_progress");
  }
});

describe("operations that create a card", () => {
  const creating = ["replaceCard", "orderVirtualCard"] as const;

  test.each(
    creating.flatMap((operation) =>
      (
        [
          ["company-inactive", "cards.company_inactive"],
          ["account-closed", "cards.account_closed"],
          ["company-details-missing", "cards.company_details_missing"],
          ["cardholder-details-missing", "cards.cardholder_details_missing"],
          ["quota-reached", "cards.quota_reached"],
          ["issuer-rejected", "cards.issuer_rejected"],
          ["issuer-bad-gateway", "cards.issuer_bad_gateway"],
          ["issuer-unavailable", "cards.issuer_unavailable"],
          ["created-but-502", operation === "replaceCard" ? "cards.replaced" : "cards.virtual_created"],
          ["conflict", `cards.${operation === "replaceCard" ? "" : "virtual_"}change_in_progress`],
        ] as const
      ).map(([name, point]) => [operation, name, point] as const),
    ),
  )("%s with %s: %s", async (operation, name, point: ContractPointId) => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    const token = await sandbox.exchange(owner);
    sandbox.scenario(name, { operation });
    const reply =
      operation === "replaceCard"
        ? await sandbox.replace(id, {}, { token, key })
        : await sandbox.virtual({}, { token, key });
    expect(sandbox.exchanges.at(-1)).toMatchObject({ point, scenario: name });
    if (name === "created-but-502") {
      expect([reply.status, reply.point]).toEqual([502, "cards.issuer_bad_gateway"]);
      const again =
        operation === "replaceCard"
          ? await sandbox.replace(id, {}, { token, key })
          : await sandbox.virtual({}, { token, key });
      expect(again.point).toBe("cards.replayed");
    }
  });

  test("account-not-found fires on virtual cards, and cannot be armed for replacements", async () => {
    const sandbox = openCards();
    sandbox.scenario("account-not-found", { operation: "orderVirtualCard" });
    expect((await sandbox.virtual()).point).toBe("cards.account_not_found");
    expect(() => sandbox.scenario("account-not-found", { operation: "replaceCard" })).toThrow(
      /can never fire/,
    );
  });

  test("a lost response keeps the card, and the retry returns it", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    sandbox.scenario("lost-response", { operation: "replaceCard", times: 1 });
    await expect(sandbox.replace(id, {}, { key })).rejects.toThrow("fetch failed");
    expect((await sandbox.replace(id, {}, { key })).point).toBe("cards.replayed");
  });
});

test("country-undeliverable empties the delivery options", async () => {
  const sandbox = openCards();
  sandbox.scenario("country-undeliverable", { operation: "listDeliveryOptions" });
  const body = { delivery_address: replacement.delivery_address };
  const reply = await sandbox.call("POST", "/developer/cards/delivery-options", { body });
  expect([reply.status, reply.json]).toEqual([200, { delivery_methods: [] }]);
  expect(reply.headers.get("Sandbox-Scenario")).toBe("country-undeliverable");
});

test("used-unreadable omits used from the response to a change", async () => {
  const sandbox = openCards();
  const { id } = await sandbox.card({ spending_limit: { period: "daily", amount: "5" } });
  sandbox.scenario("used-unreadable", { operation: "freezeCard" });
  const reply = await sandbox.set("freeze", id);
  expect(reply.json.spending_limit).toEqual({ period: "daily", amount: "5.00", currency: "GBP" });
});

test("a slow replacement has no effect after a reset", async () => {
  const sandbox = openCards();
  const { id } = await sandbox.card();
  const token = await sandbox.exchange(owner);
  sandbox.scenario("issuer-slow", { operation: "replaceCard" });
  const replaced = sandbox.replace(id, {}, { token });
  while (sandbox.clockOfTest.waited.length === 0) await new Promise(setImmediate);
  sandbox.reset();
  expect((await replaced).point).toBe("cards.change_in_progress");
  expect(sandbox.company("northwind").live_cards).toBe(0);
});

test("the name in the body of a virtual card chooses a scenario", async () => {
  const sandbox = openCards();
  const reply = await sandbox.virtual({ name: "scenario:quota-reached" });
  expect(reply.point).toBe("cards.quota_reached");
});
