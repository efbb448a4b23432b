import type { DeliveryAddress, DeliveryMethod } from "../contract/delivery-address.ts";
import { factsOf } from "../rules/overlay.ts";
import { refuseStale } from "../runtime/generations.ts";
import type { Services } from "../runtime/services.ts";
import { orderWorld } from "../store/order-world.ts";
import { checkNewCard, type IssuingFacts } from "./checks.ts";
import {
  askIssuer,
  type CardOrder,
  type IssueOutcome,
  type IssueRequest,
  insertOrderedCard,
  whenIssued,
} from "./issue.ts";
import { hashOfOrder, replay } from "./keys.ts";

/** An order whose fields are each well-formed. It does not contain the PIN, which is validated and then dropped. */
export interface Order extends CardOrder {
  readonly deliveryAddress: DeliveryAddress;
  readonly deliveryMethod: DeliveryMethod;
}

/**
 * Orders a physical card for the caller (spec §4). It is one transaction, unless the issuer is slow. A failure is
 * never stored: the caller retries with the same key (spec §7).
 * @param readOrder - throws 400
 * @throws SandboxError `order.*`
 */
export function orderPhysicalCard(
  services: Services,
  request: IssueRequest,
  readOrder: () => Order,
): IssueOutcome | Promise<IssueOutcome> {
  const { database } = services;
  const attempt = database.transaction(() => {
    refuseStale(services, request); // 409
    const replayed = replay(services, request, () => digestOf(readOrder())); // 201, 409
    if (replayed) return replayed;
    const order = readOrder(); // 400
    const facts = check(services, request, order); // 400, 404, 409, 422
    const pending = askIssuer(request); // 422, 502, 503
    if (pending) return { order, pending };
    return insertOrderedCard(services, request, "physical", order, facts, digestOf(order)); // 201
  });
  if ("card" in attempt) return attempt;

  const { order, pending } = attempt;
  return whenIssued(services, request, pending, () => {
    refuseStale(services, request);
    const facts = check(services, request, order);
    return insertOrderedCard(services, request, "physical", order, facts, digestOf(order));
  });
}

function check(services: Services, request: IssueRequest, order: Order): IssuingFacts {
  const { operation, caller, overlay } = request;
  const { accountId, spendingLimit, deliveryAddress: address, deliveryMethod: method } = order;
  const world = orderWorld(
    services.database,
    services.clock.now(),
    caller.companyPk,
    caller.memberPk,
    accountId,
  );
  const facts = factsOf(world, overlay.facts);
  return checkNewCard({
    operation,
    services,
    caller,
    overlay,
    facts,
    accountId,
    spendingLimit,
    delivery: { address, method },
  });
}

/** Covers neither the PIN nor a name that chooses a scenario, which is addressed to the sandbox. */
function digestOf(order: Order): string {
  const name = order.name?.startsWith("scenario:") ? undefined : order.name;
  const { accountId, deliveryAddress, deliveryMethod, autoConvert, spendingLimit } = order;
  return hashOfOrder([accountId, deliveryAddress, deliveryMethod, name, autoConvert, spendingLimit]);
}
