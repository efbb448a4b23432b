import { describe, expect, test } from "vitest";
import { checksOf, checksPassed } from "../../src/contract/decisions.ts";
import { type OperationId, operations } from "../../src/contract/operations.ts";
import { type ContractPoint, contractPoints, type PointId } from "../../src/contract/points.ts";

const operationIds = Object.keys(operations) as OperationId[];

/** The errors that an operation can meet by a check of its own: no unknown path, no defect, no slip of the tester. */
function refusalsOf(operation: OperationId): string[] {
  const isMet = ([id, { operations: met, status }]: [string, ContractPoint]) => {
    if (met === "any") return id === "gateway.rate_limited";
    if (met === "developer") return operations[operation].path.startsWith("/developer/");
    return status >= 400 && met.includes(operation);
  };
  return Object.entries<ContractPoint>(contractPoints)
    .filter(isMet)
    .map(([id]) => id);
}

describe.each(operationIds)("the checks of %s", (operation) => {
  const points = checksOf(operation).flatMap((check) => check.points);

  test("hold each error of the operation once", () => {
    expect(points.filter((point) => contractPoints[point].status >= 400).toSorted()).toEqual(
      refusalsOf(operation).toSorted(),
    );
  });

  test("have each a name of its own", () => {
    const ids = checksOf(operation).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test.each<[OperationId, PointId, string]>([
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
])("%s decided by %s had passed: %s", (operation, point, passed) => {
  expect(checksPassed(operation, point).join(" ")).toBe(passed);
});

test.each<[OperationId, PointId]>([
  ["orderPhysicalCard", "order.created"],
  ["exchangeSandboxKey", "token.issued"],
  ["exchangeLiveKey", "token.issued"],
])("%s decided by %s had passed them all", (operation, point) => {
  expect(checksPassed(operation, point)).toEqual(checksOf(operation).map(({ id }) => id));
});
