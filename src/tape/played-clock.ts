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
   * that which is due. A turn of background work may have needed fewer timers than then.
   * @returns whether there was one
   */
  fire(ms: number): boolean {
    const due = this.#timers.filter(({ dueMs }) => dueMs <= this.#nowMs + earlyMs);
    const isSame = (each: Timer) => each.ms === ms;
    const timer = due.find(isSame) ?? due.sort((a, b) => a.dueMs - b.dueMs)[0] ?? this.#timers.find(isSame);
    this.#timers = this.#timers.filter((each) => each !== timer);
    timer?.work();
    return timer !== undefined;
  }

  /** From now on it runs with real time. Pending timers start anew. */
  run(clock: Clock): void {
    this.#live = { clock, offsetMs: this.#nowMs - clock.now() };
    const timers = this.#timers;
    this.#timers = [];
    for (const { ms, work } of timers) clock.after(ms, work, true);
  }
}
