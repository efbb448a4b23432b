/**
 * When to read which webhooks' deliveries. Each read is a query, so a webhook is read only when one of its deliveries
 * is due or was changed. Times are by the sandbox's clock.
 */
export class Agenda {
  /** Webhooks that may have a due delivery, in the order in which they are read. */
  readonly #ready = new Set<number>();
  /** When the first delivery of each other webhook is due. */
  readonly #later = new Map<number, number>();
  /** At most the earliest time in `#later`. */
  #nextAtMs = Number.POSITIVE_INFINITY;

  /** When the next webhook becomes ready as time passes; infinity if none does. */
  get nextAtMs(): number {
    return this.#nextAtMs;
  }

  addReady(webhookPk: number): void {
    this.#ready.add(webhookPk);
  }

  /** @param dueAtMs - undefined if no delivery is due later */
  addLater(webhookPk: number, dueAtMs: number | undefined): void {
    if (dueAtMs === undefined) {
      this.#later.delete(webhookPk);
      return;
    }
    this.#later.set(webhookPk, dueAtMs);
    this.#nextAtMs = Math.min(this.#nextAtMs, dueAtMs);
  }

  /** The webhooks that are ready at an instant; each stays ready until `remove`. */
  readyAt(nowMs: number): Iterable<number> {
    if (this.#nextAtMs <= nowMs) {
      this.#nextAtMs = Number.POSITIVE_INFINITY;
      for (const [webhookPk, dueAtMs] of this.#later) {
        if (dueAtMs > nowMs) this.#nextAtMs = Math.min(this.#nextAtMs, dueAtMs);
        else {
          this.#later.delete(webhookPk);
          this.#ready.add(webhookPk);
        }
      }
    }
    return this.#ready;
  }

  remove(webhookPk: number): void {
    this.#ready.delete(webhookPk);
  }
}
