import type { DeliveryAddress, DeliveryMethod } from "../contract/delivery-address.ts";
import type { AccountId } from "../contract/identifiers.ts";
import { SandboxError } from "../rules/errors.ts";
import { factsOf } from "../rules/facts.ts";
import { hashOfSecret, uuidOf } from "../rules/random.ts";
import { capViolation } from "../rules/spending-limit.ts";
import type { Services } from "../runtime/services.ts";
import { cardByIdempotencyKey } from "../store/cards.ts";
import { orderWorld } from "../store/order-world.ts";
import {
  hasAccount,
  type JudgedFacts,
  refuseUnfitAddress,
  refuseUnissuable,
  refuseUnofferedMethod,
} from "./checks.ts";
import { type IssueOutcome, type IssuingRequest, issueOnce, scopeOf } from "./issue-once.ts";
import { issueOrdered, type OrderedCard } from "./issue-ordered.ts";

/** An order whose fields are each well-formed. The PIN has been checked, and goes no further. */
export interface Order extends OrderedCard {
  readonly accountId: AccountId;
  readonly deliveryAddress: DeliveryAddress;
  readonly deliveryMethod: DeliveryMethod;
}

export interface OrderRequest extends IssuingRequest {
  readonly readOrder: () => Order;
}

const operation = "orderPhysicalCard";

/**
 * Orders a physical card for the caller (spec §4): the key, then the body, what `judge` says from top to bottom, the
 * issuer, and the card.
 * @throws SandboxError `order.*`
 */
export function orderCard(services: Services, request: OrderRequest): IssueOutcome | Promise<IssueOutcome> {
  return issueOnce(services, request, {
    operation,
    family: "order",
    original: () =>
      cardByIdempotencyKey(services.database, services.clock.now(), scopeOf(request, operation)),
    read: request.readOrder,
    repeats: ({ orderDigest }) => orderDigest === digestOfBody(request.readOrder),
    judge: (order) => judge(services, request, order),
    make: (order, facts) =>
      issueOrdered(services, request, operation, "physical", order, facts, digestOf(order)),
  });
}

/**
 * A hash by which two orders can be compared without storing them. The PIN is not part of it, nor is a name that chooses
 * a scenario: such a name is meant for the sandbox.
 */
function digestOf(order: Order): string {
  const name = order.name?.startsWith("scenario:") ? undefined : order.name;
  return uuidOf(hashOfSecret(JSON.stringify({ ...order, name })));
}

/** Undefined if the body is not a valid order. */
function digestOfBody(readOrder: () => Order): string | undefined {
  try {
    return digestOf(readOrder());
  } catch (error) {
    if (error instanceof SandboxError) return undefined;
    throw error;
  }
}

/** Everything that stands between a well-formed order and the issuer: 400, 404, 409, 422. */
function judge(services: Services, { caller, overlay }: OrderRequest, order: Order): JudgedFacts {
  const world = orderWorld(
    services.database,
    services.clock.now(),
    caller.companyPk,
    caller.memberPk,
    order.accountId,
  );
  const facts = factsOf(world, overlay.facts);
  refuseUnfitAddress(order.deliveryAddress, "order");
  refuseUnofferedMethod(order.deliveryMethod, order.deliveryAddress, "order");
  const overCap = order.spendingLimit && capViolation(order.spendingLimit, facts.limits);
  if (overCap) throw new SandboxError("order.spending_limit_over_cap", `spending_limit.amount: ${overCap}`);
  if (overlay.facts.requestValid === false) {
    throw new SandboxError("order.invalid_request", "The request is invalid");
  }
  if (!hasAccount(facts)) {
    throw new SandboxError(
      "order.account_not_found",
      `account_id: account ${order.accountId} was not found in this company`,
    );
  }
  if (facts.changeInProgress) {
    throw new SandboxError(
      "order.change_in_progress",
      "Another change is in progress: retry with the same Idempotency-Key in a moment",
    );
  }
  refuseUnissuable(facts, order.deliveryAddress.country_code, "order");
  return facts;
}
