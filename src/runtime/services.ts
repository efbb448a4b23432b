import type { Clock } from "../rules/clock.ts";
import type { Random } from "../rules/random.ts";
import type { Callers } from "../store/callers.ts";
import type { Database } from "../store/database.ts";
import type { Dialects } from "./dialects.ts";
import type { Generations } from "./generations.ts";

/** The services that the use cases work with. */
export interface Services {
  readonly database: Database;
  readonly callers: Callers;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether the API keys of the fixtures, whose secrets are public, are accepted and listed. */
  readonly fixtureKeys: boolean;
  /** The orders that wait for a slow issuer, by idempotency key; in memory, so that a crash frees them. */
  readonly keysInProgress: Map<string, Promise<unknown>>;
  /** The cards whose replacement waits for a slow issuer, by `changingName`. */
  readonly cardsChanging: Set<string>;
  readonly generations: Generations;
  readonly dialects: Dialects;
  readonly outbox: Outbox;
  readonly shortenWait: ShortenWait | undefined;
}

/**
 * Shortens a wait of a scenario: each latency, hold and `Retry-After`, and the time for which a reordered event is held
 * back. It does not apply to a silent response, nor to an issuer that works on after its connection is lost: these waits
 * end by themselves when the client acts.
 * @param ms - the wait, in milliseconds
 * @returns the wait to use instead, at most as long; a `Retry-After` is then rounded down to whole seconds
 */
export type ShortenWait = (ms: number) => number;

/** Notifies the background work of changes. Events are rows of the store until they are delivered. */
export class Outbox {
  #onDeliveriesChanged: (webhookPk?: number) => void = () => {};
  #onExpiriesAdded: (webhookWasCreated: boolean) => void = () => {};

  onDeliveriesChanged(listener: (webhookPk?: number) => void): void {
    this.#onDeliveriesChanged = listener;
  }

  onExpiriesAdded(listener: (webhookWasCreated: boolean) => void): void {
    this.#onExpiriesAdded = listener;
  }

  /**
   * Call it when deliveries were added or changed, or time was moved. The transaction may still be open.
   * @param webhookPk - the webhook of the deliveries; absent: any webhook
   */
  deliveriesChanged(webhookPk?: number): void {
    this.#onDeliveriesChanged(webhookPk);
  }

  /** Call it when a company with webhooks may get a card, or a company with cards gets a webhook. */
  expiriesAdded(webhookWasCreated: boolean): void {
    this.#onExpiriesAdded(webhookWasCreated);
  }
}
