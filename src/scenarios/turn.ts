import type { PointId } from "../contract/points.ts";
import type { Overlay } from "../core/facts.ts";
import { isSuccess } from "./effects.ts";
import type { ResponseFaults, Step } from "./step.ts";

const noFaults: ResponseFaults = {};

/**
 * One request's turn at a step of a scenario. It takes the step when the step strikes, and not where another
 * check refuses the request first or the answer is a replay. From the choice of the step to `strike` or
 * `settle` nothing may be awaited: that makes the taking atomic.
 */
export class Turn {
  readonly scenario: string;
  readonly step: Step;
  readonly overlay: Overlay;
  readonly #take: () => void;
  #struck = false;

  constructor(scenario: string, step: Step, overlay: Overlay, take: () => void) {
    this.scenario = scenario;
    this.step = step;
    this.overlay = overlay;
    this.#take = take;
  }

  /** The scenario, where it struck and forced something. */
  get forced(): string | undefined {
    return this.#struck && !this.step.pass ? this.scenario : undefined;
  }

  /** A fault strikes before anything is decided. */
  strike(): void {
    if (this.#struck) return;
    this.#struck = true;
    this.#take();
  }

  /**
   * The request is decided: takes the step where the step decided it.
   * @returns the faults that strike the answer
   */
  settle(point: PointId, body: unknown): ResponseFaults {
    const { step } = this;
    const decides = isSuccess(point)
      ? step.strikesSuccess && (!onlyHidesUsed(step) || showsUsed(body))
      : step.refusals.has(point);
    if (decides) this.strike();
    return decides || (this.#struck && isSuccess(point)) ? step.response : noFaults;
  }
}

/** Whether a success shows the step only where there is spending to be read. */
function onlyHidesUsed(step: Step): boolean {
  return step.facts.usedUnreadable === true && Object.keys(step.response).length === 0;
}

function showsUsed(body: unknown): boolean {
  return (body as { spending_limit?: unknown }).spending_limit != null;
}
