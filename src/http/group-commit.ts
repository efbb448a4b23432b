import type { Database } from "../store/database.ts";

/** Called after the commit, or with its error if it failed. */
type Settled = (lost: Error | undefined) => void;

/**
 * Commits the changes of several requests in one transaction, in which each request has a savepoint: one write to the disk
 * then serves all of them. No response is sent or recorded before the commit.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #onLost: () => void;
  /** The responses that wait for the commit; undefined outside a batch. */
  #waiting: Settled[] | undefined;

  /** @param onLost - called if the commit failed, to drop the counts in memory that belong to it */
  constructor(database: Database, onLost: () => void) {
    this.#database = database;
    this.#onLost = onLost;
  }

  /** @param work - begins to handle requests; changes after a wait are committed separately */
  run(work: () => void): void {
    if (!this.#database.isDurable) {
      work();
      return;
    }
    const waiting: Settled[] = [];
    this.#waiting = waiting;
    let lost: Error | undefined;
    try {
      this.#database.batch(work);
    } catch (error) {
      lost = error as Error;
      this.#onLost();
    } finally {
      this.#waiting = undefined;
    }
    for (const settled of waiting) settled(lost);
  }

  /** Calls `committed` after the commit, or at once outside a batch, and `onLost` if the commit failed. */
  whenCommitted<Result>(
    committed: () => Promise<Result> | Result,
    onLost: (why: Error) => Result,
  ): Promise<Result> | Result {
    const waiting = this.#waiting;
    if (!waiting) return committed();
    return new Promise((resolve, reject) => {
      waiting.push((why) => {
        try {
          resolve(why ? onLost(why) : committed());
        } catch (error) {
          reject(error);
        }
      });
    });
  }
}
