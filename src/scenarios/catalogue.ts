import type { OperationId } from "../contract/operations.ts";
import { contractPoints } from "../contract/points.ts";
import { quoted, SetupError } from "../rules/errors.ts";
import { nearest } from "../rules/nearest.ts";
import type { Scenario } from "./scenario.ts";
import { leavesOf, neverFiring, pointsOf } from "./step.ts";

/** A name that no scenario has. */
export interface UnknownScenario {
  /** Whole sentences, with a suggestion if a name is similar. The caller appends where the scenarios are listed. */
  readonly message: string;
}

/** The names of the scenarios that differ after a replacement. */
export type ScenarioChanges = ReadonlyMap<string, "added" | "changed" | "removed">;

/** All scenarios, in the order in which they are listed. */
export class Catalogue {
  readonly #read: () => readonly Scenario[];
  #own: readonly Scenario[];
  readonly #listeners: ((changes: ScenarioChanges) => void)[] = [];
  #scenarios: ReadonlyMap<string, Scenario> | undefined;
  /** Cached by scenario and operation, because each request that chooses a scenario needs it. */
  readonly #reasons = new Map<string, string | undefined>();
  readonly #statuses = new Map<OperationId, ReadonlyMap<number, Scenario>>();

  /**
   * @param read - called when a scenario is first needed; most starts need none
   * @param own - the scenarios of the user, after the others
   */
  constructor(read: () => readonly Scenario[], own: readonly Scenario[] = []) {
    this.#read = read;
    this.#own = own;
  }

  get #byName(): ReadonlyMap<string, Scenario> {
    this.#scenarios ??= new Map([...this.#read(), ...this.#own].map((each) => [each.name, each]));
    return this.#scenarios;
  }

  /** The scenarios of the user. */
  get own(): readonly Scenario[] {
    return this.#own;
  }

  /** Replaces the scenarios of the user, in a running sandbox. */
  replaceOwn(own: readonly Scenario[]): ScenarioChanges {
    const changes = changesBetween(this.#own, own);
    this.#own = own;
    this.#scenarios = undefined;
    this.#reasons.clear();
    this.#statuses.clear();
    for (const listener of this.#listeners) listener(changes);
    return changes;
  }

  onReplaced(listener: (changes: ScenarioChanges) => void): void {
    this.#listeners.push(listener);
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
    const hint = similar === undefined ? "" : ` Did you mean "${similar}"?`;
    return { message: `unknown scenario ${quoted(name)}.${hint}` };
  }

  /**
   * The scenario that the sandbox starts with.
   * @throws SetupError if no scenario has the name
   */
  required(name: string): Scenario {
    const scenario = this.named(name);
    if ("message" in scenario) {
      const all = scenario.message.endsWith("?") ? "" : ` Use one of ${[...this.#byName.keys()].join(", ")}.`;
      throw new SetupError(`scenario: ${scenario.message}${all}`);
    }
    return scenario;
  }

  /**
   * The statuses that scenarios can force on an operation, each with the scenario that `Prefer: code=…` chooses:
   * preferably one whose first step leads to the status, then one that lists the operation in `on`, then the first in
   * the order of the catalogue.
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

  /** Why a scenario can never fire on an operation, as an error message; undefined if it can. */
  whyNotOn(scenario: Scenario, operation: OperationId): string | undefined {
    const pair = `${scenario.name} ${operation}`;
    if (!this.#reasons.has(pair)) this.#reasons.set(pair, reasonAgainst(scenario, operation));
    return this.#reasons.get(pair);
  }
}

function changesBetween(before: readonly Scenario[], after: readonly Scenario[]): ScenarioChanges {
  const texts = (all: readonly Scenario[]) => new Map(all.map((each) => [each.name, JSON.stringify(each)]));
  const [old, own] = [texts(before), texts(after)];
  const removed = [...old.keys()].filter((name) => !own.has(name)).map((name) => [name, "removed"] as const);
  const others = [...own]
    .filter(([name, text]) => old.get(name) !== text)
    .map(([name]) => [name, old.has(name) ? "changed" : "added"] as const);
  return new Map([...others, ...removed]);
}

function reasonAgainst({ name, on, steps }: Scenario, operation: OperationId): string | undefined {
  const fires = steps.some((step) => neverFiring(step, [operation]).length < [...leavesOf(step)].length);
  return fires ? undefined : `${name} can never fire on ${operation}. It fires on ${on.join(", ")}.`;
}
