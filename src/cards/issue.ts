import type { Choices } from "../contract/behaviours.ts";
import type { Card, CardStatus, CardType } from "../contract/card.ts";
import type { AccountId, IdempotencyKey } from "../contract/identifiers.ts";
import { SandboxError } from "../rules/errors.ts";
import type { SpendingLimit } from "../rules/limits.ts";
import { type IssuerAnswer, issuerMessages, type Overlay } from "../rules/overlay.ts";
import type { Services } from "../runtime/services.ts";
import type { Caller } from "../store/callers.ts";
import { insertCard } from "../store/cards.ts";
import { emit } from "../webhooks/events.ts";
import { cardOf, makeCard } from "./card.ts";
import { type IssuingFacts, type IssuingOperation, type Points, pointsOf } from "./checks.ts";
import { contractOf, createdMeanwhile, nameInProgress, rememberFirst, scopeOf } from "./keys.ts";

/** A request that creates a card with an idempotency key. */
export interface IssueRequest {
  readonly operation: IssuingOperation;
  readonly caller: Caller;
  readonly key: IdempotencyKey;
  /** The generation of the caller's company in which the request began. */
  readonly generation: number;
  readonly overlay: Overlay;
}

/** The card of a request, which is new unless the request is a replay. */
export interface IssueOutcome {
  readonly card: Card;
  /** Set if the key was used before: whether the body is the same as then. */
  readonly replayed?: "same order" | "other order";
}

/** The fields of an order that a physical and a virtual card share, each of them well-formed. */
export interface CardOrder {
  readonly accountId: AccountId;
  readonly name: string | undefined;
  readonly autoConvert: boolean;
  readonly spendingLimit: SpendingLimit | null;
}

/**
 * Asks the issuer for a card.
 * @returns a promise if the issuer does not answer at once: `whenIssued` waits for it
 * @throws SandboxError 422, 502 or 503
 */
export function askIssuer(request: IssueRequest): PromiseLike<IssuerAnswer> | undefined {
  const answer = request.overlay.issuer.issue();
  if ("then" in answer) return answer;
  accept(answer, pointsOf(request.operation));
  return undefined;
}

/**
 * Waits for a slow issuer, then runs `insert` in a transaction of its own. Meanwhile the key is in progress.
 * @param changing - the name in `cardsChanging` of the card that must not change until the issuer answers
 * @throws SandboxError 422, 502 or 503
 */
export function whenIssued(
  services: Services,
  request: IssueRequest,
  pending: PromiseLike<IssuerAnswer>,
  insert: () => IssueOutcome,
  changing?: string,
): Promise<IssueOutcome> {
  const { database, keysInProgress, cardsChanging } = services;
  const name = nameInProgress(request, contractOf(services, request));
  const issue = async () => {
    try {
      const answer = await pending;
      if (changing !== undefined) cardsChanging.delete(changing);
      accept(answer, pointsOf(request.operation));
      return database.transaction(() => createdMeanwhile(services, request) ?? insert());
    } finally {
      keysInProgress.delete(name);
      if (changing !== undefined) cardsChanging.delete(changing);
    }
  };
  if (changing !== undefined) cardsChanging.add(changing);
  const issued = issue();
  keysInProgress.set(name, issued);
  return issued;
}

function accept(answer: IssuerAnswer, points: Points): void {
  switch (answer.outcome) {
    case "issued":
      return;
    case "rejected":
      throw new SandboxError(
        `${points}.issuer_rejected`,
        `The card issuer rejected the request: ${answer.reason}`,
      );
    case "bad_gateway":
      throw new SandboxError(`${points}.issuer_bad_gateway`, issuerMessages.badGateway);
    case "unavailable":
      throw new SandboxError(`${points}.issuer_unavailable`, issuerMessages.unavailable);
    default:
      answer satisfies never;
      throw new Error(`the card issuer returned an unknown outcome: ${JSON.stringify(answer)}`);
  }
}

/**
 * Creates the ordered card. The idempotency record is in the same row.
 * @param orderDigest - a hash by which a replay recognizes the same order
 */
export function insertOrderedCard(
  services: Services,
  request: IssueRequest,
  type: CardType,
  { name, autoConvert, spendingLimit }: CardOrder,
  facts: IssuingFacts,
  orderDigest?: string,
): IssueOutcome {
  const { database, random, dialects } = services;
  const { caller, overlay } = request;
  const { companyPk, memberPk } = caller;
  const number = facts.cardsMade + 1;
  const { status, years } = firstFields(type, dialects.of(companyPk).choices);
  const card = makeCard(random, {
    companyId: caller.companyId,
    number,
    accountId: facts.account.id,
    memberId: caller.memberId,
    type,
    designId: facts.designId,
    status,
    years,
    name,
    autoConvert,
    spendingLimit,
    currency: facts.account.currency,
    limits: facts.limits,
    createdAtMs: facts.nowMs,
  });
  insertCard(database, card, {
    companyPk,
    accountPk: facts.account.pk,
    memberPk,
    number,
    idempotency: scopeOf(request),
    orderDigest,
  });
  const faults = overlay.webhook;
  emit(services, { companyPk, type: "card.created", data: () => cardOf(card), faults });
  return rememberFirst(services, request, cardOf(card, overlay.facts.usedUnreadable));
}

/** The status of a new card, and how long it is valid. A physical card is active at once (spec §3). */
export function firstFields(type: CardType, choices: Choices) {
  const status: CardStatus = type === "physical" ? "active" : choices["cards.virtual_first_status"];
  return { status, years: Number(choices["cards.expiry_years"]) };
}
