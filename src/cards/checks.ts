import type { Choices } from "../contract/behaviours.ts";
import type { CardStatus } from "../contract/card.ts";
import { type CheckId, checksBy } from "../contract/decisions.ts";
import type { DeliveryAddress, DeliveryMethod } from "../contract/delivery-address.ts";
import type { AccountId } from "../contract/identifiers.ts";
import type { OperationId } from "../contract/operations.ts";
import { statusAfter, type Trigger, transitionsUnder, whyNot } from "../rules/card-transitions.ts";
import { addressViolation, deliveryMethodsOffered, isDeliverable } from "../rules/delivery.ts";
import { quoted, SandboxError } from "../rules/errors.ts";
import { capViolation, type SpendingLimit } from "../rules/limits.ts";
import { type FactsOverlay, factsOf, type OrderFacts, type Overlay } from "../rules/overlay.ts";
import type { Services } from "../runtime/services.ts";
import type { Caller } from "../store/callers.ts";
import { isReplaced, type StoredCard } from "../store/cards.ts";
import { orderWorld } from "../store/order-world.ts";
import { visibleCard } from "./card.ts";

/** The operations that create a card with an idempotency key. */
export type IssuingOperation = "orderPhysicalCard" | "orderVirtualCard" | "replaceCard";

/** The operations that change a card. */
export type ChangingOperation =
  | "freezeCard"
  | "unfreezeCard"
  | "setSpendingLimit"
  | "removeSpendingLimit"
  | "changeCard"
  | "terminateCard";

/** A well-formed request for a new card, with the facts that its checks use. */
export interface NewCard {
  readonly operation: IssuingOperation;
  readonly services: Services;
  readonly caller: Caller;
  readonly overlay: Overlay;
  readonly facts: OrderFacts;
  /** Absent for a replacement, which has the account of the old card. */
  readonly accountId?: AccountId;
  /** Undefined for a virtual card. */
  readonly delivery: { readonly address: DeliveryAddress; readonly method: DeliveryMethod } | undefined;
  readonly spendingLimit?: SpendingLimit | null;
  /** The card to replace. */
  readonly old?: NamedCard;
}

/** The card that a request names in its path. */
export interface NamedCard {
  /** The id as it was sent. */
  readonly cardId: string;
  /** Undefined if the company has no such card. */
  readonly card: StoredCard | undefined;
  /** The change that the request makes to it. */
  readonly trigger: Trigger;
}

/** A well-formed request that changes a card. */
export interface CardChange extends NamedCard {
  readonly operation: ChangingOperation;
  readonly services: Services;
  readonly caller: Caller;
  readonly overlay: Overlay;
  /** Null removes the limit; undefined leaves it. */
  readonly spendingLimit?: SpendingLimit | null;
}

/** The prefix of an operation's contract points. */
export type Points = "order" | "cards";

/** The specified order has its own points, so that no assumed operation refuses with a specified point. */
export function pointsOf(operation: OperationId): Points {
  return operation === "orderPhysicalCard" ? "order" : "cards";
}

/** The checks of a new card. The decisions table has their order. */
const newCardChecks: {
  readonly [Id in CheckId<IssuingOperation, "cards">]: (request: NewCard, choices: Choices) => void;
} = {
  address: ({ operation, delivery }, choices) => {
    if (delivery) refuseInvalidAddress(delivery.address, operation, choices);
  },

  delivery_method: ({ operation, delivery }, choices) => {
    if (!delivery) return;
    const { country_code } = delivery.address;
    const offered = deliveryMethodsOffered(country_code, choices);
    if (offered.includes(delivery.method)) return;
    throw new SandboxError(
      `${pointsOf(operation)}.delivery_method_not_offered`,
      `delivery_method: must be ${offered.join(" or ")} for ${country_code}, but is ${quoted(delivery.method)}`,
    );
  },

  spending_limit_cap: ({ operation, spendingLimit, facts }) => {
    const violation = spendingLimit && capViolation(spendingLimit, facts.limits);
    if (!violation) return;
    throw new SandboxError(
      `${pointsOf(operation)}.spending_limit_over_cap`,
      `spending_limit.amount: ${violation}`,
    );
  },

  request: ({ operation, overlay }) => refuseInvalidRequest(overlay, operation),

  account: ({ operation, accountId, facts }) => {
    if (!facts.account) throw accountNotFound(operation, accountId);
  },

  card: ({ services, caller, old }) => {
    if (old) visibleCard(services, old.card, caller, old.cardId);
  },

  no_change_in_progress: ({ operation, services, overlay, old }) => {
    if (old) return refuseWhileChanging(services, overlay.facts, old.card);
    if (!overlay.facts.changeInProgress) return;
    throw new SandboxError(
      operation === "orderPhysicalCard" ? "order.change_in_progress" : "cards.virtual_change_in_progress",
      "Another change is in progress. Retry with the same Idempotency-Key in a moment.",
    );
  },

  state: ({ services, old }) => {
    if (!old?.card) return;
    const { card, trigger } = old;
    statusAfterChange(services, card, trigger);
    if (isReplaced(services.database, card.pk)) {
      throw new SandboxError("cards.state_conflict", "The card was already replaced. Use the new card.");
    }
  },

  company_active: ({ operation, facts: { companyStatus } }) => {
    if (companyStatus === "active") return;
    throw new SandboxError(
      `${pointsOf(operation)}.company_inactive`,
      `The company is ${companyStatus}, so it cannot order cards`,
    );
  },

  account_open: ({ operation, accountId, facts }) => {
    if (facts.account?.status !== "closed") return;
    throw new SandboxError(
      `${pointsOf(operation)}.account_closed`,
      accountId === undefined
        ? "The account of the card is closed. Order a new card for an active account."
        : `account_id: account ${accountId} is closed. Use an active account.`,
    );
  },

  company_details: ({ operation, facts }) => {
    if (facts.companyDetailsComplete) return;
    throw new SandboxError(
      `${pointsOf(operation)}.company_details_missing`,
      "The company's details are incomplete. Complete them before you order a card.",
    );
  },

  cardholder_details: ({ operation, facts }) => {
    if (facts.cardholderDetailsComplete) return;
    throw new SandboxError(
      `${pointsOf(operation)}.cardholder_details_missing`,
      "The cardholder's details are incomplete. The member who owns the API key must complete them first.",
    );
  },

  country: ({ operation, delivery, facts }, choices) => {
    if (!delivery) return;
    const { country_code } = delivery.address;
    if (facts.countryDeliverable ?? isDeliverable(country_code, choices)) return;
    throw new SandboxError(
      `${pointsOf(operation)}.country_undeliverable`,
      `delivery_address.country_code: cards cannot be delivered to ${country_code}`,
    );
  },

  quota: ({ operation, facts }) => {
    if (!facts.quotaReached) return;
    throw new SandboxError(
      `${pointsOf(operation)}.quota_reached`,
      "The company has reached its card quota. Terminate a card or raise the quota.",
    );
  },
};

/** The checks of a change. The decisions table has their order. */
const cardChangeChecks: {
  readonly [Id in CheckId<ChangingOperation, "cards">]: (change: CardChange) => void;
} = {
  request: ({ operation, overlay }) => refuseInvalidRequest(overlay, operation),

  card: ({ services, card, caller, cardId }) => void visibleCard(services, card, caller, cardId),

  spending_limit_cap: ({ card, spendingLimit }) => {
    const violation = card && spendingLimit && capViolation(spendingLimit, card.card.limits);
    if (violation) throw new SandboxError("cards.spending_limit_over_cap", `amount: ${violation}`);
  },

  no_change_in_progress: ({ services, overlay, card }) => refuseWhileChanging(services, overlay.facts, card),

  state: ({ services, card, trigger }) => {
    if (card) statusAfterChange(services, card, trigger);
  },
};

/** The facts after all checks have passed: the account exists. */
export type IssuingFacts = OrderFacts & { readonly account: NonNullable<OrderFacts["account"]> };

/**
 * Checks a request for a new card, in the order of the decisions.
 * @throws SandboxError 400, 404, 409 or 422
 */
export function checkNewCard(request: NewCard): IssuingFacts {
  const { operation, services, caller } = request;
  const { rows, choices } = services.dialects.of(caller.companyPk);
  for (const id of checksBy(rows, operation, "cards")) newCardChecks[id](request, choices);
  const { facts } = request;
  if (!hasAccount(facts)) throw new Error(`the checks of ${operation} passed without an account`);
  return facts;
}

function hasAccount(facts: OrderFacts): facts is IssuingFacts {
  return facts.account !== undefined;
}

/**
 * Checks a change of a card, in the order of the decisions.
 * @returns the card
 * @throws SandboxError 400, 404 or 409
 */
export function checkCardChange(change: CardChange): StoredCard {
  const { rows } = change.services.dialects.of(change.caller.companyPk);
  for (const id of checksBy(rows, change.operation, "cards")) cardChangeChecks[id](change);
  return visibleCard(change.services, change.card, change.caller, change.cardId);
}

/**
 * Checks the account of an order whose other fields are not validated yet.
 * @throws SandboxError 404
 */
export function refuseMissingAccount(
  { database, clock }: Services,
  { operation, caller, overlay }: Pick<NewCard, "operation" | "caller" | "overlay">,
  accountId: AccountId,
): void {
  const { companyPk, memberPk } = caller;
  const world = orderWorld(database, clock.now(), companyPk, memberPk, accountId);
  if (!factsOf(world, overlay.facts).account) throw accountNotFound(operation, accountId);
}

function accountNotFound(operation: OperationId, accountId: AccountId | undefined): SandboxError {
  return new SandboxError(
    `${pointsOf(operation)}.account_not_found`,
    `account_id: account ${accountId} was not found in this company`,
  );
}

/** @throws SandboxError 400: a field of the address does not fit its country */
export function refuseInvalidAddress(
  address: DeliveryAddress,
  operation: OperationId,
  choices: Choices,
): void {
  const violation = addressViolation(address, choices);
  if (!violation) return;
  const point = violation.kind === "field_required" ? "address_field_required" : "post_code_format";
  throw new SandboxError(`${pointsOf(operation)}.${point}`, violation.message);
}

/** @throws SandboxError 400: a scenario forces it; no request is invalid otherwise */
export function refuseInvalidRequest({ facts }: Overlay, operation: OperationId): void {
  if (facts.requestValid !== false) return;
  throw new SandboxError(`${pointsOf(operation)}.invalid_request`, "The request is invalid");
}

/** @throws SandboxError 409: another change to the card is in progress (spec §3) */
function refuseWhileChanging(services: Services, facts: FactsOverlay, card: StoredCard | undefined): void {
  if (!facts.changeInProgress && !(card && services.cardsChanging.has(changingName(services, card)))) return;
  throw new SandboxError(
    "cards.change_in_progress",
    "Another change to the card is in progress. Retry in a moment.",
  );
}

/** The name of a card in `cardsChanging`. A reset of the company changes it. */
export function changingName({ generations }: Services, { companyPk, card }: StoredCard): string {
  return `${generations.of(companyPk)}/${card.id}`;
}

/**
 * The status that a change leads to (spec §3).
 * @throws SandboxError `cards.state_conflict` if the card cannot make the change in its current status
 */
export function statusAfterChange(
  { dialects }: Services,
  { companyPk, card: { status }, heldFrom }: StoredCard,
  trigger: Trigger,
): CardStatus {
  const transitions = transitionsUnder(dialects.of(companyPk).choices);
  const next = statusAfter(transitions, trigger, status, heldFrom);
  if (next === undefined)
    throw new SandboxError("cards.state_conflict", whyNot(transitions, trigger, status));
  return next;
}
