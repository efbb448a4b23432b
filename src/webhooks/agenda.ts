/**
 * Which webhooks to look at, and when: each look costs a query, so a webhook is looked at only when a delivery of it
 * fell due or was changed. Times are by the sandbox's clock.
 */
export class Agenda {
  /** Webhooks that may have a due delivery, in the order in which they are looked at. */
  readonly #ready = new Set<number>();
  /** When the first delivery of each other webhook falls due. */
  readonly #later = new Map<number, number>();
  /** At most the earliest time in `#later`. */
  #nextAtMs = Number.POSITIVE_INFINITY;

  /** When the next webhook becomes ready by time alone; infinity: never. */
  get nextAtMs(): number {
    return this.#nextAtMs;
  }

  add(webhookPk: number): void {
    this.#ready.add(webhookPk);
  }

  /** @param dueAtMs - undefined: nothing falls due later */
  addLater(webhookPk: number, dueAtMs: number | undefined): void {
    if (dueAtMs === undefined) {
      this.#later.delete(webhookPk);
      return;
    }
    this.#later.set(webhookPk, dueAtMs);
    this.#nextAtMs = Math.min(this.#nextAtMs, dueAtMs);
  }

  /** The webhooks that are ready at an instant; each stays ready until `takeOff`. */
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

  takeOff(webhookPk: number): void {
    this.#ready.delete(webhookPk);
  }
}
