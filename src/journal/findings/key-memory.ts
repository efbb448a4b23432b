import type { OperationId } from "../../contract/operations.ts";
import { Recent } from "./recent.ts";
import type { Attempts } from "./rules/retries-without-backoff.ts";
import type { Seen } from "./seen.ts";

/**
 * What rules remember of one Idempotency-Key of one member: each rule its own, so that one look-up serves all of them.
 * To look into large maps is what rules mostly cost. What is undefined was not met yet.
 */
class KeyMemory {
  /** IDEM-1: whether the outcome of an order under it was unknown. */
  wasUnknown: boolean | undefined = undefined;
  /** IDEM-2: the order that it is taken up by, or that was sent with it last. */
  usedBy: Seen | undefined = undefined;
  /** IDEM-3: the first orders that differ and were made, or may have been; whichever member sent them. */
  made: Seen | readonly Seen[] | undefined = undefined;
  /** IDEM-4: the latest requests, of several clients that send it, of each. */
  latest: Seen | readonly Seen[] | undefined = undefined;
  /** IDEM-5: whether nothing is to be told of it any more. */
  isSettled = false;
  /** RETRY-1: of the order under it. */
  attempts: Attempts | undefined = undefined;
  // What a key means one thing within (assumed): the world, the operation and the member.
  readonly #scope: string;
  readonly #operation: OperationId;
  readonly #memberPk: number;
  /** Of the same key elsewhere. Few keys are sent in several places. */
  #elsewhere: Recent<string, KeyMemory> | undefined;

  constructor(scope: string, operation: OperationId, memberPk: number) {
    this.#scope = scope;
    this.#operation = operation;
    this.#memberPk = memberPk;
  }

  /** What is remembered of the key in a world and an operation: the memory of the first member who sent it there. */
  in(scope: string, operation: OperationId, memberPk: number): KeyMemory {
    if (scope === this.#scope && operation === this.#operation) return this;
    return this.#other(`${scope} ${operation}`, scope, operation, memberPk);
  }

  of(memberPk: number): KeyMemory {
    if (memberPk === this.#memberPk) return this;
    return this.#other(`${memberPk}`, this.#scope, this.#operation, memberPk);
  }

  #other(name: string, scope: string, operation: OperationId, memberPk: number): KeyMemory {
    this.#elsewhere ??= new Recent(1000);
    const other = this.#elsewhere.get(name) ?? new KeyMemory(scope, operation, memberPk);
    this.#elsewhere.set(name, other);
    return other;
  }
}

export type { KeyMemory };

/** What is remembered of the latest Idempotency-Keys. */
export class KeyMemories {
  readonly #ofKeys = new Recent<string, KeyMemory>(5000);

  /** @returns what is remembered of the key whichever member sends it, and as this member's; the same for the first */
  of(
    key: string,
    scope: string,
    operation: OperationId,
    memberPk: number,
  ): { shared: KeyMemory; own: KeyMemory } {
    const first = this.#ofKeys.get(key) ?? new KeyMemory(scope, operation, memberPk);
    this.#ofKeys.set(key, first);
    const shared = first.in(scope, operation, memberPk);
    return { shared, own: shared.of(memberPk) };
  }
}
