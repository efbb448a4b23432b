/**
 * How far requests have come through a scenario's steps. A request that waits takes its step at once, so that no
 * other gets it, and gives it back where something else then decides the request.
 */
export class Progress {
  /** How many steps were taken for good. */
  #kept: number;
  #next: number;
  /** Steps that were given back, the earliest first. */
  readonly #returned: number[] = [];
  #pending = 0;

  /** @param kept - how many steps were taken before */
  constructor(kept: number) {
    this.#kept = kept;
    this.#next = kept;
  }

  get kept(): number {
    return this.#kept;
  }

  /** Whether the number of steps kept says it all. */
  get isPlain(): boolean {
    return this.#pending === 0 && this.#returned.length === 0;
  }

  /** The step whose turn it is, counted from 0. */
  get position(): number {
    return this.#returned[0] ?? this.#next;
  }

  /** Takes the step whose turn it is. */
  take(): number {
    this.#pending++;
    return this.#returned.shift() ?? this.#next++;
  }

  keep(): void {
    this.#pending--;
    this.#kept++;
  }

  giveBack(position: number): void {
    this.#pending--;
    this.#returned.push(position);
    this.#returned.sort((a, b) => a - b);
  }
}
