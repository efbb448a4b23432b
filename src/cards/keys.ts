import { retentionMs } from "../contract/behaviours/orders.ts";
import type { Choices } from "../contract/behaviours.ts";
import type { Card } from "../contract/card.ts";
import type { Contract } from "../contract/dialect.ts";
import type { ErrorPointId } from "../contract/points.ts";
import { companyNow } from "../rules/clock.ts";
import { SandboxError } from "../rules/errors.ts";
import { hashOfSecret, uuidOf } from "../rules/random.ts";
import { refuseStale } from "../runtime/generations.ts";
import { retryAfter } from "../runtime/retry-after.ts";
import type { Services } from "../runtime/services.ts";
import { cardByIdempotencyKey, cardByReplacementKey, type IdempotencyScope } from "../store/cards.ts";
import {
  cardBySharedKey,
  firstResponseOf,
  forgetKeyOf,
  type KeyedCard,
  refusalByKeyIn,
  type SharedScope,
  storeFirstResponse,
  storeRefusal,
} from "../store/idempotency-keys.ts";
import { cardNow } from "./card.ts";
import { pointsOf } from "./checks.ts";
import type { IssueOutcome, IssueRequest } from "./issue.ts";

/** A refusal for which the key is the reason: it is never stored under the key. */
class KeyRefusal extends SandboxError {}

/**
 * The response to a request whose key was used before; undefined if the key is free. Dialects decide most of it.
 * @param digest - reads the body, and returns a hash of what it orders; throws 400
 * @throws SandboxError 400, or the refusal of the key
 */
export function replay(
  services: Services,
  request: IssueRequest,
  digest: () => string,
): IssueOutcome | undefined {
  const contract = contractOf(services, request);
  const { choices } = contract;
  if (choices["replay.validation"] === "after") digest();
  const original = originalOf(services, request, contract);
  if (!original) {
    refuseKeyInProgress(services, request, contract);
    if (choices["key.stored_refusals"] === "4xx") replayRefusal(services, request, contract);
    return undefined;
  }
  const { card } = original;
  const isSame = original.operation === request.operation && isSameOrder(digest, card.orderDigest);
  if (!isSame && choices["order.key_reused"] !== "original") {
    throw new KeyRefusal(
      `${pointsOf(request.operation)}.key_reused`,
      "Idempotency-Key: was already used for a different request. Send a new UUID for each order.",
    );
  }
  const stored =
    choices["replay.body"] === "stored" ? firstResponseOf(services.database, card.pk) : undefined;
  return {
    card: stored === undefined ? cardNow(services, card, request.caller) : (JSON.parse(stored) as Card),
    replayed: isSame ? "same order" : "other order",
  };
}

/** The card that the key created, unless it has been forgotten since. */
function originalOf(services: Services, request: IssueRequest, { choices }: Contract): KeyedCard | undefined {
  const { database, clock } = services;
  const { operation } = request;
  const isPlain = choices["key.scope"] === "member" && choices["key.operations"] === "separate";
  const find = operation === "replaceCard" ? cardByReplacementKey : cardByIdempotencyKey;
  const card = isPlain ? find(database, clock.now(), scopeOf(request)) : undefined;
  const original = isPlain
    ? card && { operation, card }
    : cardBySharedKey(database, clock.now(), sharedScopeOf(request, choices));
  if (!original || !isForgotten(services, request, choices, original.card.card.createdAtMs)) return original;
  forgetKeyOf(database, original.card.pk);
  return undefined;
}

/** The card of another request with the key, if a new dialect let it pass while the issuer worked on this one. */
export function createdMeanwhile(services: Services, request: IssueRequest): IssueOutcome | undefined {
  refuseStale(services, request);
  const original = originalOf(services, request, contractOf(services, request));
  return original && { card: cardNow(services, original.card, request.caller), replayed: "same order" };
}

/** Whether a key that was used at this time is no longer kept. */
function isForgotten(services: Services, request: IssueRequest, choices: Choices, usedAtMs: number): boolean {
  const retention = retentionMs[choices["key.retention"]];
  return retention !== undefined && nowOf(services, request) - usedAtMs >= retention;
}

/** A card whose order was not hashed counts as the same order. */
function isSameOrder(digest: () => string, ofOriginal: string | null): boolean {
  if (ofOriginal === null) return true;
  try {
    return digest() === ofOriginal;
  } catch (error) {
    if (error instanceof SandboxError) return false;
    throw error;
  }
}

/** A hash by which two orders are compared without storing them. */
export function hashOfOrder(ordered: readonly unknown[]): string {
  return uuidOf(hashOfSecret(JSON.stringify(ordered)));
}

/** Whether a virtual card and a replacement need their hash too: only if a used key refuses another order. */
export function comparesOrders(services: Services, request: IssueRequest): boolean {
  return contractOf(services, request).choices["order.key_reused"] !== "original";
}

function refuseKeyInProgress(services: Services, request: IssueRequest, contract: Contract): void {
  if (services.keysInProgress.size === 0) return;
  if (!services.keysInProgress.has(nameInProgress(request, contract))) return;
  const point = `${pointsOf(request.operation)}.key_in_progress` as const;
  throw new KeyRefusal(
    point,
    "An order with this Idempotency-Key is still in progress. Retry with the same key in a moment.",
    contract.points[point].status === 429 ? retryAfter(services, request.caller, 1) : undefined,
  );
}

/** Throws the refusal that is stored under the key. */
function replayRefusal(services: Services, request: IssueRequest, contract: Contract): void {
  const stored = refusalByKeyIn(services.database, sharedScopeOf(request, contract.choices));
  if (!stored || isForgotten(services, request, contract.choices, stored.refusedAtMs)) return;
  const point = stored.point as ErrorPointId;
  if (isStored(contract, point)) throw new KeyRefusal(point, stored.message);
}

/**
 * Runs an order as the dialect treats its key: it waits for another order with the key, and stores a refusal.
 * @throws SandboxError
 */
export function withKey(
  services: Services,
  request: IssueRequest,
  order: () => IssueOutcome | Promise<IssueOutcome>,
): IssueOutcome | Promise<IssueOutcome> {
  const contract = contractOf(services, request);
  const { choices } = contract;
  if (choices["order.key_in_progress"] === "wait" && services.keysInProgress.size > 0) {
    const first = services.keysInProgress.get(nameInProgress(request, contract));
    const again = () => withKey(services, request, order);
    if (first) return first.then(again, again);
  }
  if (choices["key.stored_refusals"] === "none") return order();
  const refuse = (error: unknown): never => {
    rememberRefusal(services, request, contract, error);
    throw error;
  };
  try {
    const outcome = order();
    return "then" in outcome ? outcome.catch(refuse) : outcome;
  } catch (error) {
    return refuse(error);
  }
}

function rememberRefusal(
  services: Services,
  request: IssueRequest,
  contract: Contract,
  error: unknown,
): void {
  const { database, generations } = services;
  if (!(error instanceof SandboxError) || error instanceof KeyRefusal) return;
  // A request that began before a reset leaves nothing in the new world.
  const isStale = generations.of(request.caller.companyPk) !== request.generation;
  if (isStale || !isStored(contract, error.point)) return;
  const { point, message } = error;
  storeRefusal(database, scopeOf(request), { point, message, refusedAtMs: nowOf(services, request) });
}

/** 403 and 409 may change at any time, and 502 and 503 must be retried with the same key (spec §7). */
function isStored({ points }: Contract, point: ErrorPointId): boolean {
  // A database of another version may hold a point that does not exist.
  return [400, 404, 422].includes(points[point]?.status);
}

/** Keeps the response that created a card, if the dialect replays it. */
export function rememberFirst(services: Services, request: IssueRequest, card: Card): IssueOutcome {
  if (contractOf(services, request).choices["replay.body"] === "stored") {
    storeFirstResponse(services.database, card.id, JSON.stringify(card));
  }
  return { card };
}

/** The scope in which an idempotency key is unique without a dialect. */
export function scopeOf({ caller, operation, key }: IssueRequest): IdempotencyScope {
  const { companyPk, memberPk } = caller;
  return { companyPk, memberPk, operation, key };
}

function sharedScopeOf(request: IssueRequest, choices: Choices): SharedScope {
  const { companyPk, memberPk, operation, key } = scopeOf(request);
  return {
    companyPk,
    key,
    memberPk: choices["key.scope"] === "member" ? memberPk : undefined,
    operation: choices["key.operations"] === "separate" ? operation : undefined,
  };
}

/** The name of a key in `keysInProgress`. */
export function nameInProgress(request: IssueRequest, { choices }: Contract): string {
  const { companyPk, key, memberPk, operation } = sharedScopeOf(request, choices);
  return `${operation ?? ""}/${companyPk}/${memberPk ?? ""}/${request.generation}/${key}`;
}

/** The contract under the dialect of the caller's company. */
export function contractOf({ dialects }: Services, { caller }: IssueRequest): Contract {
  return dialects.of(caller.companyPk);
}

function nowOf({ clock }: Services, { caller }: IssueRequest): number {
  return companyNow(clock, caller.clockOffsetMs);
}
