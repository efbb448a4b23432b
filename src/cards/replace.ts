import type { Card, CardType } from "../contract/card.ts";
import type { ReplacementReason } from "../contract/card-requests.ts";
import type { DeliveryAddress, DeliveryMethod } from "../contract/delivery-address.ts";
import { cardId } from "../contract/identifiers.ts";
import { hasEnded } from "../rules/card-transitions.ts";
import { SandboxError } from "../rules/errors.ts";
import { factsOf } from "../rules/facts.ts";
import type { Services } from "../runtime/services.ts";
import {
  type CardRecord,
  cardByReplacementKey,
  cardOfCompany,
  insertCard,
  isReplaced,
  recordReplacement,
  type StoredCard,
} from "../store/cards.ts";
import { orderWorld } from "../store/order-world.ts";
import { emit } from "../webhooks/events.ts";
import { changingName, refuseInvalid, refuseWhileChanging } from "./caller-change.ts";
import { makeCard, usualName } from "./card.ts";
import { changeCard, refuseChange } from "./change.ts";
import { type JudgedFacts, refuseUnfitAddress, refuseUnissuable, refuseUnofferedMethod } from "./checks.ts";
import { cardNow } from "./current-card.ts";
import { type IssueOutcome, type IssuingRequest, issueOnce } from "./issue-once.ts";
import { visibleCard } from "./visible-card.ts";

/** A replacement whose fields are each well-formed. */
export interface Replacement {
  readonly reason: ReplacementReason;
  /** Undefined for a virtual card. */
  readonly delivery: { readonly address: DeliveryAddress; readonly method: DeliveryMethod } | undefined;
}

export interface ReplacementRequest extends IssuingRequest {
  /** The card as the caller names it. */
  readonly cardId: string;
  /** Reads the body as the type of card demands. */
  readonly readReplacement: (type: CardType) => Replacement;
}

/** What a replacement is judged by, and the card in whose place it makes one. */
type Judged = JudgedFacts & { readonly old: StoredCard };

/**
 * Makes a card in another's place (assumed), and ends that one in the same transaction: the new one is `active` at
 * once. One that expired stays so.
 * @throws SandboxError `cards.*`
 */
export function replaceCard(
  services: Services,
  request: ReplacementRequest,
): IssueOutcome | Promise<IssueOutcome> {
  const { caller, key } = request;
  const { database, clock } = services;
  const { companyPk, memberPk } = caller;
  return issueOnce(services, request, {
    operation: "replaceCard",
    family: "cards",
    original: () => cardByReplacementKey(database, clock.now(), { companyPk, memberPk, key }),
    read: () => request.readReplacement(typeOf(services, request)),
    judge: (replacement) => judge(services, request, replacement),
    make: (replacement, judged) => issueCard(services, request, replacement, judged),
    show: (card) => shown(services, request, card),
    changing: ({ old }) => changingName(services, old),
  });
}

/** The body is judged before the card is found, and by its type: one that is not there counts as physical. */
function typeOf({ database, clock }: Services, { caller, cardId: named }: ReplacementRequest): CardType {
  const id = cardId.safeParse(named).data;
  return (id && cardOfCompany(database, clock.now(), caller.companyPk, id)?.card.type) ?? "physical";
}

/** 400, 404, 409, 422. */
function judge(
  services: Services,
  { caller, overlay, cardId }: ReplacementRequest,
  { reason, delivery }: Replacement,
): Judged {
  if (delivery) {
    refuseUnfitAddress(delivery.address, "cards");
    refuseUnofferedMethod(delivery.method, delivery.address, "cards");
  }
  refuseInvalid(overlay);
  const old = visibleCard(services, caller, cardId);
  refuseWhileChanging(services, overlay, old);
  refuseChange(old, triggerOf(reason));
  if (hasEnded(old.card.status) && isReplaced(services.database, old.pk)) {
    throw new SandboxError("cards.state_conflict", "The card has been replaced already");
  }
  const facts = factsOf(
    orderWorld(services.database, services.clock.now(), caller.companyPk, old.memberPk, old.card.accountId),
    overlay.facts,
  );
  const { account } = facts;
  if (!account) throw new Error(`card ${old.card.id} spends from an account that its company has not`);
  // A card that takes a live one's place needs no room of its own.
  const quotaReached = overlay.facts.quotaReached ?? (hasEnded(old.card.status) && facts.quotaReached);
  const judged = { ...facts, account, quotaReached };
  refuseUnissuable(judged, delivery?.address.country_code, "cards");
  return { ...judged, old };
}

function triggerOf(reason: ReplacementReason): "replace" | "replace_expiring" {
  return reason === "expiring" ? "replace_expiring" : "replace";
}

/** Makes the card and ends the old one, with the idempotency record that ties them. */
function issueCard(
  services: Services,
  request: ReplacementRequest,
  { reason }: Replacement,
  { old, account, cardsMade, nowMs }: Judged,
): CardRecord {
  const { database, random } = services;
  const { caller, key, overlay } = request;
  const { companyPk, memberPk } = caller;
  const { type, lastFour, name } = old.card;
  // Whoever found or took the old one knows its number.
  const keepsNumber = reason === "damaged" || reason === "expiring";
  const number = cardsMade + 1;
  const card = makeCard(random, {
    ...inheritedOf(old.card),
    number,
    status: "active",
    name: name === usualName(type, lastFour) ? undefined : name,
    ...(keepsNumber && { lastFour }),
    createdAtMs: nowMs,
  });
  const faults = overlay.webhook;
  changeCard(services, old, triggerOf(reason), { faults });
  const place = { companyPk, accountPk: account.pk, memberPk: old.memberPk, number };
  insertCard(database, card, { ...place, idempotency: null });
  recordReplacement(database, { companyPk, memberPk, key, oldPk: old.pk, newId: card.id });
  const data = () => shown(services, request, card);
  const beside = { replaced_card_id: old.card.id };
  emit(services, { companyPk, type: "card.replaced", data, beside, faults });
  return card;
}

/** The new card, with what was spent from the one in whose place it is. */
function shown(services: Services, { caller, overlay }: ReplacementRequest, card: CardRecord): Card {
  const kept = cardOfCompany(services.database, services.clock.now(), caller.companyPk, card.id);
  if (!kept) throw new Error("a card that was just made is not there");
  const { usedUnreadable } = overlay.facts;
  return cardNow(services, kept, { clockOffsetMs: caller.clockOffsetMs, usedUnreadable });
}

/** What a new card has of the one in whose place it is. */
function inheritedOf(card: CardRecord) {
  const { companyId, accountId, memberId, type, designId, autoConvert, spendingLimit, currency, limits } =
    card;
  return { companyId, accountId, memberId, type, designId, autoConvert, spendingLimit, currency, limits };
}
