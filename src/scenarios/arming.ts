import type { OperationId } from "../contract/operations.ts";
import type { Overlay } from "../rules/overlay.ts";
import { uuidOf } from "../rules/random.ts";
import type { Services } from "../runtime/services.ts";
import {
  type ArmedRow,
  chosenStepsTaken,
  claimArmedStep,
  claimChosenStep,
  countArmed,
  deleteArmed,
  deleteArmedFromStart,
  findArmed,
  insertArmed,
  listArmed,
  restartArmed,
  type Waits,
} from "../store/armed-scenarios.ts";
import type { Caller } from "../store/callers.ts";
import { nextNumber } from "../store/meta.ts";
import type { Catalogue, ScenarioChanges } from "./catalogue.ts";
import { StepClaim, StepQueue } from "./claim.ts";
import type { Scenario } from "./scenario.ts";
import { overlayOf, type Step, stepFor, withShorterWaits, withWaits } from "./step.ts";
import { UnusedScenarios } from "./unused.ts";
import { WaitingRequests } from "./waiting.ts";

/** Arms a scenario for one API key, for one company or (null) for all; `times` null: until it is disarmed. */
export interface ArmRequest extends Waits {
  readonly scenario: Scenario;
  readonly companyPk: number | null;
  readonly operation: OperationId | null;
  readonly apiKeyPk: number | null;
  readonly times: number | null;
}

/** A request that claims a step. */
export interface ClaimRequest {
  readonly operation: OperationId;
  readonly caller: Caller;
  /** The scenario that an observer forces on the request: its first step, on any operation. */
  readonly forced?: Scenario | undefined;
  /** The scenario that the request chose itself. */
  readonly chosen: Scenario | undefined;
  /** Case-folded; empty if the request has none. */
  readonly idempotencyKey: () => string;
  /** The overlay of a request without a claim. */
  readonly world: Overlay;
}

interface Armed {
  readonly row: ArmedRow;
  readonly scenario: Scenario;
  readonly queue: StepQueue;
}

/** The armed scenarios, and the steps that requests claim of them. */
export class Scenarios {
  readonly catalogue: Catalogue;
  readonly waiting: WaitingRequests;
  readonly unused = new UnusedScenarios();
  readonly #services: Services;
  /** The name of the scenario that is armed for all when the sandbox starts. */
  readonly fromStart: string | undefined;
  readonly #steps = new WeakMap<Scenario, Map<OperationId, readonly (Step | undefined)[]>>();
  /** How often a scenario was armed or disarmed, by company; null: for all. */
  readonly #armings = new Map<number | null, number>();
  /** The armed scenarios, the most specific first, then the latest. Cached because every request needs them. */
  #armed: readonly Armed[] = [];
  /** The generation in which the cache was read; undefined: it is out of date. */
  #armedIn: number | undefined;
  /** The queues of scenarios that requests chose, while a step of them is reserved or given back. */
  readonly #chosen = new Map<string, StepQueue>();

  constructor(services: Services, catalogue: Catalogue, fromStart: string | undefined) {
    this.#services = services;
    this.catalogue = catalogue;
    this.fromStart = fromStart;
    catalogue.onReplaced((changes) => this.#restart(changes));
    this.waiting = new WaitingRequests(services.clock);
    services.generations.onEnd((ended) =>
      this.waiting.stopHolding(({ companyPk }) => ended === undefined || ended === companyPk),
    );
  }

  /** Claims the step that applies to a request; undefined if none does. */
  claimStep(request: ClaimRequest): StepClaim | undefined {
    const forced = request.forced && this.claimForced(request.forced, request);
    if (forced) return forced;
    if (request.chosen) return this.#claimChosen(request.chosen, request);
    for (const armed of this.#listArmed()) {
      const { row, scenario, queue } = armed;
      if (!appliesTo(armed, request)) continue;
      const index = stepAt(scenario, queue.position, row.times);
      if (index === "spent") continue;
      if (index === "passes") return undefined;
      const step = this.#stepsOf(scenario, request.operation)[index];
      if (!step) continue;
      return this.#claim(scenario, step, request, queue, row.pk, () => {
        claimArmedStep(this.#services.database, row.pk, !step.pass);
        if (!step.pass) this.unused.removeFired(row);
      });
    }
    return undefined;
  }

  /** Claims the first step of a scenario that an observer forces; undefined if it has no effect on the operation. */
  claimForced(
    scenario: Scenario,
    { operation, world, caller }: Pick<ClaimRequest, "operation" | "world"> & { readonly caller?: Caller },
  ): StepClaim | undefined {
    const [step] = this.#stepsOf(scenario, operation);
    if (!step || step.pass) return undefined;
    const delay = this.waiting.delayOf({ armedPk: forcedPk, companyPk: caller?.companyPk ?? 0 });
    const overlay = overlayOf(step, world, delay);
    return new StepClaim({ scenario: scenario.name, step, overlay, delay }, new StepQueue(0), () => {}, true);
  }

  /** Releases the requests that scenarios of an observer hold. */
  releaseForced(): void {
    this.waiting.release(forcedPk);
  }

  #claimChosen(scenario: Scenario, request: ClaimRequest): StepClaim | undefined {
    const { database, generations } = this.#services;
    const { companyPk } = request.caller;
    // If a single step repeats forever, there is nothing to count.
    const counts = scenario.steps.length > 1 || scenario.then !== undefined;
    const counter = [database, companyPk, scenario.name, request.idempotencyKey()] as const;
    const name = [companyPk, generations.of(companyPk), ...counter.slice(2)].join("/");
    const queue = this.#chosen.get(name) ?? new StepQueue(counts ? chosenStepsTaken(...counter) : 0);
    const index = stepAt(scenario, counts ? queue.position : 0, null);
    const step = typeof index === "number" ? this.#stepsOf(scenario, request.operation)[index] : undefined;
    if (!step) return undefined;
    if (counts) this.#remember(name, queue);
    return this.#claim(scenario, step, request, queue, undefined, () => {
      if (counts) claimChosenStep(...counter);
    });
  }

  /** Keeps a queue until no step of it is reserved or given back. */
  #remember(name: string, queue: StepQueue): void {
    for (const [other, each] of this.#chosen) {
      if (!each.isSettled) break;
      this.#chosen.delete(other);
    }
    this.#chosen.set(name, queue);
  }

  #claim(
    { name: scenario }: Scenario,
    step: Step,
    { world, caller: { companyPk } }: ClaimRequest,
    queue: StepQueue,
    armedPk: number | undefined,
    store: () => void,
  ): StepClaim {
    const delay = this.waiting.delayOf({ armedPk, companyPk });
    const overlay = overlayOf(step, world, delay);
    return new StepClaim({ scenario, step, overlay, delay }, queue, store);
  }

  #stepsOf(scenario: Scenario, operation: OperationId): readonly (Step | undefined)[] {
    const byOperation = this.#steps.get(scenario) ?? new Map<OperationId, readonly (Step | undefined)[]>();
    this.#steps.set(scenario, byOperation);
    const { shortenWait } = this.#services;
    const steps =
      byOperation.get(operation) ??
      scenario.steps.map((step) =>
        stepFor(shortenWait ? withShorterWaits(step, shortenWait) : step, operation),
      );
    byOperation.set(operation, steps);
    return steps;
  }

  #listArmed(): readonly Armed[] {
    const { database, generations } = this.#services;
    if (this.#armedIn === generations.stamp) return this.#armed;
    const queues = new Map(this.#armed.map(({ row, queue }) => [row.pk, queue]));
    this.#armed = listArmed(database)
      .toSorted((a, b) => specificity(b) - specificity(a) || b.pk - a.pk)
      .flatMap((row) => {
        const scenario = this.catalogue.find(row.scenario);
        const before = queues.get(row.pk);
        const queue = before?.used === row.stepsTaken ? before : new StepQueue(row.stepsTaken);
        return scenario ? [{ row, scenario: withWaits(scenario, row), queue }] : [];
      });
    this.#armedIn = generations.stamp;
    return this.#armed;
  }

  /**
   * Arms a scenario. If several match a request, the most specific one wins. If two match equally closely, the one armed
   * last wins.
   */
  arm({ scenario, ...request }: ArmRequest, fromStart: 0 | 1 = 0): ArmedRow {
    const { database, random, clock } = this.#services;
    this.#armedIn = undefined;
    this.#countArming(request.companyPk);
    const armed = database.transaction(() => {
      const n = nextNumber(database, 0, "armed_scenarios");
      const id = uuidOf(random.block("armed_scenario", "", n));
      insertArmed(database, {
        ...request,
        id,
        scenario: scenario.name,
        armedAtMs: clock.now(),
        fromStart,
      });
      const row = findArmed(database, id);
      if (!row) throw new Error("internal error: the armed scenario was not stored");
      return row;
    });
    this.unused.addArmed(armed);
    return armed;
  }

  /** Whether the scenario that is armed from the start is the one that this sandbox was started with. */
  get isArmedFromStart(): boolean {
    const fromStart = this.armed().filter((row) => row.fromStart === 1);
    return fromStart.map(({ scenario }) => scenario).join() === (this.fromStart ?? "");
  }

  /**
   * Arms the scenario that the sandbox was started with, for all, from its first step.
   * @throws SetupError if it is unknown
   */
  armFromStart(): void {
    this.#armedIn = undefined;
    const { database } = this.#services;
    deleteArmedFromStart(database);
    if (this.fromStart === undefined) return;
    const scenario = this.catalogue.required(this.fromStart);
    const everywhere = { companyPk: null, operation: null, apiKeyPk: null, times: null };
    this.arm({ scenario, ...everywhere, retry_after_s: null, latency_ms: null, hold_ms: null }, 1);
  }

  /** Armed scenarios stay armed when their files change, and begin again with their first steps. */
  #restart(changes: ScenarioChanges): void {
    const { database } = this.#services;
    this.#armedIn = undefined;
    database.transaction(() => {
      for (const { pk, scenario, companyPk } of listArmed(database)) {
        if (!changes.has(scenario)) continue;
        restartArmed(database, pk);
        this.#countArming(companyPk);
      }
    });
  }

  /** In the order in which they were armed. */
  armed(): ArmedRow[] {
    return listArmed(this.#services.database);
  }

  countArmed(): number {
    return countArmed(this.#services.database);
  }

  /**
   * How often a scenario that applies to a company was armed or disarmed. If the number changes between two requests,
   * the second may be processed differently from the first.
   */
  armingsOf(companyPk: number): number {
    return (this.#armings.get(null) ?? 0) + (this.#armings.get(companyPk) ?? 0);
  }

  #countArming(companyPk: number | null): void {
    this.#armings.set(companyPk, (this.#armings.get(companyPk) ?? 0) + 1);
  }

  /** Drops the cached numbers of used steps, because a rollback may have changed those in the store. */
  forgetUsedSteps(): void {
    this.#armedIn = undefined;
    this.#chosen.clear();
  }

  /** Whether an armed scenario has used up its `times`. */
  isSpent({ scenario, times, stepsTaken }: ArmedRow): boolean {
    const found = this.catalogue.find(scenario);
    return found !== undefined && stepAt(found, stepsTaken, times) === "spent";
  }

  armedById(id: string): ArmedRow | undefined {
    return findArmed(this.#services.database, id);
  }

  /** Disarms scenarios, and releases the requests that they hold. */
  disarm(rows: readonly ArmedRow[]): void {
    this.#armedIn = undefined;
    const disarmed = new Set(rows.map(({ pk }) => pk));
    for (const { companyPk } of rows) this.#countArming(companyPk);
    for (const pk of disarmed) deleteArmed(this.#services.database, pk);
    this.waiting.stopHolding(({ armedPk }) => armedPk !== undefined && disarmed.has(armedPk));
  }
}

/** Stands for an armed scenario in the waits of scenarios that an observer forces. No row has this number. */
const forcedPk = 0;

/** An API key is more specific than a company, and a company is more specific than all. */
function specificity({ apiKeyPk, companyPk }: ArmedRow): number {
  if (apiKeyPk !== null) return 2;
  return companyPk === null ? 0 : 1;
}

/** A scenario that is armed for an API key applies in each company that its member acts for. */
function appliesTo({ row, scenario }: Armed, { operation, caller }: ClaimRequest): boolean {
  const isOn = row.operation === null ? scenario.on.includes(operation) : row.operation === operation;
  if (row.apiKeyPk !== null) return isOn && row.apiKeyPk === caller.apiKeyPk;
  return isOn && (row.companyPk === null || row.companyPk === caller.companyPk);
}

/**
 * The index of the step at a position, counted from 0. With `times`, the steps repeat until all runs are spent. Without
 * it, the last step repeats, or with `then: pass` nothing is forced any more.
 */
function stepAt(
  { steps: { length }, then }: Scenario,
  position: number,
  times: number | null,
): number | "spent" | "passes" {
  if (times !== null) return position < times * length ? position % length : "spent";
  if (position < length) return position;
  return then === "pass" ? "passes" : length - 1;
}
