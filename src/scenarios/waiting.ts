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
}

interface Waiting {
  readonly waiter: Waiter;
  readonly isHeld: boolean;
  /** Later holds of the request resolve at once. */
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
    const begin = (ms: number, isHeld: boolean) =>
      this.#isClosed || (isHeld && !mayHold)
        ? Promise.resolve()
        : this.#begin(ms, { waiter, isHeld, preventHold });
    return { wait: (ms) => begin(ms, false), hold: (ms) => begin(ms, true) };
  }

  #begin(ms: number, request: Pick<Waiting, "waiter" | "isHeld" | "preventHold">): Promise<void> {
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
    });
  }

  #heldBy(armedPk: number): Waiting[] {
    return [...this.#waiting].filter(({ isHeld, waiter }) => isHeld && waiter.armedPk === armedPk);
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

  /** Releases these requests, and holds none of them later. */
  stopHolding(which: (waiter: Waiter) => boolean): void {
    for (const each of [...this.#waiting].filter(({ waiter }) => which(waiter))) {
      each.preventHold();
      if (each.isHeld) each.resume();
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
