import type { OperationId } from "../contract/operations.ts";
import type { Overlay } from "../core/facts.ts";
import type { Caller } from "../core/ports.ts";
import { uuidOf } from "../core/random.ts";
import type { Services } from "../core/services.ts";
import {
  type ArmedRow,
  chosenStepsTaken,
  deleteArmed,
  deleteArmedFromStart,
  findArmed,
  insertArmed,
  listArmed,
  takeArmedStep,
  takeChosenStep,
} from "../store/armed-scenarios.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Scenario } from "./scenario.ts";
import { overlayOf, type Step, stepOf } from "./step.ts";
import { Turn } from "./turn.ts";
import { Waits } from "./waits.ts";

/** Whom a scenario is armed for, and how often. */
export interface Arming {
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
  /** The scenarios that the request itself chose, the nearest first. */
  readonly chosen: readonly Scenario[];
  /** Case-folded; empty where the request has none. */
  readonly idempotencyKey: () => string;
  /** What it believes where nothing is forced. */
  readonly world: Overlay;
}

interface ArmedScenario {
  readonly row: ArmedRow;
  readonly scenario: Scenario;
  stepsTaken: number;
}

/** What is forced on requests, and how far it has come. */
export class Scenarios {
  readonly catalogue: Catalogue;
  readonly waits: Waits;
  readonly #services: Services;
  readonly #fromStart: string | undefined;
  readonly #steps = new WeakMap<Scenario, readonly Step[]>();
  /** What is armed, the nearest first, and the latest of these; kept in memory, since every request asks. */
  #armed: { readonly generation: number; readonly list: readonly ArmedScenario[] } | undefined;

  /**
   * @param fromStart - the scenario that is armed for all from the start
   */
  constructor(services: Services, catalogue: Catalogue, fromStart: string | undefined) {
    this.#services = services;
    this.catalogue = catalogue;
    this.#fromStart = fromStart;
    this.waits = new Waits(services.clock);
  }

  /** The step that a request meets; undefined where nothing is forced on it. */
  turnOf(request: TurnRequest): Turn | undefined {
    if (request.chosen.length > 0) {
      const chosen = request.chosen.find(({ on }) => on.includes(request.operation));
      if (chosen) return this.#chosenTurn(chosen, request);
    }
    for (const armed of this.#listArmed()) {
      if (!meets(armed, request)) continue;
      const step = stepAt(this.#stepsOf(armed.scenario), armed, armed.scenario.then);
      if (step === "spent") continue;
      if (step === undefined) return undefined;
      return this.#turn(armed.scenario, step, request, armed.row.pk, () => {
        takeArmedStep(this.#services.database, armed.row.pk, !step.pass);
        armed.stepsTaken++;
      });
    }
    return undefined;
  }

  #chosenTurn(scenario: Scenario, request: TurnRequest): Turn | undefined {
    const { caller, idempotencyKey } = request;
    const { database } = this.#services;
    const steps = this.#stepsOf(scenario);
    // Where one step repeats for ever there is nothing to count.
    const counts = steps.length > 1 || scenario.then !== undefined;
    const of = [database, caller.companyPk, scenario.name, idempotencyKey()] as const;
    const step = stepAt(steps, { stepsTaken: counts ? chosenStepsTaken(...of) : 0 }, scenario.then);
    if (step === undefined || step === "spent") return undefined;
    return this.#turn(scenario, step, request, undefined, () => {
      if (counts) takeChosenStep(...of);
    });
  }

  #turn(
    scenario: Scenario,
    step: Step,
    { world }: TurnRequest,
    armedPk: number | undefined,
    take: () => void,
  ): Turn {
    return new Turn(scenario.name, step, overlayOf(step, world, this.waits, armedPk), take);
  }

  #stepsOf(scenario: Scenario): readonly Step[] {
    const known = this.#steps.get(scenario);
    if (known) return known;
    const steps = scenario.steps.map(stepOf);
    this.#steps.set(scenario, steps);
    return steps;
  }

  #listArmed(): readonly ArmedScenario[] {
    const { database, generations } = this.#services;
    if (this.#armed?.generation !== generations.stamp) {
      const list = listArmed(database)
        .toSorted((a, b) => nearness(b) - nearness(a) || b.pk - a.pk)
        .flatMap((row) => {
          const scenario = this.catalogue.find(row.scenario);
          return scenario ? [{ row, scenario, stepsTaken: row.stepsTaken }] : [];
        });
      this.#armed = { generation: generations.stamp, list };
    }
    return this.#armed.list;
  }

  /** Arms a scenario. A request meets the nearest that fits it, and the latest of these. */
  arm({ scenario, companyPk, operation, apiKeyPk, times }: Arming, fromStart: 0 | 1 = 0): ArmedRow {
    const { database, store, random, clock } = this.#services;
    this.#armed = undefined;
    return database.transaction(() => {
      const n = store.nextNumber(0, "armed_scenarios");
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
  }

  /** Arms, for all, what the sandbox is started with, afresh. */
  armFromStart(): void {
    this.#armed = undefined;
    const { database } = this.#services;
    deleteArmedFromStart(database);
    const scenario = this.#fromStart === undefined ? undefined : this.catalogue.find(this.#fromStart);
    if (scenario) this.arm({ scenario, companyPk: null, operation: null, apiKeyPk: null, times: null }, 1);
  }

  /** What is armed, in the order in which it was. */
  armed(): ArmedRow[] {
    return listArmed(this.#services.database);
  }

  /** Whether all the runs that it was armed for are over. */
  isSpent({ scenario, times, stepsTaken }: ArmedRow): boolean {
    const steps = this.catalogue.find(scenario)?.steps.length ?? 1;
    return times !== null && stepsTaken >= times * steps;
  }

  armedById(id: string): ArmedRow | undefined {
    return findArmed(this.#services.database, id);
  }

  /** Disarms one, or all, and lets go on what it holds. */
  disarm(row?: ArmedRow): void {
    this.#armed = undefined;
    deleteArmed(this.#services.database, row?.pk);
    this.waits.release(row?.pk);
  }
}

/** For one key, for one company, for all. */
function nearness({ apiKeyPk, companyPk }: ArmedRow): number {
  if (apiKeyPk !== null) return 2;
  return companyPk === null ? 0 : 1;
}

function meets({ row, scenario }: ArmedScenario, { operation, caller }: TurnRequest): boolean {
  return (
    (row.operation === null ? scenario.on.includes(operation) : row.operation === operation) &&
    (row.companyPk === null || row.companyPk === caller.companyPk) &&
    (row.apiKeyPk === null || row.apiKeyPk === caller.apiKeyPk)
  );
}

/**
 * The step whose turn it is, after so many were taken. Without `times` the last step repeats, or passes for good
 * (undefined); with it the steps begin anew until all the runs are spent.
 */
function stepAt(
  steps: readonly Step[],
  armed: { readonly stepsTaken: number; readonly row?: Pick<ArmedRow, "times"> },
  then: "pass" | undefined,
): Step | "spent" | undefined {
  const { stepsTaken } = armed;
  const times = armed.row?.times ?? null;
  if (times !== null) {
    return stepsTaken < times * steps.length ? steps[stepsTaken % steps.length] : "spent";
  }
  return steps[stepsTaken] ?? (then === "pass" ? undefined : steps.at(-1));
}
