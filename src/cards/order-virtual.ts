import { SandboxError } from "../rules/errors.ts";
import { factsOf } from "../rules/facts.ts";
import { capViolation } from "../rules/spending-limit.ts";
import type { Services } from "../runtime/services.ts";
import { cardByIdempotencyKey } from "../store/cards.ts";
import { orderWorld } from "../store/order-world.ts";
import { refuseInvalid } from "./caller-change.ts";
import { type JudgedFacts, refuseUnissuable } from "./checks.ts";
import { type IssueOutcome, type IssuingRequest, issueOnce, scopeOf } from "./issue-once.ts";
import { issueOrdered } from "./issue-ordered.ts";
import type { Order } from "./order.ts";

/** An order without what is delivered. */
export type VirtualOrder = Omit<Order, "deliveryAddress" | "deliveryMethod">;

export interface VirtualOrderRequest extends IssuingRequest {
  readonly readOrder: () => VirtualOrder;
}

const operation = "orderVirtualCard";

/**
 * Orders a virtual card for the caller (assumed): as a physical one, but that nothing is delivered.
 * @throws SandboxError `cards.*`
 */
export function orderVirtualCard(
  services: Services,
  request: VirtualOrderRequest,
): IssueOutcome | Promise<IssueOutcome> {
  return issueOnce(services, request, {
    operation,
    family: "cards",
    original: () =>
      cardByIdempotencyKey(services.database, services.clock.now(), scopeOf(request, operation)),
    read: request.readOrder,
    judge: (order) => judge(services, request, order),
    make: (order, facts) => issueOrdered(services, request, operation, "virtual", order, facts),
  });
}

/** 400, 404, 409, 422. */
function judge(
  services: Services,
  { caller, overlay }: VirtualOrderRequest,
  { accountId, spendingLimit }: VirtualOrder,
): JudgedFacts {
  const facts = factsOf(
    orderWorld(services.database, services.clock.now(), caller.companyPk, caller.memberPk, accountId),
    overlay.facts,
  );
  const overCap = spendingLimit && capViolation(spendingLimit, facts.limits);
  if (overCap) throw new SandboxError("cards.spending_limit_over_cap", `spending_limit.amount: ${overCap}`);
  refuseInvalid(overlay);
  const { account } = facts;
  if (!account) {
    throw new SandboxError(
      "cards.account_not_found",
      `account_id: account ${accountId} was not found in this company`,
    );
  }
  if (overlay.facts.changeInProgress) {
    throw new SandboxError(
      "cards.virtual_change_in_progress",
      "Another change is in progress: retry with the same Idempotency-Key in a moment",
    );
  }
  const judged = { ...facts, account };
  refuseUnissuable(judged, undefined, "cards");
  return judged;
}
