import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { readShippedScenarios } from "../../src/node/input-files.ts";
import { faultNames } from "../../src/sweep/faults.ts";
import { listOf, type Run, sweepRun, TestClient } from "../support/sweep-client.ts";

const connection = [
  "dropped-request",
  "empty-response",
  "lost-response",
  "silent-response",
  "slow-response",
  "truncated-response",
];
const issuer = [
  "created-but-502",
  "in-flight",
  "issuer-bad-gateway",
  "issuer-rejected",
  "issuer-unavailable",
  "lost-in-flight",
];
const beforeKey = ["forbidden", "not-entitled", "rate-limited", "token-expired", "unauthorized"];
const webhooks = ["webhook-bad-signature", "webhook-duplicate", "webhook-reordered", "webhook-stale"];

/** The faults that can hit each call of a client. */
async function faultsByCall(run: Run): Promise<Readonly<Record<string, readonly string[]>>> {
  const { calls, not_run } = await listOf(run);
  const faultsOf = (id: string) =>
    not_run.filter((cell) => cell.startsWith(`${id}:`)).map((cell) => cell.slice(id.length + 1));
  return Object.fromEntries(calls.map(({ id }) => [id, faultsOf(id).toSorted()]));
}

test("every shipped scenario is a fault, but for those that repeat one or are none", () => {
  const others = readShippedScenarios()
    .map(({ name }) => name)
    .filter((name) => !faultNames.some((each) => each === name));
  expect(others.toSorted()).toEqual([
    "issuer-recovers",
    "issuer-slow",
    "token-short-lived",
    "used-unreadable",
  ]);
});

test("a successful order can be hit by everything that can go wrong with an order", async () => {
  const faults = await faultsByCall((sandbox) => new TestClient(sandbox).order());
  expect(faults["orderPhysicalCard#1"]).toEqual(
    [
      ...[...connection, ...issuer, ...beforeKey],
      ...["account-closed", "account-not-found", "cardholder-details-missing", "company-details-missing"],
      ...["company-inactive", "conflict", "country-undeliverable", "invalid-request", "quota-reached"],
    ].toSorted(),
  );
  expect(faults["exchangeSandboxKey#1"]).toEqual(
    [...connection, "invalid-request", "key-revoked", "rate-limited", "token-unavailable"].toSorted(),
  );
});

test("a replay can be hit only by what is checked before it, and by its connection", async () => {
  const faults = await faultsByCall(async (sandbox) => {
    const client = new TestClient(sandbox);
    await client.call("POST", "/developer/webhooks", {
      body: { url: "http://localhost/hooks", events: ["card.created"] },
    });
    const key = randomUUID();
    await client.order({}, { key });
    await client.order({}, { key });
  });
  expect(faults["orderPhysicalCard#1"]).toEqual(expect.arrayContaining(webhooks));
  expect(faults["orderPhysicalCard#2"]).toEqual([...connection, ...beforeKey].toSorted());
});

test("calls that are refused, forced or wrong on purpose get only faults of their connection", async () => {
  const faults = await faultsByCall(async (sandbox) => {
    const client = new TestClient(sandbox, { givesUp: true });
    const order = (fields: object, headers: Record<string, string>) =>
      client.order(fields, { headers }).catch(() => {});
    await order({ pin: "12" }, {});
    await order({}, { "Sandbox-Scenario": "quota-reached" });
    await order({}, { "Sandbox-Scenario": "issuer-unavailable" });
    await order({}, { "Sandbox-Test": "negative" });
    await order({ name: "scenario:lost-response" }, {});
    sandbox.scenario("issuer-unavailable", { times: 1 });
    await order({}, {});
    await order({}, { Authorization: "Bearer nobody" });
  });
  const orders = Object.entries(faults).filter(([id]) => id.includes("orderPhysicalCard"));
  expect(orders).toHaveLength(7);
  for (const [id, hit] of orders) expect([id, hit]).toEqual([id, connection]);
});

test("webhooks can be faulty only for calls that emit events of a company with webhooks", async () => {
  const faults = await faultsByCall(async (sandbox) => {
    const client = new TestClient(sandbox);
    await client.order();
    await client.call("POST", "/developer/webhooks", {
      body: { url: "http://localhost/hooks", events: ["card.created", "card.status_changed"] },
    });
    const id = await client.order();
    await client.call("POST", `/developer/cards/${id}/freeze`);
    await client.list();
  });
  const hasWebhooks = (id: string) => faults[id]?.some((fault) => fault.startsWith("webhook-"));
  expect(hasWebhooks("orderPhysicalCard#1")).toBe(false);
  expect(hasWebhooks("orderPhysicalCard#2")).toBe(true);
  expect(hasWebhooks("freezeCard#1")).toBe(true);
  expect(hasWebhooks("listCards#1")).toBe(false);
});

test("the fault of a cell takes precedence over scenarios that the client armed", async () => {
  const run: Run = async (sandbox) => {
    sandbox.scenario("issuer-unavailable", { times: 1 });
    await new TestClient(sandbox).order();
  };
  const { cells } = await sweepRun(run, { only: ["orderPhysicalCard", "dropped-request", "slow-response"] });
  expect(
    cells.map(({ id, verdict, story }) => [id, verdict, ...story.map(({ outcome }) => outcome)]),
  ).toEqual([
    ["orderPhysicalCard#1:slow-response", "survived", "201 order.created"],
    [
      "orderPhysicalCard#1:dropped-request",
      "survived",
      "request dropped",
      "503 order.issuer_unavailable",
      "201 order.created",
    ],
    ["orderPhysicalCard#2:slow-response", "survived", "201 order.created"],
    ["orderPhysicalCard#2:dropped-request", "survived", "request dropped", "201 order.created"],
  ]);
});
