import { ConnectionLost } from "../core/errors.ts";
import type { Clock } from "../core/ports.ts";

interface Waiting {
  /** The armed scenario that holds it, by its number; undefined where none does. */
  readonly armedPk: number | undefined;
  readonly held: boolean;
  goOn(): void;
  fail(): void;
}

/** The requests that scenarios slow or hold, in real time. */
export class Waits {
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves after so many milliseconds. */
  wait(ms: number): Promise<void> {
    return this.#begin(ms, undefined, false);
  }

  /** Resolves when it is released, or after so many milliseconds. */
  hold(ms: number, armedPk: number | undefined): Promise<void> {
    return this.#begin(ms, armedPk, true);
  }

  #begin(ms: number, armedPk: number | undefined, held: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (then: () => void) => () => {
        cancel();
        this.#waiting.delete(waiting);
        then();
      };
      const waiting: Waiting = {
        armedPk,
        held,
        goOn: end(resolve),
        fail: end(() => reject(new ConnectionLost("reset"))),
      };
      const cancel = this.#clock.after(ms, waiting.goOn);
      this.#waiting.add(waiting);
    });
  }

  /** How many requests an armed scenario holds. */
  heldBy(armedPk: number): number {
    return [...this.#waiting].filter((each) => each.armedPk === armedPk).length;
  }

  /**
   * Lets go on what an armed scenario holds, or whatever is held at all.
   * @returns how many requests that were
   */
  release(armedPk?: number): number {
    const released = [...this.#waiting].filter(
      (each) => each.held && (armedPk === undefined || each.armedPk === armedPk),
    );
    for (const each of released) each.goOn();
    return released.length;
  }

  /** Lets everything go on that waits. */
  drain(): void {
    for (const each of this.#waiting) each.goOn();
  }

  /** Ends the connection of everything that waits: the sandbox closes. */
  abandon(): void {
    for (const each of this.#waiting) each.fail();
  }
}
