import type { OperationId } from "../contract/operations.ts";
import { contractPoints } from "../contract/points.ts";
import { quoted, SetupError } from "../rules/errors.ts";
import { nearest } from "../rules/nearest.ts";
import type { Scenario } from "./scenario.ts";
import { leavesOf, neverFiring, pointsOf } from "./step.ts";

/** A name that no scenario has. */
export interface UnknownScenario {
  /** Suggests a similar name. The caller appends where the scenarios are listed. */
  readonly message: string;
}

/** All scenarios, in the order in which they are listed. */
export class Catalogue {
  readonly #read: () => readonly Scenario[];
  #scenarios: ReadonlyMap<string, Scenario> | undefined;
  /** Cached by scenario and operation, because each request that chooses a scenario needs it. */
  readonly #misfits = new Map<string, string | undefined>();
  readonly #statuses = new Map<OperationId, ReadonlyMap<number, Scenario>>();

  /** @param read - called when a scenario is first needed; most starts need none */
  constructor(read: () => readonly Scenario[]) {
    this.#read = read;
  }

  get #byName(): ReadonlyMap<string, Scenario> {
    this.#scenarios ??= new Map(this.#read().map((each) => [each.name, each]));
    return this.#scenarios;
  }

  get all(): readonly Scenario[] {
    return [...this.#byName.values()];
  }

  find(name: string): Scenario | undefined {
    return this.#byName.get(name);
  }

  /** The scenario of this name, or an error message. */
  named(name: string): Scenario | UnknownScenario {
    const found = this.find(name);
    if (found) return found;
    const similar = nearest(name, [...this.#byName.keys()]);
    const hint = similar === undefined ? "" : ` did you mean "${similar}"?`;
    return { message: `unknown scenario ${quoted(name)}:${hint}` };
  }

  /**
   * The scenario that the sandbox starts with.
   * @throws SetupError if no scenario has the name
   */
  required(name: string): Scenario {
    const scenario = this.named(name);
    if ("message" in scenario) {
      const all = scenario.message.endsWith("?") ? "" : ` there are ${[...this.#byName.keys()].join(", ")}`;
      throw new SetupError(`${scenario.message}${all}`);
    }
    return scenario;
  }

  /**
   * The statuses to which scenarios can lead an operation, each with the scenario that `Prefer: code=…` chooses. A
   * scenario whose first step leads there comes before others, then one that is `on` the operation, then the order of
   * the catalogue decides.
   */
  statusesOf(operation: OperationId): ReadonlyMap<number, Scenario> {
    const cached = this.#statuses.get(operation);
    if (cached) return cached;
    const candidates = this.all.flatMap((scenario) =>
      scenario.steps.flatMap((step, index) =>
        pointsOf(step, [operation]).map((point) => ({
          scenario,
          status: contractPoints[point].status,
          rank: (index === 0 ? 0 : 2) + (scenario.on.includes(operation) ? 0 : 1),
        })),
      ),
    );
    const statuses = new Map<number, Scenario>();
    for (const { status, scenario } of candidates.toSorted((a, b) => a.rank - b.rank)) {
      if (!statuses.has(status)) statuses.set(status, scenario);
    }
    this.#statuses.set(operation, statuses);
    return statuses;
  }

  /** Why a scenario cannot strike an operation; undefined if it can. */
  misfit(scenario: Scenario, operation: OperationId): string | undefined {
    const pair = `${scenario.name} ${operation}`;
    if (!this.#misfits.has(pair)) this.#misfits.set(pair, misfitOf(scenario, operation));
    return this.#misfits.get(pair);
  }
}

function misfitOf({ name, on, steps }: Scenario, operation: OperationId): string | undefined {
  const fires = steps.some((step) => neverFiring(step, [operation]).length < [...leavesOf(step)].length);
  return fires ? undefined : `${name} can never fire on ${operation}: it is on ${on.join(", ")}`;
}
