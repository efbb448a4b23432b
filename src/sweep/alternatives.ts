import { type Alternative, type BehaviourId, behaviourIds, behaviours } from "../contract/behaviours.ts";
import { alternativeOf, conflictIn, contractUnder, type Dialect, merged } from "../contract/dialect.ts";
import { SetupError } from "../rules/errors.ts";
import { globTest } from "../rules/glob.ts";
import { nearest } from "../rules/nearest.ts";

/** An alternative before the client runs under it. */
export interface PlannedAlternative {
  /** `BEHAVIOR=ALTERNATIVE`, such as `replay.status=200`. */
  readonly id: string;
  readonly behaviour: BehaviourId;
  readonly alternative: Alternative;
  /** The whole dialect, in which this alternative is the only change. */
  readonly dialect: Dialect;
}

interface Plan {
  readonly planned: readonly PlannedAlternative[];
  readonly conflicting: readonly { readonly id: string; readonly reason: string }[];
}

/** All alternatives that the dialect does not select, each switched alone. */
export function planAlternatives(base: Dialect): Plan {
  const planned: PlannedAlternative[] = [];
  const conflicting: { id: string; reason: string }[] = [];
  for (const behaviour of behaviourIds) {
    for (const alternative of behaviours[behaviour].alternatives) {
      if (alternative.id === selectedIn(base, behaviour).id) continue;
      const id = `${behaviour}=${alternative.id}`;
      const dialect = merged(base, { [behaviour]: { use: alternative.id } } as Dialect);
      const reason = conflictIn(dialect);
      if (reason === undefined) planned.push({ id, behaviour, alternative, dialect });
      else conflicting.push({ id, reason });
    }
  }
  return { planned, conflicting };
}

/** The alternative of a behavior that a dialect has in effect. */
export function selectedIn(dialect: Dialect, behaviour: BehaviourId): Alternative {
  return alternativeOf(behaviour, contractUnder(dialect).choices[behaviour]);
}

/**
 * The alternatives that match one of the patterns: a behavior, `BEHAVIOR=ALTERNATIVE`, or either with `*` for any text.
 * @throws SetupError if a pattern matches none
 */
export function selectAlternatives(
  { planned, conflicting }: Plan,
  only: readonly string[],
): PlannedAlternative[] {
  const matchers = only.map((pattern) => {
    const matches = matcherOf(pattern);
    if (!planned.some(matches)) {
      const meant = nearest(pattern.split("=")[0] ?? "", behaviourIds);
      throw unknown("only", pattern, "matches no alternative", conflicting, meant);
    }
    return matches;
  });
  return planned.filter((each) => matchers.length === 0 || matchers.some((matches) => matches(each)));
}

/** @throws SetupError if there is no such alternative */
export function requireAlternative({ planned, conflicting }: Plan, id: string): PlannedAlternative {
  const found = planned.find((each) => each.id === id);
  if (!found) {
    const problem = "is no alternative that the dialect does not select already";
    const ids = planned.map((each) => each.id);
    throw unknown("cell", id, problem, conflicting, nearest(id, ids));
  }
  return found;
}

function matcherOf(pattern: string): (planned: PlannedAlternative) => boolean {
  const matches = globTest([pattern]);
  return ({ id, behaviour }) => matches(id) || matches(behaviour);
}

function unknown(
  option: string,
  name: string,
  problem: string,
  conflicting: Plan["conflicting"],
  meant: string | undefined,
): SetupError {
  const conflict = conflicting.find(({ id }) => id === name);
  if (conflict) return new SetupError(`${option}: "${name}" cannot be switched alone: ${conflict.reason}.`);
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  return new SetupError(`${option}: "${name}" ${problem}.${hint} List the alternatives with --list.`);
}
