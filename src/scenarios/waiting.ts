import type { Clock } from "../rules/clock.ts";
import { ConnectionLost } from "../rules/errors.ts";

/** The company of a request that waits, and the armed scenario that makes it wait; undefined if it chose the scenario itself. */
export interface Waiter {
  readonly armedPk: number | undefined;
  readonly companyPk: number;
}

/** Makes one request wait, in real time. */
export interface RequestDelay {
  /** Resolves after this many milliseconds. */
  wait(ms: number): Promise<void>;
  /** Resolves when the request is released, or after this many milliseconds; at once if it was released before. */
  hold(ms: number): Promise<void>;
  /**
   * Resolves when the client is gone, or after this many milliseconds; at once if the request was released before.
   * @param onGone - calls its listener when the client is gone
   */
  silence(ms: number, onGone: (listener: () => void) => void): Promise<void>;
}

/** A release, a disarmed scenario and a reset end a hold; the latter two also end a silence. */
type Kind = "delay" | "hold" | "silence";

interface Waiting {
  readonly waiter: Waiter;
  readonly kind: Kind;
  /** Later holds and silences of the request resolve at once. */
  preventHold(): void;
  resume(): void;
  fail(): void;
}

/** The requests that scenarios slow or hold. */
export class WaitingRequests {
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  delayOf(waiter: Waiter): RequestDelay {
    let mayHold = true;
    const preventHold = () => {
      mayHold = false;
    };
    const begin = (ms: number, kind: Kind, onGone?: (listener: () => void) => void) =>
      this.#isClosed || (kind !== "delay" && !mayHold)
        ? Promise.resolve()
        : this.#begin(ms, { waiter, kind, preventHold }, onGone);
    return {
      wait: (ms) => begin(ms, "delay"),
      hold: (ms) => begin(ms, "hold"),
      silence: (ms, onGone) => begin(ms, "silence", onGone),
    };
  }

  #begin(
    ms: number,
    request: Pick<Waiting, "waiter" | "kind" | "preventHold">,
    onGone?: (listener: () => void) => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (then: () => void) => () => {
        cancel();
        this.#waiting.delete(waiting);
        then();
      };
      const resume = end(resolve);
      const waiting = { ...request, resume, fail: end(() => reject(new ConnectionLost("reset"))) };
      const cancel = this.#clock.after(ms, resume);
      this.#waiting.add(waiting);
      onGone?.(resume);
    });
  }

  /** How many requests wait. */
  get count(): number {
    return this.#waiting.size;
  }

  #heldBy(armedPk: number): Waiting[] {
    return [...this.#waiting].filter(({ kind, waiter }) => kind === "hold" && waiter.armedPk === armedPk);
  }

  /** How many requests an armed scenario holds. */
  countHeldBy(armedPk: number): number {
    return this.#heldBy(armedPk).length;
  }

  /**
   * Releases the requests that an armed scenario holds.
   * @returns their number
   */
  release(armedPk: number): number {
    const held = this.#heldBy(armedPk);
    for (const each of held) each.resume();
    return held.length;
  }

  /** Releases these requests, and holds none of them later. Delays go on. */
  stopHolding(which: (waiter: Waiter) => boolean): void {
    for (const each of [...this.#waiting].filter(({ waiter }) => which(waiter))) {
      each.preventHold();
      if (each.kind !== "delay") each.resume();
    }
  }

  /** Ends all waits. From now on, no request waits. */
  endAll(): void {
    this.#isClosed = true;
    for (const each of [...this.#waiting]) each.resume();
  }

  /** Ends the connection of every waiting request. From now on, no request waits. */
  abortAll(): void {
    this.#isClosed = true;
    for (const each of [...this.#waiting]) each.fail();
  }
}
