import type { Clock } from "../rules/clock.ts";
import { ConnectionLost } from "../rules/errors.ts";

/** Whose request waits: under which armed scenario, by its number, where it is one; and in which company. */
export interface Waiter {
  readonly armedPk: number | undefined;
  readonly companyPk: number;
}

/** One request's waiting, in real time. */
export interface Stay {
  /** Resolves after so many milliseconds. */
  wait(ms: number): Promise<void>;
  /** Resolves when it is released, or after so many milliseconds; at once where it was let go before. */
  hold(ms: number): Promise<void>;
}

interface Waiting {
  readonly waiter: Waiter;
  readonly held: boolean;
  /** It is not to be held any more. */
  letGo(): void;
  goOn(): void;
  fail(): void;
}

/** The requests that scenarios slow or hold. */
export class Waits {
  readonly #clock: Clock;
  readonly #waiting = new Set<Waiting>();
  #drained = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  stay(waiter: Waiter): Stay {
    let isLetGo = false;
    const begin = (ms: number, held: boolean) =>
      this.#drained || (held && isLetGo)
        ? Promise.resolve()
        : this.#begin(ms, {
            waiter,
            held,
            letGo: () => {
              isLetGo = true;
            },
          });
    return { wait: (ms) => begin(ms, false), hold: (ms) => begin(ms, true) };
  }

  #begin(ms: number, what: Pick<Waiting, "waiter" | "held" | "letGo">): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (then: () => void) => () => {
        cancel();
        this.#waiting.delete(waiting);
        then();
      };
      const goOn = end(resolve);
      const waiting = { ...what, goOn, fail: end(() => reject(new ConnectionLost("reset"))) };
      const cancel = this.#clock.after(ms, goOn);
      this.#waiting.add(waiting);
    });
  }

  /** How many requests an armed scenario holds. */
  heldBy(armedPk: number): number {
    return this.#of(({ waiter }) => waiter.armedPk === armedPk).filter(({ held }) => held).length;
  }

  /**
   * Lets the requests go on that an armed scenario holds by now.
   * @returns how many they were
   */
  release(armedPk: number): number {
    const held = this.#of((each) => each.held && each.waiter.armedPk === armedPk);
    for (const each of held) each.goOn();
    return held.length;
  }

  /** Holds no request any more that fits, be it held by now or only slowed yet. */
  letGo(fits: (waiter: Waiter) => boolean): void {
    for (const each of this.#of(({ waiter }) => fits(waiter))) {
      each.letGo();
      if (each.held) each.goOn();
    }
  }

  /** Lets everything go on that waits; nothing waits any more. */
  drain(): void {
    this.#drained = true;
    for (const each of this.#of(() => true)) each.goOn();
  }

  /** Ends the connection of everything that waits: the sandbox closes. */
  abandon(): void {
    this.#drained = true;
    for (const each of this.#of(() => true)) each.fail();
  }

  #of(fits: (waiting: Waiting) => boolean): Waiting[] {
    return [...this.#waiting].filter(fits);
  }
}
