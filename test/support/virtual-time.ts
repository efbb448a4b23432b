/** What a test's clock has to do with it. */
interface MovedClock {
  advance(ms: number): void;
  readonly waits: readonly number[];
  endWaits(): void;
}

interface Sleeper {
  readonly dueMs: number;
  wake(): void;
}

/** Longer than anything holds a request in the scenarios that are shipped. */
const longestHoldMs = 10_000;
const idleTurns = 4;

/**
 * Time that passes whenever everybody waits: whoever sleeps is woken in turn, and the sandbox's clock is moved so far.
 * Nobody waits for real time.
 */
export class VirtualTime {
  readonly #clock: MovedClock;
  #nowMs = 0;
  #sleepers: Sleeper[] = [];
  /** Changes whenever somebody does something. */
  #activity = 0;
  #underWay = 0;

  constructor(clock: MovedClock) {
    this.#clock = clock;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  sleep(ms: number): { readonly over: Promise<void>; readonly cancel: () => void } {
    this.#activity++;
    let cancel = () => {};
    const over = new Promise<void>((wake) => {
      const sleeper = { dueMs: this.#nowMs + Math.ceil(ms), wake };
      this.#sleepers.push(sleeper);
      cancel = () => {
        this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
      };
    });
    return { over, cancel };
  }

  /** Work that is not sleeping, such as a request: time stands still meanwhile, unless somebody holds it. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    this.#activity++;
    this.#underWay++;
    try {
      return await work;
    } finally {
      this.#underWay--;
      this.#activity++;
    }
  }

  /** Lets time pass until all the work is done. */
  async run(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => {});
    let heldUntilMs: number | undefined;
    while (!isDone) {
      const before = this.#activity;
      for (
        let turn = 0;
        turn < (this.#underWay > 0 ? 3 : 1) * idleTurns && before === this.#activity;
        turn++
      ) {
        await new Promise(setImmediate);
      }
      if (before !== this.#activity || isDone) continue;
      const next = this.#sleepers.toSorted((a, b) => a.dueMs - b.dueMs)[0];
      const isHeld = this.#clock.waits.length > 0;
      heldUntilMs = isHeld ? (heldUntilMs ?? this.#nowMs + longestHoldMs) : undefined;
      if (heldUntilMs !== undefined && (!next || next.dueMs > heldUntilMs)) {
        this.#moveTo(heldUntilMs);
        heldUntilMs = undefined;
        this.#clock.endWaits();
        this.#activity++;
      } else if (next) {
        this.#moveTo(next.dueMs);
        this.#sleepers = this.#sleepers.filter((each) => each !== next);
        next.wake();
      }
    }
    await done;
  }

  #moveTo(ms: number): void {
    this.#clock.advance(ms - this.#nowMs);
    this.#nowMs = ms;
  }
}
