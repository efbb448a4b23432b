import type { Card } from "../contract/card.ts";
import type { IdempotencyKey } from "../contract/identifiers.ts";
import type { OperationId } from "../contract/operations.ts";
import { SandboxError } from "../rules/errors.ts";
import type { Overlay } from "../rules/facts.ts";
import type { IssuerAnswer } from "../rules/issuer.ts";
import type { Services } from "../runtime/services.ts";
import { refuseOutlived } from "../runtime/stale-request.ts";
import type { Caller } from "../store/callers.ts";
import type { CardRecord, IdempotencyScope, StoredCard } from "../store/cards.ts";
import { cardOf } from "./card.ts";
import { accept, type JudgedFacts, type PointFamily } from "./checks.ts";
import { cardNow } from "./current-card.ts";

/** A request that makes a card under an idempotency key. */
export interface IssuingRequest {
  readonly caller: Caller;
  readonly key: IdempotencyKey;
  /** The generation of the caller's company in which the request began. */
  readonly generation: number;
  readonly overlay: Overlay;
}

export interface IssueOutcome {
  readonly card: Card;
  /** The key was used before, for the same order or for another: this is its original card as it is now. */
  readonly replayed?: "same order" | "other order";
}

/** How one operation makes its card. */
export interface Issuing<Wanted, Judged extends JudgedFacts> {
  readonly operation: OperationId;
  readonly family: PointFamily;
  /** The card that the key made before. */
  readonly original: () => StoredCard | undefined;
  /** Reads the body; a replay ignores it (spec §4). */
  readonly read: () => Wanted;
  /** Whether a replay's body is the same order as the original's; absent: it counts as the same. */
  readonly repeats?: (original: StoredCard) => boolean;
  /** Everything that stands between a well-formed request and the issuer: 400, 404, 409, 422. */
  readonly judge: (wanted: Wanted) => Judged;
  /** Makes the card, with its idempotency record. */
  readonly make: (wanted: Wanted, judged: Judged) => CardRecord;
  /** Which card it changes, that no other change may meanwhile; absent: none. */
  readonly changing?: (judged: Judged) => string;
  /** How the new card is shown; absent: as one from which nothing was spent. */
  readonly show?: (card: CardRecord) => Card;
}

/**
 * Makes a card once for a key, deciding from top to bottom. Look-up of the key, checks and insert are one
 * transaction, unless the issuer takes its time.
 * @throws SandboxError; a failure is never stored, since the caller retries with this key (§7)
 */
export function issueOnce<Wanted, Judged extends JudgedFacts>(
  services: Services,
  request: IssuingRequest,
  issuing: Issuing<Wanted, Judged>,
): IssueOutcome | Promise<IssueOutcome> {
  const { database, keysInProgress } = services;
  const decided = database.transaction(() => {
    refuseOutlived(services, request.caller, request.generation, issuing.operation);
    const original = issuing.original();
    if (original) return replayed(services, request, issuing, original);
    if (keysInProgress.size > 0 && keysInProgress.has(nameOf(request, issuing))) {
      throw new SandboxError(
        `${issuing.family}.key_in_progress`,
        "An order with this Idempotency-Key is still in progress: retry with the same key in a moment",
      );
    }
    const wanted = issuing.read();
    const judged = issuing.judge(wanted);
    const answer = request.overlay.issuer.issue({
      companyId: request.caller.companyId,
      memberId: request.caller.memberId,
      accountId: judged.account.id,
    });
    if ("then" in answer) return { wanted, pending: answer, changing: issuing.changing?.(judged) };
    accept(answer, issuing.family);
    return made(request, issuing, issuing.make(wanted, judged));
  });
  return "pending" in decided ? finish(services, request, issuing, decided) : decided;
}

/** Waits for a slow issuer, then judges again: the world may have changed meanwhile. */
async function finish<Wanted, Judged extends JudgedFacts>(
  services: Services,
  request: IssuingRequest,
  issuing: Issuing<Wanted, Judged>,
  { wanted, pending, changing }: Pending<Wanted>,
): Promise<IssueOutcome> {
  const name = nameOf(request, issuing);
  services.keysInProgress.add(name);
  try {
    accept(await answered(services, pending, changing), issuing.family);
    return services.database.transaction(() => {
      refuseOutlived(services, request.caller, request.generation, issuing.operation);
      return made(request, issuing, issuing.make(wanted, issuing.judge(wanted)));
    });
  } finally {
    services.keysInProgress.delete(name);
  }
}

interface Pending<Wanted> {
  readonly wanted: Wanted;
  readonly pending: PromiseLike<IssuerAnswer>;
  readonly changing: string | undefined;
}

/** Keeps a card from other changes until the issuer has answered. */
async function answered(
  { cardsChanging }: Services,
  pending: PromiseLike<IssuerAnswer>,
  changing: string | undefined,
): Promise<IssuerAnswer> {
  if (changing === undefined) return pending;
  cardsChanging.add(changing);
  try {
    return await pending;
  } finally {
    cardsChanging.delete(changing);
  }
}

function made(
  { overlay }: IssuingRequest,
  { show }: Pick<Issuing<unknown, never>, "show">,
  card: CardRecord,
): IssueOutcome {
  return { card: show?.(card) ?? cardOf(card, overlay.facts.usedUnreadable) };
}

/** The original card in its current state: it may have changed since. */
function replayed(
  services: Services,
  { caller }: IssuingRequest,
  { repeats }: Pick<Issuing<unknown, never>, "repeats">,
  original: StoredCard,
): IssueOutcome {
  const isSame = repeats?.(original) ?? true;
  return { card: cardNow(services, original, caller), replayed: isSame ? "same order" : "other order" };
}

/** What a key means one thing within. */
export function scopeOf({ caller, key }: IssuingRequest, operation: OperationId): IdempotencyScope {
  const { companyPk, memberPk } = caller;
  return { companyPk, memberPk, operation, key };
}

function nameOf(
  { caller, key, generation }: IssuingRequest,
  { operation }: Pick<Issuing<unknown, never>, "operation">,
): string {
  return `${operation}/${caller.companyPk}/${caller.memberPk}/${generation}/${key}`;
}
