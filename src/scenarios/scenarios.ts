import type { OperationId } from "../contract/operations.ts";
import type { Overlay } from "../rules/facts.ts";
import { uuidOf } from "../rules/random.ts";
import type { Services } from "../runtime/services.ts";
import {
  type ArmedRow,
  chosenStepsTaken,
  countArmed,
  deleteArmed,
  deleteArmedFromStart,
  findArmed,
  insertArmed,
  listArmed,
  takeArmedStep,
  takeChosenStep,
} from "../store/armed-scenarios.ts";
import type { Caller } from "../store/callers.ts";
import { nextNumber } from "../store/meta.ts";
import { Armings } from "./armings.ts";
import type { Catalogue } from "./catalogue.ts";
import { Progress } from "./progress.ts";
import type { Scenario } from "./scenario.ts";
import { overlayOf, type Step, stepFor } from "./step.ts";
import { Turn } from "./turn.ts";
import { Unfired } from "./unfired.ts";
import { Waits } from "./waits.ts";

/** Whom a scenario is armed for, and how often. */
export interface ArmRequest {
  readonly scenario: Scenario;
  readonly companyPk: number | null;
  readonly operation: OperationId | null;
  readonly apiKeyPk: number | null;
  readonly times: number | null;
}

/** The request whose turn it is. */
export interface TurnRequest {
  readonly operation: OperationId;
  readonly caller: Caller;
  /** The scenario that the request chose itself. */
  readonly chosen: Scenario | undefined;
  /** Case-folded; empty where the request has none. */
  readonly idempotencyKey: () => string;
  /** What it believes where nothing is forced. */
  readonly world: Overlay;
}

interface Armed {
  readonly row: ArmedRow;
  readonly scenario: Scenario;
  readonly progress: Progress;
}

/** What is forced on requests, and how far it has come. */
export class Scenarios {
  readonly catalogue: Catalogue;
  readonly waits: Waits;
  readonly unfired = new Unfired();
  readonly armings = new Armings();
  readonly #services: Services;
  readonly #fromStart: string | undefined;
  readonly #steps = new WeakMap<Scenario, Map<OperationId, readonly (Step | undefined)[]>>();
  /** What is armed, the nearest first, and the latest of these; kept in memory, since every request asks. */
  #armed: readonly Armed[] = [];
  /** The generation in which that was read; undefined: it is to be read again. */
  #armedIn: number | undefined;
  /** How far requests have come in scenarios that they chose, where the store's count does not say it all. */
  readonly #chosen = new Map<string, Progress>();

  /**
   * @param fromStart - the scenario that is armed for all from the start
   */
  constructor(services: Services, catalogue: Catalogue, fromStart: string | undefined) {
    this.#services = services;
    this.catalogue = catalogue;
    this.#fromStart = fromStart;
    this.waits = new Waits(services.clock);
    services.generations.onEnd((ended) =>
      this.waits.letGo(({ companyPk }) => ended === undefined || ended === companyPk),
    );
  }

  /** The step that a request meets; undefined where nothing is forced on it. */
  turnOf(request: TurnRequest): Turn | undefined {
    if (request.chosen) return this.#chosenTurn(request.chosen, request);
    for (const armed of this.#listArmed()) {
      const { row, scenario, progress } = armed;
      if (!meets(armed, request)) continue;
      const index = stepAt(scenario, progress.position, row.times);
      if (index === "spent") continue;
      if (index === "passes") return undefined;
      const step = this.#stepsOf(scenario, request.operation)[index];
      if (!step) continue;
      return this.#turn(scenario, step, request, progress, row.pk, () => {
        takeArmedStep(this.#services.database, row.pk, !step.pass);
        if (!step.pass) this.unfired.fired(row);
      });
    }
    return undefined;
  }

  #chosenTurn(scenario: Scenario, request: TurnRequest): Turn | undefined {
    const { database, generations } = this.#services;
    const { companyPk } = request.caller;
    // Where one step repeats for ever there is nothing to count.
    const counts = scenario.steps.length > 1 || scenario.then !== undefined;
    const of = [database, companyPk, scenario.name, request.idempotencyKey()] as const;
    const name = [companyPk, generations.of(companyPk), ...of.slice(2)].join("/");
    const progress = this.#chosen.get(name) ?? new Progress(counts ? chosenStepsTaken(...of) : 0);
    const index = stepAt(scenario, counts ? progress.position : 0, null);
    const step = typeof index === "number" ? this.#stepsOf(scenario, request.operation)[index] : undefined;
    if (!step) return undefined;
    if (counts) this.#remember(name, progress);
    return this.#turn(scenario, step, request, progress, undefined, () => {
      if (counts) takeChosenStep(...of);
    });
  }

  /** Keeps a progress as long as a request is under way in it, or has given a step back. */
  #remember(name: string, progress: Progress): void {
    for (const [known, each] of this.#chosen) {
      if (!each.isPlain) break;
      this.#chosen.delete(known);
    }
    this.#chosen.set(name, progress);
  }

  #turn(
    scenario: Scenario,
    step: Step,
    { world, caller: { companyPk } }: TurnRequest,
    progress: Progress,
    armedPk: number | undefined,
    keep: () => void,
  ): Turn {
    const stay = this.waits.stay({ armedPk, companyPk });
    const overlay = overlayOf(step, world, stay);
    return new Turn({ scenario: scenario.name, step, overlay, stay }, progress, keep);
  }

  #stepsOf(scenario: Scenario, operation: OperationId): readonly (Step | undefined)[] {
    const byOperation = this.#steps.get(scenario) ?? new Map<OperationId, readonly (Step | undefined)[]>();
    this.#steps.set(scenario, byOperation);
    const steps = byOperation.get(operation) ?? scenario.steps.map((step) => stepFor(step, operation));
    byOperation.set(operation, steps);
    return steps;
  }

  #listArmed(): readonly Armed[] {
    const { database, generations } = this.#services;
    if (this.#armedIn === generations.stamp) return this.#armed;
    const known = new Map(this.#armed.map(({ row, progress }) => [row.pk, progress]));
    this.#armed = listArmed(database)
      .toSorted((a, b) => nearness(b) - nearness(a) || b.pk - a.pk)
      .flatMap((row) => {
        const scenario = this.catalogue.find(row.scenario);
        const before = known.get(row.pk);
        const progress = before?.kept === row.stepsTaken ? before : new Progress(row.stepsTaken);
        return scenario ? [{ row, scenario, progress }] : [];
      });
    this.#armedIn = generations.stamp;
    return this.#armed;
  }

  /** Arms a scenario. A request meets the nearest that fits it, and the latest of these. */
  arm({ scenario, companyPk, operation, apiKeyPk, times }: ArmRequest, fromStart: 0 | 1 = 0): ArmedRow {
    const { database, random, clock } = this.#services;
    this.#armedIn = undefined;
    this.armings.count(companyPk);
    const armed = database.transaction(() => {
      const n = nextNumber(database, 0, "armed_scenarios");
      const id = uuidOf(random.block("armed_scenario", "", n));
      insertArmed(database, {
        id,
        scenario: scenario.name,
        companyPk,
        operation,
        apiKeyPk,
        times,
        armedAtMs: clock.now(),
        fromStart,
      });
      const row = findArmed(database, id);
      if (!row) throw new Error("what was just armed is not there");
      return row;
    });
    this.unfired.armed(armed);
    return armed;
  }

  /** Whether what is armed from the start is what the sandbox was started with. */
  get isArmedFromStart(): boolean {
    const fromStart = this.armed().filter((row) => row.fromStart === 1);
    return fromStart.map(({ scenario }) => scenario).join() === (this.#fromStart ?? "");
  }

  /**
   * Arms, for all, what the sandbox is started with, afresh.
   * @throws SetupError where it is unknown
   */
  armFromStart(): void {
    this.#armedIn = undefined;
    const { database } = this.#services;
    deleteArmedFromStart(database);
    if (this.#fromStart === undefined) return;
    const scenario = this.catalogue.required(this.#fromStart);
    this.arm({ scenario, companyPk: null, operation: null, apiKeyPk: null, times: null }, 1);
  }

  /** What is armed, in the order in which it was. */
  armed(): ArmedRow[] {
    return listArmed(this.#services.database);
  }

  countArmed(): number {
    return countArmed(this.#services.database);
  }

  /** Goes by what the store counts: steps that were taken since may not have been kept. */
  countAgain(): void {
    this.#armedIn = undefined;
    this.#chosen.clear();
  }

  /** Whether all the runs that it was armed for are over. */
  isSpent({ scenario, times, stepsTaken }: ArmedRow): boolean {
    const known = this.catalogue.find(scenario);
    return known !== undefined && stepAt(known, stepsTaken, times) === "spent";
  }

  armedById(id: string): ArmedRow | undefined {
    return findArmed(this.#services.database, id);
  }

  /** Disarms, and lets go on what was held by it. */
  disarm(rows: readonly ArmedRow[]): void {
    this.#armedIn = undefined;
    const disarmed = new Set(rows.map(({ pk }) => pk));
    for (const { companyPk } of rows) this.armings.count(companyPk);
    for (const pk of disarmed) deleteArmed(this.#services.database, pk);
    this.waits.letGo(({ armedPk }) => armedPk !== undefined && disarmed.has(armedPk));
  }
}

/** For one key, for one company, for all. */
function nearness({ apiKeyPk, companyPk }: ArmedRow): number {
  if (apiKeyPk !== null) return 2;
  return companyPk === null ? 0 : 1;
}

/** A key is followed into each company that its member acts for. */
function meets({ row, scenario }: Armed, { operation, caller }: TurnRequest): boolean {
  const isOn = row.operation === null ? scenario.on.includes(operation) : row.operation === operation;
  if (row.apiKeyPk !== null) return isOn && row.apiKeyPk === caller.apiKeyPk;
  return isOn && (row.companyPk === null || row.companyPk === caller.companyPk);
}

/**
 * Which step is at a position, counted from 0. With `times` the steps begin anew until all their runs are spent;
 * without it the last step repeats, or nothing is forced any more.
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
