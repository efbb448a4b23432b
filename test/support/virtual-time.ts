interface MovedClock {
  advance(ms: number): void;
  readonly waits: readonly number[];
  endWaits(): void;
}

interface Sleeper {
  readonly dueMs: number;
  wake(): void;
}

/** As long as the longest hold of the shipped scenarios. A silent response ends as early. */
const longestHoldMs = 10_000;
const idleTurns = 4;

/**
 * Time that advances only while all clients wait: they wake one after the other, and the clock of the sandbox moves with
 * them. No client waits for real time.
 */
export class VirtualTime {
  readonly #clock: MovedClock;
  #nowMs = 0;
  #sleepers: Sleeper[] = [];
  /** Changes whenever a client does something. */
  #activity = 0;
  #inProgress = 0;

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

  /** Does work such as a request, during which time stands still unless a scenario delays the request. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    this.#activity++;
    this.#inProgress++;
    try {
      return await work;
    } finally {
      this.#inProgress--;
      this.#activity++;
    }
  }

  /** Advances time until the work is done. */
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
        turn < (this.#inProgress > 0 ? 3 : 1) * idleTurns && before === this.#activity;
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
