import type { KeysInProgress } from "./keys-in-progress.ts";
import type { Clock, Database, Random, Store } from "./ports.ts";

/** What the use cases work with. */
export interface Services {
  readonly database: Database;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly keysInProgress: KeysInProgress;
}
