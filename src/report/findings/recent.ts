/**
 * A map that forgets what was put into it longest ago, so that what a rule remembers stays bounded. It forgets by
 * halves: taking the oldest out of a Map one by one makes each look-up of the next oldest slower.
 */
export class Recent<Key, Value> {
  readonly #half: number;
  #latest = new Map<Key, Value>();
  #before = new Map<Key, Value>();

  /** @param limit - the most that it remembers; the latest half of it at least */
  constructor(limit = 10_000) {
    this.#half = Math.ceil(limit / 2);
  }

  get(key: Key): Value | undefined {
    return this.#latest.get(key) ?? this.#before.get(key);
  }

  /** Puts it in as the latest. */
  set(key: Key, value: Value): void {
    this.delete(key);
    this.#latest.set(key, value);
    if (this.#latest.size < this.#half) return;
    this.#before = this.#latest;
    this.#latest = new Map();
  }

  delete(key: Key): void {
    this.#latest.delete(key);
    this.#before.delete(key);
  }

  /** From the oldest to the latest. */
  *values(): Generator<Value> {
    yield* this.#before.values();
    yield* this.#latest.values();
  }
}
