import type { Clock } from "../rules/clock.ts";

interface Timer {
  readonly ms: number;
  readonly dueMs: number;
  readonly work: () => void;
}

/** How much too early a timer may fire. */
const earlyMs = 5;

/** The clock of a sandbox that plays a tape: the tape moves it and fires its timers, until it runs by itself. */
export class PlayedClock implements Clock {
  readonly #startMs: number;
  #nowMs: number;
  #events = 0;
  #timers: Timer[] = [];
  #live: { readonly clock: Clock; readonly offsetMs: number } | undefined;

  /** @param startMs - real time when the recording began */
  constructor(startMs: number) {
    this.#startMs = startMs;
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#live ? this.#live.clock.now() + this.#live.offsetMs : this.#nowMs;
  }

  ticks(): number {
    if (this.#live) return this.#live.clock.ticks();
    // Later events are later, even within one millisecond.
    return this.#nowMs - this.#startMs + this.#events / 1000;
  }

  after(ms: number, work: () => void, inBackground?: boolean): () => void {
    if (this.#live) return this.#live.clock.after(ms, work, inBackground);
    const timer = { ms, dueMs: this.#nowMs + ms, work };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  /** Moves it to the next event. */
  advance(byMs: number): void {
    this.#nowMs += byMs;
    this.#events++;
  }

  /**
   * Fires the oldest timer that was set for `ms`. One that was set before the recording has another duration here: then
   * that which is due. For 0 it fires all of them: background work may need more or fewer turns than then, and its turns
   * must not take the place of others.
   * @returns whether there was one
   */
  fire(ms: number): boolean {
    const isSame = (each: Timer) => each.ms === ms;
    const same = this.#timers.filter(isSame);
    const due = this.#timers.filter(({ dueMs }) => dueMs <= this.#nowMs + earlyMs);
    const one = due.find(isSame) ?? due.sort((a, b) => a.dueMs - b.dueMs)[0] ?? same[0];
    const fired = ms === 0 && same.length > 0 ? same : one ? [one] : [];
    for (const timer of fired) {
      // An earlier one may have canceled it.
      if (!this.#timers.includes(timer)) continue;
      this.#timers = this.#timers.filter((each) => each !== timer);
      timer.work();
    }
    return fired.length > 0;
  }

  /** From now on it runs with real time. Pending timers start anew. */
  run(clock: Clock): void {
    this.#live = { clock, offsetMs: this.#nowMs - clock.now() };
    const timers = this.#timers;
    this.#timers = [];
    for (const { ms, work } of timers) clock.after(ms, work, true);
  }
}
