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
import { comparesOrders, hashOfOrder, replay } from "./keys.ts";

/**
 * Orders a virtual card for the caller (assumed): as a physical card, but nothing is delivered.
 * @param readOrder - throws 400
 * @throws SandboxError `cards.*`
 */
export function orderVirtualCard(
  services: Services,
  request: IssueRequest,
  readOrder: () => CardOrder,
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
    return insert(services, request, order, facts); // 201
  });
  if ("card" in attempt) return attempt;

  const { order, pending } = attempt;
  return whenIssued(services, request, pending, () => {
    refuseStale(services, request);
    const facts = check(services, request, order);
    return insert(services, request, order, facts);
  });
}

function insert(
  services: Services,
  request: IssueRequest,
  order: CardOrder,
  facts: IssuingFacts,
): IssueOutcome {
  const digest = comparesOrders(services, request) ? digestOf(order) : undefined;
  return insertOrderedCard(services, request, "virtual", order, facts, digest);
}

/** As for a physical card, a name that chooses a scenario is not part of the order. */
function digestOf({ accountId, name, autoConvert, spendingLimit }: CardOrder): string {
  return hashOfOrder([
    accountId,
    name?.startsWith("scenario:") ? undefined : name,
    autoConvert,
    spendingLimit,
  ]);
}

function check(services: Services, request: IssueRequest, order: CardOrder): IssuingFacts {
  const { caller, overlay } = request;
  const { accountId, spendingLimit } = order;
  const world = orderWorld(
    services.database,
    services.clock.now(),
    caller.companyPk,
    caller.memberPk,
    accountId,
  );
  const facts = factsOf(world, overlay.facts);
  return checkNewCard({ ...request, services, facts, accountId, spendingLimit, delivery: undefined });
}
