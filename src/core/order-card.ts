import type { Card } from "../contract/card.ts";
import type { DeliveryAddress, DeliveryMethod } from "../contract/delivery-address.ts";
import type { AccountId, IdempotencyKey } from "../contract/identifiers.ts";
import { addressViolation } from "./address.ts";
import { cardOf, makeCard } from "./card.ts";
import { deliveryMethodsOffered, isDeliverable } from "./delivery.ts";
import { SandboxError } from "./errors.ts";
import { emit } from "./events.ts";
import { factsOf, type OrderFacts, type Overlay } from "./facts.ts";
import { type IssuerAnswer, issuerMessages } from "./issuer.ts";
import { refuseOutlived } from "./outlived.ts";
import type { Caller, IdempotencyScope } from "./ports.ts";
import type { Services } from "./services.ts";
import { capViolation, type SpendingLimit } from "./spending-limit.ts";

/** An order whose fields are each well-formed. The PIN has been checked, and goes no further. */
export interface Order {
  readonly accountId: AccountId;
  readonly deliveryAddress: DeliveryAddress;
  readonly deliveryMethod: DeliveryMethod;
  readonly name: string | undefined;
  readonly autoConvert: boolean;
  readonly spendingLimit: SpendingLimit | null;
}

export interface OrderRequest {
  readonly caller: Caller;
  readonly key: IdempotencyKey;
  /** The generation of the caller's company in which the request began. */
  readonly generation: number;
  readonly overlay: Overlay;
  /** Reads the body; called only where the key is new, since a replay looks at no body (spec §4). */
  readonly readOrder: () => Order;
}

const operation = "orderPhysicalCard";

export interface OrderOutcome {
  readonly card: Card;
  /** The key was used before, and this is its original card as it is now. */
  readonly replayed: boolean;
}

/** An account that the order may use: what `judge` lets through. */
type JudgedFacts = OrderFacts & { readonly account: NonNullable<OrderFacts["account"]> };

/**
 * Orders a physical card for the caller (spec §4), deciding from top to bottom. Look-up of the key, checks
 * and insert are one transaction, unless the issuer takes its time.
 * @throws SandboxError `order.*`; a failure is never stored, since the caller retries with this key (§7)
 */
export function orderCard(services: Services, request: OrderRequest): OrderOutcome | Promise<OrderOutcome> {
  const { database, store, keysInProgress } = services;
  const scope = scopeOf(request);

  const decided = database.transaction(() => {
    refuseOutlived(services, request.caller, request.generation, operation);
    const original = store.cards.byIdempotencyKey(scope);
    if (original) return { card: cardOf(original), replayed: true };
    if (keysInProgress.size > 0 && keysInProgress.has(nameOf(request))) {
      throw new SandboxError(
        "order.key_in_progress",
        "An order with this Idempotency-Key is still in progress: retry with the same key in a moment",
      );
    }
    const order = request.readOrder();
    const facts = judge(services, request, order);
    const answer = request.overlay.issuer.issue({
      companyId: request.caller.companyId,
      memberId: request.caller.memberId,
      accountId: order.accountId,
    });
    if ("then" in answer) return { order, pending: answer };
    accept(answer);
    return issueCard(services, request, order, facts);
  });

  return "pending" in decided ? finish(services, request, decided.order, decided.pending) : decided;
}

/** Waits for a slow issuer, then judges again: the world may have changed meanwhile. */
async function finish(
  services: Services,
  request: OrderRequest,
  order: Order,
  pending: PromiseLike<IssuerAnswer>,
): Promise<OrderOutcome> {
  const name = nameOf(request);
  services.keysInProgress.add(name);
  try {
    accept(await pending);
    return services.database.transaction(() => {
      refuseOutlived(services, request.caller, request.generation, operation);
      return issueCard(services, request, order, judge(services, request, order));
    });
  } finally {
    services.keysInProgress.delete(name);
  }
}

function scopeOf({ caller, key }: OrderRequest): IdempotencyScope {
  const { environment, companyPk, memberPk } = caller;
  return { environment, companyPk, memberPk, operation, key };
}

function nameOf({ caller, key, generation }: OrderRequest): string {
  return `${caller.companyPk}/${caller.memberPk}/${generation}/${key}`;
}

/** Everything that stands between a well-formed order and the issuer: 400, 404, 409, 422. */
function judge({ store }: Services, { caller, overlay }: OrderRequest, order: Order): JudgedFacts {
  const world = store.orderWorld(caller.companyPk, caller.memberPk, order.accountId);
  const facts = factsOf(world, overlay.facts);
  refuseUnfit(order, facts);
  if (overlay.facts.requestValid === false) {
    throw new SandboxError("order.invalid_request", "The request is invalid");
  }
  const { account } = facts;
  if (!account) {
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
  const judged = { ...facts, account };
  refuseUnissuable(order, judged);
  return judged;
}

/** 400: what the fields are, measured against the country and the card's limits. */
function refuseUnfit(
  { deliveryAddress, deliveryMethod, spendingLimit }: Order,
  { limits }: OrderFacts,
): void {
  const violation = addressViolation(deliveryAddress);
  if (violation?.kind === "field_required") {
    throw new SandboxError("order.address_field_required", violation.message);
  }
  if (violation) throw new SandboxError("order.post_code_format", violation.message);

  const offered = deliveryMethodsOffered(deliveryAddress.country_code);
  if (!offered.includes(deliveryMethod)) {
    throw new SandboxError(
      "order.delivery_method_not_offered",
      `delivery_method: ${deliveryMethod} does not serve ${deliveryAddress.country_code}; use ${offered.join(" or ")}`,
    );
  }
  const overCap = spendingLimit && capViolation(spendingLimit, limits);
  if (overCap) throw new SandboxError("order.spending_limit_over_cap", overCap);
}

/** 422 (spec §7). */
function refuseUnissuable(order: Order, facts: JudgedFacts): void {
  if (facts.companyStatus !== "active") {
    throw new SandboxError(
      "order.company_inactive",
      `The company is not active: it is ${facts.companyStatus}, and orders no cards meanwhile`,
    );
  }
  if (facts.account.status === "closed") {
    throw new SandboxError("order.account_closed", "The account is closed: order from an open account");
  }
  if (!facts.companyDetailsComplete) {
    throw new SandboxError(
      "order.company_details_missing",
      "The company's details are incomplete: complete them before ordering a card",
    );
  }
  if (!facts.cardholderDetailsComplete) {
    throw new SandboxError(
      "order.cardholder_details_missing",
      "The cardholder's details are incomplete: the member who owns the API key completes them first",
    );
  }
  const country = order.deliveryAddress.country_code;
  if (!(facts.countryDeliverable ?? isDeliverable(country))) {
    throw new SandboxError(
      "order.country_undeliverable",
      `delivery_address.country_code: cards are not delivered to ${country}`,
    );
  }
  if (facts.quotaReached) {
    throw new SandboxError(
      "order.quota_reached",
      "The company's quota of live cards is reached: terminate a card, or raise the quota",
    );
  }
}

/** 422, 502 or 503, as the issuer says; a card is made on `issued` alone. */
function accept(answer: IssuerAnswer): void {
  switch (answer.outcome) {
    case "issued":
      return;
    case "rejected":
      throw new SandboxError(
        "order.issuer_rejected",
        `The card issuer rejected the request: ${answer.reason}`,
      );
    case "bad_gateway":
      throw new SandboxError("order.issuer_bad_gateway", issuerMessages.badGateway);
    case "unavailable":
      throw new SandboxError("order.issuer_unavailable", issuerMessages.unavailable);
    default:
      answer satisfies never;
      throw new Error(`the issuer answered ${JSON.stringify(answer)}, which means nothing`);
  }
}

/** Makes the card, `active` at once (spec §3), with its idempotency record in the same row. */
function issueCard(
  services: Services,
  request: OrderRequest,
  order: Order,
  facts: JudgedFacts,
): OrderOutcome {
  const { store, random, clock } = services;
  const { environment, companyId, companyPk, memberId, memberPk } = request.caller;
  const card = makeCard(random, {
    companyId,
    number: facts.cardsMade + 1,
    accountId: facts.account.id,
    memberId,
    type: "physical",
    designId: facts.designId,
    status: "active",
    name: order.name,
    autoConvert: order.autoConvert,
    spendingLimit: order.spendingLimit,
    currency: facts.account.currency,
    limits: facts.limits,
    createdAtMs: clock.now() + request.caller.clockOffsetMs,
  });
  store.cards.insert(card, {
    environment,
    companyPk,
    accountPk: facts.account.pk,
    memberPk,
    idempotency: scopeOf(request),
  });
  emit(services, {
    companyPk,
    type: "card.created",
    data: () => cardOf(card),
    faults: request.overlay.webhook,
  });
  return { card: cardOf(card, request.overlay.facts.usedUnreadable), replayed: false };
}
