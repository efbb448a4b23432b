/**
 * A map that forgets what was put into it longest ago, so that what a rule remembers stays bounded. It forgets half of
 * it at once: taking the oldest out of a Map one by one makes each look-up of the next oldest slower. To look into one
 * large Map is what rules mostly do, and what they mostly cost.
 */
export class Recent<Key, Value> {
  readonly #limit: number;
  #entries = new Map<Key, Value>();
  #latest: Key | undefined;

  /** @param limit - the most that it remembers; the latest half of it at least */
  constructor(limit = 10_000) {
    this.#limit = limit;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** Puts it in as the latest. */
  set(key: Key, value: Value): void {
    const entries = this.#entries;
    const { size } = entries;
    entries.set(key, value);
    if (key === this.#latest) return;
    this.#latest = key;
    if (entries.size === size) {
      // It was there, and keeps its place unless it is taken out first.
      entries.delete(key);
      entries.set(key, value);
    } else if (size === this.#limit) this.#forgetHalf();
  }

  delete(key: Key): void {
    this.#entries.delete(key);
    this.#latest = undefined;
  }

  /** From the oldest to the latest. */
  values(): Iterable<Value> {
    return this.#entries.values();
  }

  #forgetHalf(): void {
    let forgotten = Math.floor(this.#entries.size / 2);
    const kept = new Map<Key, Value>();
    for (const [key, value] of this.#entries) {
      if (forgotten > 0) forgotten--;
      else kept.set(key, value);
    }
    this.#entries = kept;
  }
}
