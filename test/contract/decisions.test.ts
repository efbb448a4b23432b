import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Decision } from "../../src/contract/decision.ts";
import { checksOf, checksPassed, decidingPoints, decisionsOf } from "../../src/contract/decisions.ts";
import { type OperationId, operationIds } from "../../src/contract/operations.ts";
import { type ContractPointId, contractPoints } from "../../src/contract/points.ts";
import { scenarioSchema } from "../../src/scenarios/scenario.ts";

/** The points of requests that no operation checks: unknown paths, unreadable requests, and the sandbox's own errors. */
const ofNoCheck = (point: string) => point.startsWith("gateway.") && point !== "gateway.rate_limited";

describe.each(operationIds)("the decisions of %s", (operation) => {
  const rows: readonly Decision[] = decisionsOf(operation);

  test("raise each point once", () => {
    const points = rows.flatMap(({ points = [] }) => points);
    expect(new Set(points).size).toBe(points.length);
  });

  test("name each check once", () => {
    const ids = rows.flatMap(({ id }) => id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("give each check either to a layer or to a step", () => {
    for (const { by, step } of rows) expect([by, step].filter(Boolean)).toHaveLength(1);
  });

  test("claim the scenario before its facts and faults take effect, and succeed before the response is sent", () => {
    const steps = rows.map(({ step }) => step);
    const firstForced = rows.findIndex(({ forcedBy }) => forcedBy !== undefined);
    expect(steps[firstForced]).toBe("scenario");
    const success = steps.includes("insert") ? ["insert", "lose"] : ["success"];
    expect(steps.slice(-success.length - 3)).toEqual([...success, "delay", "lose", "send"]);
  });

  test("force refusals by points of the same operation", () => {
    const points = new Set<string>(rows.flatMap(({ points = [] }) => points));
    const outcomes = rows.flatMap(({ forcedBy = {} }) => Object.values(forcedBy));
    const refusals = outcomes.filter((outcome) => outcome in contractPoints);
    expect(refusals.filter((point) => !points.has(point))).toEqual([]);
  });
});

test("each contract point belongs to an operation, or is raised before the operation is known", () => {
  const decided = new Set<string>(operationIds.flatMap((id) => [...decidingPoints(id)]));
  const others = Object.keys(contractPoints).filter((point) => !decided.has(point));
  expect(others).toEqual(others.filter(ofNoCheck));
});

test("the rows of the table list exactly the facts and faults of scenario files", () => {
  const paths = operationIds.flatMap((id) =>
    decisionsOf(id).flatMap(({ forcedBy = {} }) => Object.keys(forcedBy).map((path) => path.split("=")[0])),
  );
  const { facts, faults } = z.toJSONSchema(scenarioSchema().shape.steps.element, { io: "input" })
    .properties as Record<"facts" | "faults", { properties: Record<string, { properties?: object }> }>;
  const leaves = [
    ...Object.keys(facts.properties).map((name) => `facts.${name}`),
    ...Object.entries(faults.properties).flatMap(([place, { properties = {} }]) =>
      Object.keys(properties).map((name) => `faults.${place}.${name}`),
    ),
  ];
  expect([...new Set(paths)].toSorted()).toEqual(leaves.toSorted());
});

test.each<[OperationId, ContractPointId, string]>([
  ["orderPhysicalCard", "auth.token_missing", ""],
  ["orderPhysicalCard", "gateway.rate_limited", "access_token acting_company"],
  ["orderPhysicalCard", "order.forbidden", "access_token acting_company rate_limit"],
  [
    "orderPhysicalCard",
    "order.replayed",
    "access_token acting_company rate_limit permission entitlement content_type idempotency_key",
  ],
  ["exchangeSandboxKey", "token.invalid_request", ""],
  ["exchangeSandboxKey", "token.key_revoked", "body key_environment key_known rate_limit availability"],
  ["exchangeLiveKey", "token.unavailable", "body key_environment key_known rate_limit"],
  ["orderPhysicalCard", "gateway.internal_error", ""],
  ["orderPhysicalCard", "token.issued", ""],
  ["exchangeLiveKey", "order.created", ""],
])("%s with the point %s passed the checks: %s", (operation, point, passed) => {
  expect(checksPassed(decisionsOf(operation), operation, point).join(" ")).toBe(passed);
});

test.each<[OperationId, ContractPointId]>([
  ["orderPhysicalCard", "order.created"],
  ["exchangeSandboxKey", "token.issued"],
  ["exchangeLiveKey", "token.issued"],
])("%s with the point %s passed all checks", (operation, point) => {
  expect(checksPassed(decisionsOf(operation), operation, point)).toEqual(
    checksOf(decisionsOf(operation)).map(({ id }) => id),
  );
});
