/**
 * Counts how often a company's world was put back or taken away. A request that began in one generation has no
 * business in the next: its caller, its account, its quota belong to a world that is gone.
 */
export class Generations {
  #all = 0;
  #stamp = 0;
  readonly #whenEnded: ((companyPk: number | undefined) => void)[] = [];
  readonly #own = new Map<number, number>();

  /** The generation of a company's world, which no other company's end disturbs. */
  of(companyPk: number): number {
    return this.#all + (this.#own.get(companyPk) ?? 0);
  }

  /** Changes whenever any company's world ends. */
  get stamp(): number {
    return this.#stamp;
  }

  /** Tells a listener which company's world ends; undefined: all of them. */
  onEnd(listener: (companyPk: number | undefined) => void): void {
    this.#whenEnded.push(listener);
  }

  /** Ends the world of one company, or of all. */
  end(companyPk?: number): void {
    this.#stamp++;
    if (companyPk === undefined) this.#all++;
    else this.#own.set(companyPk, (this.#own.get(companyPk) ?? 0) + 1);
    for (const listener of this.#whenEnded) listener(companyPk);
  }
}
