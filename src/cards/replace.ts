import type { Card, CardType } from "../contract/card.ts";
import type { ReplacementReason } from "../contract/card-requests.ts";
import type { DeliveryAddress, DeliveryMethod } from "../contract/delivery-address.ts";
import { hasEnded, statusAfter, type Trigger, transitionsUnder } from "../rules/card-transitions.ts";
import { factsOf, type OrderFacts } from "../rules/overlay.ts";
import { refuseStale } from "../runtime/generations.ts";
import type { Services } from "../runtime/services.ts";
import {
  type CardRecord,
  cardOfCompany,
  insertCard,
  recordReplacement,
  type StoredCard,
} from "../store/cards.ts";
import { orderWorld } from "../store/order-world.ts";
import { emit } from "../webhooks/events.ts";
import { cardNow, defaultName, findNamedCard, makeCard, visibleCard } from "./card.ts";
import { changeCard } from "./change.ts";
import { changingName, checkNewCard, type IssuingFacts } from "./checks.ts";
import { askIssuer, firstFields, type IssueOutcome, type IssueRequest, whenIssued } from "./issue.ts";
import { comparesOrders, hashOfOrder, rememberFirst, replay } from "./keys.ts";

/** A replacement whose fields are each well-formed. */
export interface Replacement {
  readonly reason: ReplacementReason;
  /** Undefined for a virtual card. */
  readonly delivery: { readonly address: DeliveryAddress; readonly method: DeliveryMethod } | undefined;
}

export interface ReplacementRequest extends IssueRequest {
  /** The id of the old card as the caller sent it. */
  readonly cardId: string;
  /**
   * Reads the body, whose fields depend on the type of the old card.
   * @throws SandboxError 400
   */
  readonly readReplacement: (type: CardType) => Replacement;
}

/**
 * Creates a card that replaces another (assumed), and ends the old one in the same transaction. An expired card stays
 * expired.
 * @throws SandboxError `cards.*`
 */
export function replaceCard(
  services: Services,
  request: ReplacementRequest,
): IssueOutcome | Promise<IssueOutcome> {
  const { database } = services;
  const { caller } = request;
  const attempt = database.transaction(() => {
    refuseStale(services, request); // 409
    const find = () => findNamedCard(services, caller, request.cardId);
    const replayed = replay(services, request, () => digestOf(request, read(services, request, find()))); // 201, 409
    if (replayed) return replayed;
    const named = find();
    const replacement = read(services, request, named); // 400
    const { old, facts } = check(services, request, replacement, named); // 400, 404, 409, 422
    const pending = askIssuer(request); // 422, 502, 503
    if (pending) return { replacement, pending, changing: changingName(services, old) };
    return insertReplacement(services, request, replacement, old, facts); // 201
  });
  if ("card" in attempt) return attempt;

  const { replacement, pending, changing } = attempt;
  const insertLater = () => {
    refuseStale(services, request);
    const named = findNamedCard(services, caller, request.cardId);
    const { old, facts } = check(services, request, replacement, named);
    return insertReplacement(services, request, replacement, old, facts);
  };
  return whenIssued(services, request, pending, insertLater, changing);
}

/** The body is read before a missing card is refused, so a missing card counts as physical. */
function read(
  services: Services,
  { caller, cardId, readReplacement }: ReplacementRequest,
  named: StoredCard | undefined,
): Replacement {
  const { choices } = services.dialects.of(caller.companyPk);
  if (choices["card.order"] === "before-body") visibleCard(services, named, caller, cardId);
  return readReplacement(named?.card.type ?? "physical");
}

function digestOf({ cardId }: ReplacementRequest, { reason, delivery }: Replacement): string {
  return hashOfOrder([cardId.toLowerCase(), reason, delivery]);
}

/** Checks the replacement, and narrows the named card to the one that the caller may replace. */
function check(
  services: Services,
  request: ReplacementRequest,
  { reason, delivery }: Replacement,
  named: StoredCard | undefined,
): { readonly old: StoredCard; readonly facts: IssuingFacts } {
  const { caller, cardId } = request;
  const old = { cardId, card: named, trigger: triggerOf(reason) };
  let read: OrderFacts | undefined;
  const facts = checkNewCard({
    ...request,
    services,
    old,
    delivery,
    // Read lazily: the checks before `card` need no facts, and a missing card has none.
    get facts() {
      read ??= factsOfReplacement(
        services,
        request,
        old.trigger,
        visibleCard(services, named, caller, cardId),
      );
      return read;
    },
  });
  return { old: visibleCard(services, named, caller, cardId), facts };
}

function factsOfReplacement(
  { database, clock, dialects }: Services,
  { caller, overlay }: ReplacementRequest,
  trigger: Trigger,
  { card, memberPk, heldFrom }: StoredCard,
): OrderFacts {
  const world = orderWorld(database, clock.now(), caller.companyPk, memberPk, card.accountId);
  const facts = factsOf(world, overlay.facts);
  const transitions = transitionsUnder(dialects.of(caller.companyPk).choices);
  const next = statusAfter(transitions, trigger, card.status, heldFrom) ?? card.status;
  // A card that replaces a live card, which ends, does not count against the quota.
  const isInstead = !hasEnded(card.status) && hasEnded(next);
  const quotaReached = overlay.facts.quotaReached ?? (!isInstead && facts.quotaReached);
  return { ...facts, quotaReached };
}

function triggerOf(reason: ReplacementReason): Trigger {
  return reason === "lost" || reason === "stolen" ? "replace" : `replace_${reason}`;
}

/** Creates the new card, ends the old one and records the key of the request. */
function insertReplacement(
  services: Services,
  request: ReplacementRequest,
  replacement: Replacement,
  old: StoredCard,
  { account, cardsMade, nowMs }: IssuingFacts,
): IssueOutcome {
  const { database, random, dialects } = services;
  const { caller, key, overlay } = request;
  const { companyPk, memberPk } = caller;
  const { type, lastFour, token, name } = old.card;
  const { reason } = replacement;
  const { choices } = dialects.of(companyPk);
  // The number of a lost or stolen card is compromised.
  const isSafe = reason === "damaged" || reason === "expiring";
  const keepsNumber =
    choices["replace.last_four"] === "never" || (isSafe && choices["replace.last_four"] !== "always");
  const number = cardsMade + 1;
  const card = makeCard(random, {
    ...inheritedFrom(old.card),
    ...firstFields(type, choices),
    ...(choices["replace.limit"] === "none" && { spendingLimit: null }),
    ...(choices["replace.token"] === "kept" && { token }),
    number,
    name: name === defaultName(type, lastFour) ? undefined : name,
    ...(keepsNumber && { lastFour }),
    createdAtMs: nowMs,
  });
  const faults = overlay.webhook;
  changeCard(services, old, triggerOf(reason), {}, faults);
  const place = { companyPk, accountPk: account.pk, memberPk: old.memberPk, number };
  const orderDigest = comparesOrders(services, request) ? digestOf(request, replacement) : undefined;
  insertCard(database, card, { ...place, idempotency: null, orderDigest });
  const carriesSpending = choices["replace.usage"] === "carried";
  recordReplacement(database, { companyPk, memberPk, key, oldPk: old.pk, newId: card.id, carriesSpending });
  const data = () => show(services, request, card);
  const extra = { replaced_card_id: old.card.id };
  emit(services, { companyPk, type: "card.replaced", data, extra, faults });
  return rememberFirst(services, request, show(services, request, card));
}

/** The new card as it is shown: the amount spent from the old one can count against its limits. */
function show(services: Services, { caller, overlay }: ReplacementRequest, { id }: CardRecord): Card {
  const inserted = cardOfCompany(services.database, services.clock.now(), caller.companyPk, id);
  if (!inserted) throw new Error(`card ${id}, which was just inserted, does not exist`);
  const { usedUnreadable } = overlay.facts;
  return cardNow(services, inserted, { clockOffsetMs: caller.clockOffsetMs, usedUnreadable });
}

/** The fields that a new card takes over from the one that it replaces. */
function inheritedFrom(card: CardRecord) {
  const { companyId, accountId, memberId, type, designId, autoConvert, spendingLimit, currency, limits } =
    card;
  return { companyId, accountId, memberId, type, designId, autoConvert, spendingLimit, currency, limits };
}
