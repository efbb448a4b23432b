import type { OperationId } from "../contract/operations.ts";
import { contractPoints } from "../contract/points.ts";
import { quoted, SetupError } from "../rules/errors.ts";
import { nearest } from "../rules/nearest.ts";
import type { Scenario } from "./scenario.ts";
import { leavesOf, neverFiring, pointsOf } from "./step.ts";

/** A scenario that is not there, and what may have been meant. */
export interface UnknownScenario {
  /** Goes on with where they are listed. */
  readonly message: string;
}

/** The scenarios there are, in their order. */
export class Catalogue {
  readonly #read: () => readonly Scenario[];
  #scenarios: ReadonlyMap<string, Scenario> | undefined;
  /** By scenario and operation; each request that chooses a scenario asks. */
  readonly #misfits = new Map<string, string | undefined>();
  readonly #statuses = new Map<OperationId, ReadonlyMap<number, Scenario>>();

  /** @param read - called when a scenario is first needed: most starts need none */
  constructor(read: () => readonly Scenario[]) {
    this.#read = read;
  }

  get #known(): ReadonlyMap<string, Scenario> {
    this.#scenarios ??= new Map(this.#read().map((each) => [each.name, each]));
    return this.#scenarios;
  }

  get all(): readonly Scenario[] {
    return [...this.#known.values()];
  }

  find(name: string): Scenario | undefined {
    return this.#known.get(name);
  }

  /** A scenario, or what to tell whoever asked for one that is not there. */
  named(name: string): Scenario | UnknownScenario {
    const found = this.find(name);
    if (found) return found;
    const meant = nearest(name, [...this.#known.keys()]);
    const hint = meant === undefined ? "" : ` did you mean "${meant}"?`;
    return { message: `unknown scenario ${quoted(name)}:${hint}` };
  }

  /**
   * The scenario that the sandbox is to start with.
   * @throws SetupError where there is none of that name
   */
  required(name: string): Scenario {
    const scenario = this.named(name);
    if ("message" in scenario) {
      const all = scenario.message.endsWith("?") ? "" : ` there are ${[...this.#known.keys()].join(", ")}`;
      throw new SetupError(`${scenario.message}${all}`);
    }
    return scenario;
  }

  /**
   * The statuses to which scenarios can lead an operation, each with the scenario that `Prefer: code=…` chooses: one
   * whose first step leads there before one whose later step does, then one that is `on` the operation, then the
   * first in the catalogue's order.
   */
  statusesOf(operation: OperationId): ReadonlyMap<number, Scenario> {
    const known = this.#statuses.get(operation);
    if (known) return known;
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

  /** Why a scenario cannot strike an operation; undefined where it can. */
  misfit(scenario: Scenario, operation: OperationId): string | undefined {
    const asked = `${scenario.name} ${operation}`;
    if (!this.#misfits.has(asked)) this.#misfits.set(asked, misfitOf(scenario, operation));
    return this.#misfits.get(asked);
  }
}

function misfitOf({ name, on, steps }: Scenario, operation: OperationId): string | undefined {
  const fires = steps.some((step) => neverFiring(step, [operation]).length < [...leavesOf(step)].length);
  return fires ? undefined : `${name} can never fire on ${operation}: it is on ${on.join(", ")}`;
}
