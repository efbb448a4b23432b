import type { OperationId } from "../../contract/operations.ts";
import { Recent } from "./recent.ts";

/** What an Idempotency-Key means one thing within (assumed), beside the member: the world and the operation. */
export interface KeyScope {
  readonly scope: string;
  readonly operation: OperationId;
}

let partsMade = 0;

/**
 * What rules remember of one Idempotency-Key of one member: each rule its own part, so that one look-up serves all of
 * them. To look into large maps is what rules mostly cost.
 */
class KeyMemory {
  readonly parts: unknown[] = new Array(partsMade);
  readonly #within: KeyScope;
  readonly #memberPk: number;
  /** Of the same key elsewhere. Few keys are sent in several places. */
  #elsewhere: Recent<string, KeyMemory> | undefined;

  constructor(within: KeyScope, memberPk: number) {
    this.#within = within;
    this.#memberPk = memberPk;
  }

  /** What is remembered of the key in a world and an operation: the memory of the first member who sent it there. */
  in(within: KeyScope, memberPk: number): KeyMemory {
    const { scope, operation } = this.#within;
    if (scope === within.scope && operation === within.operation) return this;
    return this.#other(`${within.scope} ${within.operation}`, within, memberPk);
  }

  of(memberPk: number): KeyMemory {
    return memberPk === this.#memberPk ? this : this.#other(`${memberPk}`, this.#within, memberPk);
  }

  #other(name: string, within: KeyScope, memberPk: number): KeyMemory {
    this.#elsewhere ??= new Recent(1000);
    let other = this.#elsewhere.get(name);
    if (!other) {
      other = new KeyMemory(within, memberPk);
      this.#elsewhere.set(name, other);
    }
    return other;
  }
}

export type { KeyMemory };

/** What is remembered of the latest Idempotency-Keys. */
export class KeyMemories {
  readonly #ofKeys = new Recent<string, KeyMemory>(5000);

  /** @returns what is remembered of the key whichever member sends it, and as this member's; the same for the first */
  of(key: string, within: KeyScope, memberPk: number): { shared: KeyMemory; own: KeyMemory } {
    const first = this.#ofKeys.get(key) ?? new KeyMemory(within, memberPk);
    this.#ofKeys.set(key, first);
    const shared = first.in(within, memberPk);
    return { shared, own: shared.of(memberPk) };
  }
}

/** One rule's part of what is remembered of a key; made once, with the rule. */
export class KeyPart<Value> {
  readonly #at = partsMade++;

  get({ parts }: KeyMemory): Value | undefined {
    return parts[this.#at] as Value | undefined;
  }

  set({ parts }: KeyMemory, value: Value): void {
    parts[this.#at] = value;
  }
}
