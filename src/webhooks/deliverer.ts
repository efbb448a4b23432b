import type { SandboxClock } from "../rules/clock.ts";
import type { Services } from "../runtime/services.ts";
import {
  deleteOldDeliveries,
  dueDeliveries,
  firstDueOfEach,
  isAnyPending,
  nextDueAt,
  type Outgoing,
} from "../store/webhook-deliveries.ts";
import { Agenda } from "./agenda.ts";
import type { AttemptOutcome, Sending } from "./attempt.ts";
import { attemptDelivery, storeOutcomes } from "./retries.ts";

/** Concurrent attempts to one webhook; a receiver that hangs delays no other. */
const mostPerWebhook = 4;
/** Concurrent attempts in all; each needs a socket. */
const mostInProgress = 256;
/** Webhooks read and attempts started in one turn of the event loop; signing and sending takes up to 1 ms. */
const mostPerTurn = 16;
/** The time that one turn of the event loop spends on storing outcomes; with `--durability full` each waits for the disk. */
const storingMs = 5;
/** The delay before outcomes that could not be stored are stored again, in real time. */
const storeAgainMs = 1000;
/** The number of finished deliveries after which old ones are deleted: checking each time would cost more. */
const deleteAfter = 64;
/** The longest wait of a timer; then the clock is read again. */
const longestWaitMs = 60 * 60 * 1000;

/** Observes deliveries, without any effect on them. */
export interface DeliveryObserver {
  /** Called with each attempt whose outcome was stored. */
  readonly onAttempt: (outgoing: Outgoing, outcome: AttemptOutcome) => void;
  /** Called with an error of the sandbox itself, and then not again until an outcome was stored. */
  readonly onDefect: (defect: Error) => void;
}

/** A delivery from its first byte until its outcome is stored. */
interface InProgress {
  readonly outgoing: Outgoing;
  readonly generation: number;
  readonly abort: AbortController;
}

/** Attempts whose outcome is not stored yet. `atMs` is by the sandbox's clock. */
interface Finished {
  readonly delivery: InProgress;
  readonly outcomes: readonly AttemptOutcome[];
  readonly atMs: number;
}

/**
 * Delivers the events of the outbox, at least once and by the sandbox's clock. It works between requests, in short turns
 * of the event loop: requests neither fail with it nor wait for it. The cost of a delivery does not depend on the number
 * of pending ones.
 */
export class Deliverer {
  readonly #services: Services;
  readonly #clock: SandboxClock;
  readonly #sending: Sending;
  readonly #observer: DeliveryObserver;
  readonly #agenda = new Agenda();
  /** The companies whose world or time changed since the due times of their webhooks were read. */
  #changedCompanies: Set<number> | "all" = "all";
  /** By webhook, then by delivery. */
  readonly #inProgress = new Map<number, Map<number, InProgress>>();
  #inProgressCount = 0;
  #sendingCount = 0;
  #finished: Finished[] = [];
  #isFailing = false;
  /** The number of deliveries of each webhook that finished since its old ones were deleted. */
  readonly #finishedSince = new Map<number, number>();
  #whenIdle: (() => void)[] = [];
  #cancelTimer: () => void = () => {};
  #cancelTurn: (() => void) | undefined;
  #closed = false;

  constructor(services: Services, clock: SandboxClock, sending: Sending, observer: DeliveryObserver) {
    this.#services = services;
    this.#clock = clock;
    this.#sending = sending;
    this.#observer = observer;
    services.outbox.onDeliveriesChanged((webhookPk) => {
      if (webhookPk === undefined) this.#changedCompanies = "all";
      else this.#agenda.addReady(webhookPk);
      this.#scheduleTurn();
    });
    services.generations.onEnd((companyPk) => this.#onWorldReplaced(companyPk));
    // Delivers the events that were committed before a crash.
    if (isAnyPending(services.database)) this.#scheduleTurn();
  }

  /** Resolves when every delivery that is due by now was attempted. */
  settled(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    const idle = new Promise<void>((resolve) => void this.#whenIdle.push(resolve));
    this.#turn();
    return idle;
  }

  /** The number of attempts whose outcome is not stored yet. */
  get inProgress(): number {
    return this.#inProgressCount;
  }

  /** Aborts the attempts in progress and starts no others. */
  close(): void {
    this.#closed = true;
    this.#cancelTimer();
    this.#cancelTurn?.();
    this.#abort();
    this.#resolveIdle();
  }

  /** Schedules a turn after the work that changed the outbox, which may be in a transaction. */
  #scheduleTurn(): void {
    if (this.#closed) return;
    this.#cancelTurn ??= this.#clock.after(0, () => {
      this.#cancelTurn = undefined;
      this.#turn();
    });
  }

  /** The new world of a company, or of all, may have deliveries that are due. */
  #onWorldReplaced(companyPk: number | undefined): void {
    this.#abort(companyPk);
    this.#finishedSince.clear();
    if (companyPk === undefined) this.#changedCompanies = "all";
    else if (this.#changedCompanies !== "all") this.#changedCompanies.add(companyPk);
    this.#scheduleTurn();
  }

  /** Aborts the attempts in progress for a company, or all. */
  #abort(companyPk?: number): void {
    for (const deliveries of this.#inProgress.values()) {
      for (const { outgoing, abort } of deliveries.values()) {
        if (companyPk === undefined || outgoing.companyPk === companyPk) abort.abort();
      }
    }
  }

  /** One turn of the event loop: stores outcomes, then starts attempts. */
  #turn(): void {
    if (this.#closed) return;
    try {
      const isEachStored = this.#storeFinished();
      this.#readDueTimes();
      const isEachStarted = this.#startDue();
      this.#isFailing = this.#finished.length > 0;
      if (!isEachStored || !isEachStarted) this.#scheduleTurn();
      else if (this.#sendingCount === 0) this.#resolveIdle();
    } catch (error) {
      this.#reportDefect(error as Error);
      // Nothing can be read, so the callers of `settled` would wait forever.
      this.#resolveIdle();
    }
    this.#setTimer();
  }

  #resolveIdle(): void {
    const waiting = this.#whenIdle;
    this.#whenIdle = [];
    for (const resolve of waiting) resolve();
  }

  /**
   * Stores the outcomes of attempts. One that cannot be stored is retried last, and still counts as one of the attempts
   * to its webhook, so that few further requests are sent while the disk is full.
   * @returns false if time ran out
   */
  #storeFinished(): boolean {
    const untilMs = this.#clock.ticks() + storingMs;
    for (let left = this.#finished.length; left > 0; left--) {
      if (this.#clock.ticks() > untilMs) return false;
      const [finished] = this.#finished.splice(0, 1) as [Finished];
      if (this.#store(finished)) continue;
      this.#finished.push(finished);
      break;
    }
    return true;
  }

  /** @returns false if it must be stored later */
  #store({ delivery: { outgoing, generation }, outcomes, atMs }: Finished): boolean {
    if (generation === this.#services.generations.of(outgoing.companyPk)) {
      try {
        this.#services.database.transaction(() => {
          storeOutcomes(this.#services, outgoing, outcomes, atMs + outgoing.clockOffsetMs);
          this.#deleteOld(outgoing.webhookPk);
        });
      } catch (error) {
        this.#reportDefect(error as Error);
        return false;
      }
      this.#notify(outgoing, outcomes);
    }
    const deliveries = this.#inProgress.get(outgoing.webhookPk);
    deliveries?.delete(outgoing.pk);
    if (deliveries?.size === 0) this.#inProgress.delete(outgoing.webhookPk);
    this.#inProgressCount--;
    this.#agenda.addReady(outgoing.webhookPk);
    return true;
  }

  #deleteOld(webhookPk: number): void {
    const finished = (this.#finishedSince.get(webhookPk) ?? 0) + 1;
    this.#finishedSince.set(webhookPk, finished % deleteAfter);
    if (finished === deleteAfter) deleteOldDeliveries(this.#services.database, webhookPk);
  }

  /** Errors of the observer do not affect deliveries. */
  #notify(outgoing: Outgoing, outcomes: readonly AttemptOutcome[]): void {
    try {
      for (const outcome of outcomes) this.#observer.onAttempt(outgoing, outcome);
    } catch (error) {
      this.#reportDefect(error as Error);
    }
  }

  #reportDefect(defect: Error): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    try {
      this.#observer.onDefect(defect);
    } catch {
      // The observer itself failed, so there is nothing left to notify.
    }
  }

  /** Reads the due times of webhooks whose company's world or time was changed. */
  #readDueTimes(): void {
    const { database } = this.#services;
    const companies = this.#changedCompanies === "all" ? [undefined] : this.#changedCompanies;
    for (const companyPk of companies) {
      for (const { webhookPk, dueAtMs } of firstDueOfEach(database, companyPk)) {
        this.#agenda.addLater(webhookPk, dueAtMs);
      }
    }
    this.#changedCompanies = new Set();
  }

  /** @returns false if ready webhooks are left for the next turn */
  #startDue(): boolean {
    const nowMs = this.#clock.now();
    let room = mostPerTurn;
    for (const webhookPk of this.#agenda.readyAt(nowMs)) {
      if (this.#inProgressCount >= mostInProgress) break;
      if (room <= 0) return false;
      room -= 1 + this.#startDueOf(webhookPk, nowMs);
      this.#agenda.remove(webhookPk);
    }
    return true;
  }

  /** @returns the number of attempts started */
  #startDueOf(webhookPk: number, nowMs: number): number {
    const { database } = this.#services;
    const deliveries = this.#inProgress.get(webhookPk) ?? new Map<number, InProgress>();
    // It is the same for all companies, so that no query has to find that of the webhook.
    const inOrder = this.#services.dialects.all.choices["webhooks.order"] === "in_order";
    const room = (inOrder ? 1 : mostPerWebhook) - deliveries.size;
    // The end of any attempt makes the webhook ready again.
    if (room <= 0) return 0;
    const due = dueDeliveries(database, webhookPk, nowMs, [...deliveries.keys()], room, inOrder);
    for (const outgoing of due) this.#start(outgoing, deliveries);
    if (due.length < room) this.#agenda.addLater(webhookPk, nextDueAt(database, webhookPk, nowMs));
    return due.length;
  }

  /** @param deliveries - those in progress to the same webhook */
  #start(outgoing: Outgoing, deliveries: Map<number, InProgress>): void {
    const abort = new AbortController();
    const generation = this.#services.generations.of(outgoing.companyPk);
    const delivery = { outgoing, generation, abort };
    deliveries.set(outgoing.pk, delivery);
    this.#inProgress.set(outgoing.webhookPk, deliveries);
    this.#inProgressCount++;
    this.#sendingCount++;
    attemptDelivery(this.#services, this.#sending, outgoing, abort.signal)
      .catch((defect): AttemptOutcome[] => {
        this.#reportDefect(defect);
        return [{ status: null, error: "failed", durationMs: 0 }];
      })
      .then((outcomes) => {
        this.#sendingCount--;
        this.#finished.push({ delivery, outcomes, atMs: this.#clock.now() });
        this.#scheduleTurn();
      });
  }

  /** While time is frozen no delivery becomes due; a change of time schedules a turn. */
  #setTimer(): void {
    this.#cancelTimer();
    const isRunning = this.#clock.state.frozenAtMs === null;
    const waitMs = Math.min(
      isRunning ? this.#agenda.nextAtMs - this.#clock.now() : Number.POSITIVE_INFINITY,
      this.#isFailing ? storeAgainMs : Number.POSITIVE_INFINITY,
    );
    if (waitMs === Number.POSITIVE_INFINITY) return;
    this.#cancelTimer = this.#clock.after(Math.min(waitMs, longestWaitMs), () => this.#turn(), true);
  }
}
