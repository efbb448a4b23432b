import type { Clock } from "../rules/clock.ts";
import type { Random } from "../rules/random.ts";
import type { Callers } from "../store/callers.ts";
import type { Database } from "../store/database.ts";
import type { Generations } from "./generations.ts";
import type { Outbox } from "./outbox.ts";

/** What the use cases work with. */
export interface Services {
  readonly database: Database;
  readonly callers: Callers;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether the API keys of the fixtures, whose secrets are public, are accepted and listed. */
  readonly fixtureKeys: boolean;
  /** The idempotency keys whose order waits for a slow issuer; in memory, so that a crash forgets them. */
  readonly keysInProgress: Set<string>;
  /** The cards in whose place one is being made while a slow issuer is waited for, as `changingName` names them. */
  readonly cardsChanging: Set<string>;
  readonly generations: Generations;
  readonly outbox: Outbox;
}
