import type { SandboxClock } from "../rules/clock.ts";
import type { Services } from "../runtime/services.ts";
import { companiesWithUnrecordedExpiry, nextExpiryMs, recordExpiry } from "../store/card-expiry.ts";
import { pageOfCards } from "../store/cards.ts";
import { activeWebhooks } from "../store/webhooks.ts";
import { emit } from "../webhooks/events.ts";
import { cardOf } from "./card.ts";

/** The most cards that one step reads. Recording one expiry with its event takes about 0.1 ms of processor time. */
const cardsPerStep = 100;
/** Node's timers wait at most 2³¹ − 1 ms; then the clock is read again. */
const longestWaitMs = 2 ** 31 - 1;
/** How long after a failed step it is retried, in real time. */
const tryAgainMs = 1000;

/**
 * Records the expiry of cards in the companies that have webhooks, and emits the events. Nothing else depends on it:
 * every query computes from the time which cards have expired (store/cards.ts). It works in short steps between
 * requests, and wakes up when the next card expires.
 */
export class CardExpiry {
  readonly #services: Services;
  readonly #clock: SandboxClock;
  readonly #onDefect: (defect: Error) => void;
  /** The remaining steps of a run; undefined between runs. */
  #steps: Iterator<void> | undefined;
  #whenDone: (() => void)[] = [];
  #cancelStep: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;
  #closed = false;

  constructor(services: Services, clock: SandboxClock, onDefect: (defect: Error) => void) {
    this.#services = services;
    this.#clock = clock;
    this.#onDefect = onDefect;
    services.outbox.onExpiriesAdded((webhookWasCreated) => {
      // A new card expires years after the others; the cards of a company with a new webhook may not.
      if (!this.#steps && (webhookWasCreated || !this.#cancelTimer)) this.#setTimer();
    });
    // A company's world was replaced; the transaction may not have ended yet.
    services.generations.onEnd(() => {
      this.#steps = undefined;
      this.#stepLater();
    });
    this.#setTimer();
  }

  /** Call it after time was moved. The first step runs at once, so a small world has its events when it returns. */
  run(): void {
    this.#steps = expirySteps(this.#services);
    this.#step();
  }

  /** Resolves when every expiry up to now is recorded. */
  async settled(): Promise<void> {
    const { database, clock } = this.#services;
    if (this.#closed) return;
    if (!this.#steps && companiesWithUnrecordedExpiry(database, clock.now()).length === 0) return;
    const done = new Promise<void>((resolve) => void this.#whenDone.push(resolve));
    if (!this.#steps) this.run();
    await done;
  }

  /** Stops the steps and the timers. */
  close(): void {
    this.#closed = true;
    this.#cancelStep?.();
    this.#cancelTimer?.();
    this.#resolveDone();
  }

  #step(): void {
    if (this.#closed) return;
    this.#steps ??= expirySteps(this.#services);
    const steps = this.#steps;
    try {
      const { done } = this.#services.database.transaction(() => steps.next());
      if (done) {
        this.#steps = undefined;
        this.#setTimer();
        this.#resolveDone();
      } else {
        this.#stepLater();
      }
    } catch (error) {
      this.#steps = undefined;
      this.#runAfter(tryAgainMs);
      this.#resolveDone();
      this.#onDefect(error as Error);
    }
  }

  #stepLater(): void {
    if (this.#closed) return;
    this.#cancelStep ??= this.#clock.after(0, () => {
      this.#cancelStep = undefined;
      this.#step();
    });
  }

  #resolveDone(): void {
    const waiting = this.#whenDone;
    this.#whenDone = [];
    for (const resolve of waiting) resolve();
  }

  /** A frozen clock reaches no later expiry, but a process that ended may have left earlier ones unrecorded. */
  #setTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#closed) return;
    const nextMs = nextExpiryMs(this.#services.database);
    if (nextMs === undefined) return;
    const waitMs = Math.max(0, nextMs - this.#clock.now());
    if (waitMs === 0 || this.#clock.state.frozenAtMs === null)
      this.#runAfter(Math.min(waitMs, longestWaitMs));
  }

  #runAfter(ms: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#clock.after(
      ms,
      () => {
        this.#cancelTimer = undefined;
        this.run();
      },
      true,
    );
  }
}

/** Each step reads at most `cardsPerStep` cards, ordered by company and number. */
function* expirySteps(services: Services): Generator<void> {
  const { database, clock } = services;
  let room = cardsPerStep;
  for (const { companyPk, cardsMade } of companiesWithUnrecordedExpiry(database, clock.now())) {
    for (let after = 0; after < cardsMade; ) {
      const last = Math.min(after + room, cardsMade);
      const expiredCards = recordExpiry(database, clock.now(), { companyPk, after, last });
      const webhooks = expiredCards.length > 0 ? activeWebhooks(database, companyPk) : [];
      const isSubscribed = webhooks.some(({ events }) => events.includes("card.status_changed"));
      // One query for all cards: single queries would take longer than everything else here.
      const listed = isSubscribed
        ? pageOfCards(database, clock.now(), companyPk, { before: last + 1, limit: last - after })
        : [];
      const cardsByNumber = new Map(listed.map(({ position, card }) => [position, card]));
      for (const { number, status, atMs } of isSubscribed ? expiredCards : []) {
        const data = () => {
          const card = cardsByNumber.get(number);
          if (!card) throw new Error(`card ${number} of company ${companyPk} expired, but does not exist`);
          return cardOf(card);
        };
        const expired = { number, atMs };
        const extra = { previous_status: status };
        emit(services, { companyPk, type: "card.status_changed", data, extra, expired });
      }
      room -= last - after;
      after = last;
      if (room > 0) continue;
      room = cardsPerStep;
      yield;
    }
  }
}
