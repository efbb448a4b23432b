import type { PointId } from "../contract/points.ts";
import type { Overlay } from "../rules/facts.ts";
import { haveStruck } from "../webhooks/events.ts";
import { isSuccess } from "./effects.ts";
import type { Progress } from "./progress.ts";
import type { ResponseFaults, Step } from "./step.ts";
import type { Stay } from "./waits.ts";

const noFaults: ResponseFaults = {};

/**
 * One request's turn at a step of a scenario. The request takes the step where the step decides it, and not where
 * another check refuses it first or the answer is a replay. From the choice of the step to `reserve` or `settle`
 * nothing may be awaited: that makes the taking atomic.
 */
export class Turn {
  readonly scenario: string;
  readonly step: Step;
  readonly overlay: Overlay;
  readonly stay: Stay;
  readonly #progress: Progress;
  readonly #keep: () => void;
  /** The step as it was reserved, while nothing has decided yet. */
  #reserved: number | undefined;
  #struck = false;

  /** @param keep - counts the step as taken for good */
  constructor(
    { scenario, step, overlay, stay }: Pick<Turn, "scenario" | "step" | "overlay" | "stay">,
    progress: Progress,
    keep: () => void,
  ) {
    this.scenario = scenario;
    this.step = step;
    this.overlay = overlay;
    this.stay = stay;
    this.#progress = progress;
    this.#keep = keep;
  }

  /** The scenario, where it decided and forced something. */
  get forced(): string | undefined {
    return this.#struck && !this.step.pass ? this.scenario : undefined;
  }

  /** The request begins to wait: nobody else is to take the step meanwhile. */
  reserve(): void {
    if (!this.#struck) this.#reserved ??= this.#progress.take();
  }

  /** A fault strikes before anything is decided. */
  strike(): void {
    if (this.#struck) return;
    this.reserve();
    // Where it cannot be kept, it is not taken.
    this.#keep();
    this.#reserved = undefined;
    this.#struck = true;
    this.#progress.keep();
  }

  /**
   * The request is decided: takes the step where the step decided it, and else gives it back.
   * @returns the faults that strike the answer
   */
  settle(point: PointId, body: unknown): ResponseFaults {
    const { step } = this;
    const decides = isSuccess(point)
      ? step.strikesSuccess &&
        (!step.hidesUsedAlone || showsUsed(body)) &&
        (!step.breaksDeliveriesAlone || haveStruck(this.overlay.webhook))
      : step.refusals.has(point);
    if (decides) {
      this.strike();
      return step.response;
    }
    if (this.#reserved !== undefined) this.#progress.giveBack(this.#reserved);
    this.#reserved = undefined;
    return noFaults;
  }
}

/** Whether an answer has spending that could be hidden: of a card with a limit, or of whichever a list shows. */
function showsUsed(body: unknown): boolean {
  const { spending_limit, data } = body as { spending_limit?: unknown; data?: readonly unknown[] };
  return spending_limit != null || (data !== undefined && data.length > 0);
}
