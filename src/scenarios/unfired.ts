import type { ArmedRow } from "../store/armed-scenarios.ts";

/** More than any suite arms in vain; the oldest go first. */
const rememberedLimit = 1000;

/**
 * What was armed since the sandbox was started and never fired. It is kept apart from the world, which forgets what
 * is disarmed, reset or deleted.
 */
export class Unfired {
  readonly #rows: ArmedRow[] = [];
  /** Each reset arms again what the sandbox was started with: that is one arming all the same. */
  #knowsFromStart = false;

  armed(row: ArmedRow): void {
    if (row.fromStart === 1) {
      if (this.#knowsFromStart) return;
      this.#knowsFromStart = true;
    }
    this.#rows.push(row);
    if (this.#rows.length > rememberedLimit) this.#rows.shift();
  }

  fired({ id, scenario, fromStart }: ArmedRow): void {
    // A reset world gives the same ids anew: it is the latest that fires.
    const at = this.#rows.findLastIndex((row) =>
      fromStart === 1 ? row.fromStart === 1 : row.id === id && row.scenario === scenario,
    );
    if (at >= 0) this.#rows.splice(at, 1);
  }

  /** In the order in which they were armed. */
  list(): readonly ArmedRow[] {
    return this.#rows;
  }
}
