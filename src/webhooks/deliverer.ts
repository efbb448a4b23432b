import type { SandboxClock } from "../rules/clock.ts";
import { companyNow } from "../rules/clock.ts";
import type { Services } from "../runtime/services.ts";
import {
  deleteOldDeliveries,
  dueDeliveries,
  endRound,
  firstDueOfEach,
  insertAttempt,
  isAnyPending,
  nextDueAt,
  type Outgoing,
  postpone,
  releaseHeldBack,
} from "../store/webhook-deliveries.ts";
import { disableWebhook } from "../store/webhooks.ts";
import { Agenda } from "./agenda.ts";
import { type AttemptOutcome, attempt, type Sending } from "./attempt.ts";
import { unexpiredSecrets, webhookSecret } from "./secret.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long after an attempt that failed the next one follows; after the last there is none. */
const retryDelaysMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** Concurrent attempts to one webhook; a receiver that hangs delays no other. */
const mostPerWebhook = 4;
/** Concurrent attempts in all; each needs a socket. */
const mostUnderWay = 256;
/** Webhooks checked and attempts started in one turn of the event loop; signing and sending takes up to 1 ms. */
const mostPerTurn = 16;
/** The time that one turn of the event loop spends on storing outcomes; with `--durability full` each waits for the disk. */
const storingMs = 5;
/** How long after a failure storing is retried, in real time. */
const storeAgainMs = 1000;
/** The number of finished deliveries after which the older ones are deleted: checking every time would cost more. */
const forgetAfter = 64;
/** A timer's longest wait; it then looks again. */
const longestWaitMs = hour;

/** Whoever watches; it decides nothing. */
export interface DeliveryWatch {
  /** Called with each attempt whose outcome was stored. */
  readonly onAttempt: (outgoing: Outgoing, outcome: AttemptOutcome) => void;
  /** Called with an error of the sandbox itself; after that not until an outcome was stored. */
  readonly onDefect: (defect: Error) => void;
}

/** A delivery from its first byte until its outcome is stored. */
interface UnderWay {
  readonly outgoing: Outgoing;
  readonly generation: number;
  readonly abort: AbortController;
}

/** Finished attempts. `atMs` is by the sandbox's clock. */
interface Ended {
  readonly underWay: UnderWay;
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
  readonly #watch: DeliveryWatch;
  readonly #agenda = new Agenda();
  /** The companies whose webhooks must be read again, because their world or their time was changed. */
  #unread: Set<number> | "all" = "all";
  /** By webhook, then by delivery. */
  readonly #underWay = new Map<number, Map<number, UnderWay>>();
  #underWayCount = 0;
  #sendingCount = 0;
  /** Finished attempts whose outcome is not stored yet. */
  #ended: Ended[] = [];
  #isFailing = false;
  /** The number of deliveries of each webhook that finished since its older ones were deleted. */
  readonly #overSince = new Map<number, number>();
  #whenIdle: (() => void)[] = [];
  #cancelTimer: () => void = () => {};
  #cancelStir: (() => void) | undefined;
  #closed = false;

  constructor(services: Services, clock: SandboxClock, sending: Sending, watch: DeliveryWatch) {
    this.#services = services;
    this.#clock = clock;
    this.#sending = sending;
    this.#watch = watch;
    services.outbox.onStir((webhookPk) => {
      if (webhookPk === undefined) this.#unread = "all";
      else this.#agenda.add(webhookPk);
      this.#stir();
    });
    services.generations.onEnd((companyPk) => this.#drop(companyPk));
    // Delivers the events that were committed before a crash.
    if (isAnyPending(services.database)) this.#stir();
  }

  /** Resolves when every delivery that is due by now was attempted. */
  settled(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    const idle = new Promise<void>((resolve) => void this.#whenIdle.push(resolve));
    this.#turn();
    return idle;
  }

  /** Aborts the attempts in progress and starts no others. */
  close(): void {
    this.#closed = true;
    this.#cancelTimer();
    this.#cancelStir?.();
    this.#abort();
    this.#resolveIdle();
  }

  /** Schedules a turn after the work that changed the outbox, which may be in a transaction. */
  #stir(): void {
    if (this.#closed) return;
    this.#cancelStir ??= this.#clock.after(0, () => {
      this.#cancelStir = undefined;
      this.#turn();
    });
  }

  /** The world of a company, or of all, was replaced; the new one may have deliveries that are due. */
  #drop(companyPk: number | undefined): void {
    this.#abort(companyPk);
    this.#overSince.clear();
    if (companyPk === undefined) this.#unread = "all";
    else if (this.#unread !== "all") this.#unread.add(companyPk);
    this.#stir();
  }

  /** Aborts the attempts in progress for a company, or all. */
  #abort(companyPk?: number): void {
    for (const deliveries of this.#underWay.values()) {
      for (const { outgoing, abort } of deliveries.values()) {
        if (companyPk === undefined || outgoing.companyPk === companyPk) abort.abort();
      }
    }
  }

  #turn(): void {
    if (this.#closed) return;
    try {
      const isAllTried = this.#storeOutcomes();
      this.#readAgain();
      const isAllLookedAt = this.#beginDue();
      this.#isFailing = this.#ended.length > 0;
      if (!isAllTried || !isAllLookedAt) this.#stir();
      else if (this.#sendingCount === 0) this.#resolveIdle();
    } catch (error) {
      this.#tell(error as Error);
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

  #report(outgoing: Outgoing, outcomes: readonly AttemptOutcome[]): void {
    try {
      for (const outcome of outcomes) this.#watch.onAttempt(outgoing, outcome);
    } catch (error) {
      this.#tell(error as Error);
    }
  }

  /** Errors of observers do not affect deliveries. */
  #tell(defect: Error): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    try {
      this.#watch.onDefect(defect);
    } catch {
      // There is nobody else to tell.
    }
  }

  /**
   * Stores the outcomes of attempts. One that cannot be stored is retried last, and still counts as one of the attempts
   * to its webhook, so that few further requests are sent while the disk is full.
   * @returns false if time ran out
   */
  #storeOutcomes(): boolean {
    const untilMs = this.#clock.ticks() + storingMs;
    for (let left = this.#ended.length; left > 0; left--) {
      if (this.#clock.ticks() > untilMs) return false;
      const [ended] = this.#ended.splice(0, 1) as [Ended];
      if (this.#store(ended)) continue;
      this.#ended.push(ended);
      break;
    }
    return true;
  }

  /** @returns false if it must be stored later */
  #store({ underWay: { outgoing, generation }, outcomes, atMs }: Ended): boolean {
    if (generation === this.#services.generations.of(outgoing.companyPk)) {
      try {
        this.#conclude(outgoing, outcomes, atMs);
      } catch (error) {
        this.#tell(error as Error);
        return false;
      }
      this.#report(outgoing, outcomes);
    }
    const deliveries = this.#underWay.get(outgoing.webhookPk);
    deliveries?.delete(outgoing.pk);
    if (deliveries?.size === 0) this.#underWay.delete(outgoing.webhookPk);
    this.#underWayCount--;
    this.#agenda.add(outgoing.webhookPk);
    return true;
  }

  /** Reads the due times of webhooks whose company's world or time was changed. */
  #readAgain(): void {
    const { database } = this.#services;
    const companies = this.#unread === "all" ? [undefined] : this.#unread;
    for (const companyPk of companies) {
      for (const { webhookPk, dueAtMs } of firstDueOfEach(database, companyPk)) {
        this.#agenda.addLater(webhookPk, dueAtMs);
      }
    }
    this.#unread = new Set();
  }

  /** @returns false if ready webhooks are left for the next turn */
  #beginDue(): boolean {
    const nowMs = this.#clock.now();
    let room = mostPerTurn;
    for (const webhookPk of this.#agenda.readyAt(nowMs)) {
      if (this.#underWayCount >= mostUnderWay) break;
      if (room <= 0) return false;
      room -= 1 + this.#beginDueOf(webhookPk, nowMs);
      this.#agenda.takeOff(webhookPk);
    }
    return true;
  }

  /** @returns the number of attempts started */
  #beginDueOf(webhookPk: number, nowMs: number): number {
    const { database } = this.#services;
    const underWay = this.#underWay.get(webhookPk) ?? new Map<number, UnderWay>();
    const room = mostPerWebhook - underWay.size;
    // The end of any attempt makes the webhook ready again.
    if (room <= 0) return 0;
    const due = dueDeliveries(database, webhookPk, nowMs, [...underWay.keys()], room);
    for (const outgoing of due) this.#begin(outgoing, underWay);
    if (due.length < room) this.#agenda.addLater(webhookPk, nextDueAt(database, webhookPk, nowMs));
    return due.length;
  }

  /** While time is frozen nothing falls due; moving time calls `#stir`. */
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

  #begin(outgoing: Outgoing, deliveries: Map<number, UnderWay>): void {
    const abort = new AbortController();
    const generation = this.#services.generations.of(outgoing.companyPk);
    const underWay = { outgoing, generation, abort };
    deliveries.set(outgoing.pk, underWay);
    this.#underWay.set(outgoing.webhookPk, deliveries);
    this.#underWayCount++;
    this.#sendingCount++;
    this.#attempts(outgoing, abort.signal)
      .catch((defect): AttemptOutcome[] => {
        this.#tell(defect);
        return [{ status: null, error: "failed", durationMs: 0 }];
      })
      .then((outcomes) => {
        this.#sendingCount--;
        this.#ended.push({ underWay, outcomes, atMs: this.#clock.now() });
        this.#stir();
      });
  }

  /** One attempt, or two where it is to arrive twice. Faults strike the first of a round alone. */
  async #attempts(outgoing: Outgoing, abandoned: AbortSignal): Promise<AttemptOutcome[]> {
    const { id, url, body } = outgoing;
    const faults = outgoing.tries === 0 ? outgoing.faults : {};
    const message = { id, url, body, secrets: this.#secretsOf(outgoing), faults };
    const outcomes = [await attempt(this.#sending, message, abandoned)];
    if (faults.duplicate && !abandoned.aborted)
      outcomes.push(await attempt(this.#sending, message, abandoned));
    return outcomes;
  }

  /** The webhook's secret, and the earlier ones that have not expired. */
  #secretsOf({ companyId, secretNumber, previousSecrets, clockOffsetMs }: Outgoing): string[] {
    const previous = unexpiredSecrets(previousSecrets, companyNow(this.#clock, clockOffsetMs));
    const numbers = [secretNumber, ...previous.map(({ number }) => number)];
    return numbers.map((n) => webhookSecret(this.#services.random, companyId, n));
  }

  /** @param atMs - when the attempts finished, by the sandbox's clock */
  #conclude(outgoing: Outgoing, outcomes: readonly AttemptOutcome[], atMs: number): void {
    const { database } = this.#services;
    const nowMs = atMs + outgoing.clockOffsetMs;
    const delayMs = retryDelaysMs[outgoing.tries];
    database.transaction(() => {
      for (const outcome of outcomes) insertAttempt(database, outgoing, nowMs, outcome);
      releaseHeldBack(database, outgoing, nowMs);
      if (outcomes.some(({ error }) => error === null)) endRound(database, outgoing, "delivered");
      else if (outcomes.some(({ status }) => status === 410)) {
        endRound(database, outgoing, "failed");
        disableWebhook(database, outgoing.webhookPk);
      } else if (delayMs === undefined) endRound(database, outgoing, "failed");
      else postpone(database, outgoing, nowMs + delayMs);
      this.#deleteOldDeliveries(outgoing);
    });
  }

  #deleteOldDeliveries({ webhookPk }: Outgoing): void {
    const over = (this.#overSince.get(webhookPk) ?? 0) + 1;
    this.#overSince.set(webhookPk, over % forgetAfter);
    if (over === forgetAfter) deleteOldDeliveries(this.#services.database, webhookPk);
  }
}
