import type { SandboxClock } from "../core/clock.ts";
import type { Services } from "../core/services.ts";
import { webhookSecret } from "../core/webhook-secret.ts";
import {
  disableWebhook,
  endRound,
  firstDue,
  forgetOlder,
  isAnyPending,
  keepAttempt,
  letHeldBackGo,
  nextDueAt,
  type Outgoing,
  postpone,
  type UnderWay,
} from "../store/webhook-outbox.ts";
import { type AttemptOutcome, attempt, type Sending } from "./attempt.ts";

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

/** How many attempts are under way to one webhook; a receiver that hangs holds up no other. */
const mostPerWebhook = 4;
/** After so many that are over, a webhook's older deliveries are forgotten: to look each time would cost more. */
const forgetAfter = 64;
/** A timer's longest wait; it then looks again. */
const longestWaitMs = hour;

/** Whoever watches; it decides nothing. */
export interface DeliveryWatch {
  /** Told of each attempt that was made, unless the sandbox itself ended it. */
  readonly onAttempt: (outgoing: Outgoing, outcome: AttemptOutcome) => void;
  /** Told of what the sandbox itself did wrong. */
  readonly onDefect: (defect: Error) => void;
}

interface Attempting {
  readonly outgoing: Outgoing;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Delivers what waits in the outbox, at least once and by the sandbox's clock, apart from the requests that put it
 * there: it fails none of them, and none waits for it.
 */
export class Deliverer {
  readonly #services: Services;
  readonly #clock: SandboxClock;
  readonly #sending: Sending;
  readonly #watch: DeliveryWatch;
  readonly #underWay = new Map<number, Attempting>();
  /** Those whose outcome could not be kept: to send them again and again would help nobody. */
  readonly #setAside = new Set<number>();
  /** How many of a webhook's deliveries are over since its older ones were forgotten. */
  readonly #overSince = new Map<number, number>();
  #cancelTimer: () => void = () => {};
  #cancelStir: (() => void) | undefined;
  #closed = false;

  constructor(services: Services, clock: SandboxClock, sending: Sending, watch: DeliveryWatch) {
    this.#services = services;
    this.#clock = clock;
    this.#sending = sending;
    this.#watch = watch;
    services.outbox.onPut(() => this.#stir());
    services.generations.onEnd((companyPk) => this.#drop(companyPk));
    // What was committed before a crash is still to be delivered.
    if (isAnyPending(services.database)) this.#stir();
  }

  /** Resolves when everything that is due by now was attempted. */
  async settled(): Promise<void> {
    this.#deliverDue();
    while (this.#underWay.size > 0) {
      await Promise.race([...this.#underWay.values()].map(({ ended }) => ended));
      // Receivers that answer at once would otherwise keep timers and requests waiting to the end.
      await new Promise<void>((resolve) => void this.#clock.after(0, resolve));
      this.#deliverDue();
    }
  }

  /** Ends what is under way; nothing is attempted any more. */
  close(): void {
    this.#closed = true;
    this.#cancelTimer();
    this.#cancelStir?.();
    for (const { abort } of this.#underWay.values()) abort.abort();
  }

  /** Looks at the outbox soon: once whoever stirred it is done. */
  #stir(): void {
    if (this.#closed) return;
    this.#cancelStir ??= this.#clock.after(0, () => {
      this.#cancelStir = undefined;
      this.#deliverDue();
    });
  }

  /** What is under way belongs to a world that is gone; the one that came may have something to deliver. */
  #drop(companyPk: number | undefined): void {
    for (const { outgoing, abort } of this.#underWay.values()) {
      if (companyPk === undefined || outgoing.companyPk === companyPk) abort.abort();
    }
    this.#setAside.clear();
    this.#overSince.clear();
    this.#stir();
  }

  #deliverDue(): void {
    if (this.#closed) return;
    try {
      for (;;) {
        const outgoing = firstDue(this.#services.database, this.#clock.now(), this.#known());
        if (!outgoing) break;
        this.#begin(outgoing);
      }
      this.#setTimer();
    } catch (error) {
      this.#tell(error as Error);
    }
  }

  /** Whoever is told decides nothing: one that throws ends no delivery. */
  #tell(defect: Error): void {
    try {
      this.#watch.onDefect(defect);
    } catch {
      // There is nobody else to tell.
    }
  }

  #known(): UnderWay {
    const attempts = new Map<number, number>();
    for (const { outgoing } of this.#underWay.values()) {
      attempts.set(outgoing.webhookPk, (attempts.get(outgoing.webhookPk) ?? 0) + 1);
    }
    return {
      deliveries: [...this.#underWay.keys(), ...this.#setAside],
      webhooks: [...attempts].flatMap(([pk, n]) => (n < mostPerWebhook ? [] : [pk])),
    };
  }

  /** Time that stands still brings nothing due, and time that jumps stirs. */
  #setTimer(): void {
    this.#cancelTimer();
    if (this.#clock.state.frozenAtMs !== null) return;
    const nowMs = this.#clock.now();
    const dueAtMs = nextDueAt(this.#services.database, nowMs);
    if (dueAtMs === undefined) return;
    const waitMs = Math.min(dueAtMs - nowMs, longestWaitMs);
    this.#cancelTimer = this.#clock.after(waitMs, () => this.#deliverDue(), true);
  }

  #begin(outgoing: Outgoing): void {
    const abort = new AbortController();
    const generation = this.#services.generations.of(outgoing.companyPk);
    const isOver = () => this.#closed || generation !== this.#services.generations.of(outgoing.companyPk);
    const ended = this.#attempts(outgoing, abort.signal)
      .then((outcomes) => {
        if (isOver()) return;
        this.#conclude(outgoing, outcomes);
        for (const outcome of outcomes) this.#watch.onAttempt(outgoing, outcome);
      })
      .catch((defect) => {
        this.#setAside.add(outgoing.pk);
        this.#tell(defect);
      })
      .then(() => {
        this.#underWay.delete(outgoing.pk);
        this.#stir();
      });
    this.#underWay.set(outgoing.pk, { outgoing, abort, ended });
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

  /** After a rotation the secret before signs as well, for a while. */
  #secretsOf({ companyId, secretNumber, previousSecretNumber, previousUntilMs, clockOffsetMs }: Outgoing) {
    const previousSigns = (previousUntilMs ?? 0) > this.#clock.now() + clockOffsetMs;
    const previous = previousSigns && previousSecretNumber !== null ? [previousSecretNumber] : [];
    return [secretNumber, ...previous].map((n) => webhookSecret(this.#services.random, companyId, n));
  }

  #conclude(outgoing: Outgoing, outcomes: readonly AttemptOutcome[]): void {
    const { database } = this.#services;
    const nowMs = this.#clock.now() + outgoing.clockOffsetMs;
    const delayMs = retryDelaysMs[outgoing.tries];
    database.transaction(() => {
      for (const outcome of outcomes) keepAttempt(database, outgoing, nowMs, outcome);
      letHeldBackGo(database, outgoing, nowMs);
      if (outcomes.some(({ error }) => error === null)) endRound(database, outgoing, "delivered");
      else if (outcomes.some(({ status }) => status === 410)) {
        endRound(database, outgoing, "failed");
        disableWebhook(database, outgoing.webhookPk);
      } else if (delayMs === undefined) endRound(database, outgoing, "failed");
      else postpone(database, outgoing, nowMs + delayMs);
      this.#forgetOlder(outgoing);
    });
  }

  #forgetOlder({ webhookPk }: Outgoing): void {
    const over = (this.#overSince.get(webhookPk) ?? 0) + 1;
    this.#overSince.set(webhookPk, over % forgetAfter);
    if (over === forgetAfter) forgetOlder(this.#services.database, webhookPk);
  }
}
