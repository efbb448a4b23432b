import type { ContractPointId } from "../contract/points.ts";
import type { Overlay } from "../rules/overlay.ts";
import type { ResponseFaults, Step } from "./step.ts";
import { isSuccess } from "./step.ts";
import type { RequestDelay } from "./waiting.ts";

const noFaults: ResponseFaults = {};

/**
 * One request's claim of a step of a scenario. The request uses the step if the step decides it, and not if another
 * check refuses it first or the response is a replay. Between `claimStep`, which chooses the step, and `reserve`, `fire`
 * or `settle` nothing may be awaited: that makes the claim atomic.
 */
export class StepClaim {
  readonly scenario: string;
  readonly step: Step;
  readonly overlay: Overlay;
  readonly delay: RequestDelay;
  /** Whether the response shows spending, or would if the step did not hide it. The route reports it. */
  showsSpending = false;
  readonly #queue: StepQueue;
  readonly #ofObserver: boolean;
  readonly #store: () => void;
  /** The position of the step, if it is reserved and nothing has decided the request yet. */
  #reserved: number | undefined;
  #fired = false;

  /**
   * @param store - stores that the step was used
   * @param ofObserver - an observer forces the step: its faults of the connection also affect a refusal
   */
  constructor(
    { scenario, step, overlay, delay }: Pick<StepClaim, "scenario" | "step" | "overlay" | "delay">,
    queue: StepQueue,
    store: () => void,
    ofObserver = false,
  ) {
    this.scenario = scenario;
    this.step = step;
    this.overlay = overlay;
    this.delay = delay;
    this.#ofObserver = ofObserver;
    this.#queue = queue;
    this.#store = store;
  }

  /** The name of the scenario, if it fired and forced something. */
  get firedScenario(): string | undefined {
    return this.#fired && !this.step.pass ? this.scenario : undefined;
  }

  /** Keeps the step from other requests while this one waits. */
  reserve(): void {
    if (!this.#fired) this.#reserved ??= this.#queue.take();
  }

  /** Uses the step. */
  fire(): void {
    if (this.#fired) return;
    this.reserve();
    // If this throws, the step is not used.
    this.#store();
    this.#reserved = undefined;
    this.#fired = true;
    this.#queue.use();
  }

  /**
   * Uses the step if it decided the request, and gives it back otherwise.
   * @param point - the contract point that decided the request
   * @returns the faults of the response
   */
  settle(point: ContractPointId): ResponseFaults {
    if (isSuccess(point) ? this.#changesSuccess() : this.step.refusals.has(point)) {
      this.fire();
      return this.step.response;
    }
    if (this.#ofObserver) {
      const { bad_gateway, ...ofConnection } = this.step.response;
      if (Object.keys(ofConnection).length > 0) {
        this.fire();
        return ofConnection;
      }
    }
    if (this.#reserved !== undefined) this.#queue.giveBack(this.#reserved);
    this.#reserved = undefined;
    return noFaults;
  }

  #changesSuccess(): boolean {
    const { refusals, onlyHidesSpending, onlyBreaksDeliveries } = this.step;
    if (refusals.size > 0) return false;
    if (onlyHidesSpending) return this.showsSpending;
    return !onlyBreaksDeliveries || this.overlay.webhook?.applied === true;
  }
}

/**
 * The steps of a scenario that requests have yet to use. A request that waits takes its step at once, so that no other
 * request gets it, and gives it back if something else decides the request.
 */
export class StepQueue {
  #used: number;
  #next: number;
  /** Steps that were given back, the earliest first. */
  readonly #returned: number[] = [];
  #taken = 0;

  /** @param used - how many steps were used before */
  constructor(used: number) {
    this.#used = used;
    this.#next = used;
  }

  get used(): number {
    return this.#used;
  }

  /** Whether no step is reserved or given back: the number of used steps then describes the queue completely. */
  get isSettled(): boolean {
    return this.#taken === 0 && this.#returned.length === 0;
  }

  /** The position of the next step, counted from 0. */
  get position(): number {
    return this.#returned[0] ?? this.#next;
  }

  /** Takes the next step. */
  take(): number {
    this.#taken++;
    return this.#returned.shift() ?? this.#next++;
  }

  use(): void {
    this.#taken--;
    this.#used++;
  }

  giveBack(position: number): void {
    this.#taken--;
    this.#returned.push(position);
    this.#returned.sort((a, b) => a - b);
  }
}
