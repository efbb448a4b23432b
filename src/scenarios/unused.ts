import type { ArmedRow } from "../store/armed-scenarios.ts";

/** Beyond it, the oldest are dropped. */
const rememberedLimit = 1000;

/**
 * The scenarios that were armed since the sandbox started and have not fired. They are kept outside the world, which
 * forgets scenarios that are disarmed, reset or deleted.
 */
export class UnusedScenarios {
  readonly #rows: ArmedRow[] = [];
  /** Each reset arms the scenario of the start again. It counts once. */
  #hasStartScenario = false;

  addArmed(row: ArmedRow): void {
    if (row.fromStart === 1) {
      if (this.#hasStartScenario) return;
      this.#hasStartScenario = true;
    }
    this.#rows.push(row);
    if (this.#rows.length > rememberedLimit) this.#rows.shift();
  }

  removeFired({ id, scenario, fromStart }: ArmedRow): void {
    // Ids repeat after a reset, so the latest row is the one that fired.
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
