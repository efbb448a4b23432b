/** Counts how often somebody armed or disarmed what concerns a company: between two counts that differ a hand was at work. */
export class Armings {
  readonly #counts = new Map<number | null, number>();

  /** @param companyPk - null: it concerns all */
  count(companyPk: number | null): void {
    this.#counts.set(companyPk, (this.#counts.get(companyPk) ?? 0) + 1);
  }

  of(companyPk: number): number {
    return (this.#counts.get(null) ?? 0) + (this.#counts.get(companyPk) ?? 0);
  }
}
