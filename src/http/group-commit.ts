import type { Database } from "../store/database.ts";

/** Told once it is known whether what was changed is kept; with why, where it is not. */
type Settled = (lost: Error | undefined) => void;

/**
 * Keeps what several requests change in one transaction, in which each still has its own: one write to the disk then
 * serves all of them. None is answered, and nobody is told of any, before it is known that their changes are kept.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #whenLost: () => void;
  #waiting: Settled[] | undefined;

  /** @param whenLost - called where nothing could be kept, for what was counted in memory meanwhile */
  constructor(database: Database, whenLost: () => void) {
    this.#database = database;
    this.#whenLost = whenLost;
  }

  /** @param work - begins to handle requests; what it awaits comes after, in transactions of its own */
  run(work: () => void): void {
    if (!this.#database.isDurable) {
      work();
      return;
    }
    const waiting: Settled[] = [];
    this.#waiting = waiting;
    let lost: Error | undefined;
    try {
      this.#database.together(work);
    } catch (error) {
      lost = error as Error;
      this.#whenLost();
    } finally {
      this.#waiting = undefined;
    }
    for (const settled of waiting) settled(lost);
  }

  /** Answers once what was changed is kept: at once, unless that is being shared. */
  answer<Result>(
    kept: () => Promise<Result> | Result,
    lost: (why: Error) => Result,
  ): Promise<Result> | Result {
    const waiting = this.#waiting;
    if (!waiting) return kept();
    return new Promise((resolve, reject) => {
      waiting.push((why) => {
        try {
          resolve(why ? lost(why) : kept());
        } catch (error) {
          reject(error);
        }
      });
    });
  }
}
