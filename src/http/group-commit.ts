import type { Database } from "../store/database.ts";

/** Called when it is known whether the changes are committed; with the error if they are not. */
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

  /** @param onLost - called if nothing could be committed, to drop what was counted in memory since */
  constructor(database: Database, onLost: () => void) {
    this.#database = database;
    this.#onLost = onLost;
  }

  /** @param work - begins to handle requests; changes that it makes after waiting are committed on their own */
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
