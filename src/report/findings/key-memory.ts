let partsMade = 0;

/**
 * What rules remember of one Idempotency-Key and member: each its own part, so that one look-up serves all rules.
 * To look into large maps is what rules mostly cost.
 */
export class KeyMemory {
  readonly memberPk: number;
  readonly parts: unknown[] = new Array(partsMade);
  /** Of other members that sent the same key to the same operation. */
  #others: Map<number, KeyMemory> | undefined;

  constructor(memberPk: number) {
    this.memberPk = memberPk;
  }

  /** What is remembered of the key as another member's, or the same one's; the first member's holds them all. */
  of(memberPk: number): KeyMemory {
    if (memberPk === this.memberPk) return this;
    this.#others ??= new Map();
    let other = this.#others.get(memberPk);
    if (!other) {
      other = new KeyMemory(memberPk);
      this.#others.set(memberPk, other);
    }
    return other;
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
