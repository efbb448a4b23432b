import { type Alternative, type BehaviourId, behaviourIds, behaviours, type Choices } from "./behaviours.ts";
import type { Decision } from "./decision.ts";
import { decisionsOf } from "./decisions.ts";
import { type OperationId, operationIds } from "./operations.ts";
import { type ContractPoint, type ContractPointId, contractPoints, type Provenance } from "./points.ts";
import type { Dialect } from "./selections.ts";

export type { Dialect, Selection } from "./selections.ts";

/** The contract under one dialect: all that a caller can observe. */
export interface Contract {
  readonly dialect: Dialect;
  readonly choices: Choices;
  readonly points: Readonly<Record<ContractPointId, ContractPoint>>;
  /** The contract points that no request can meet. */
  readonly unreachable: ReadonlySet<ContractPointId>;
  /** The rows of the decisions table. */
  readonly rows: Readonly<Record<OperationId, readonly Decision[]>>;
}

/** The alternative of a behavior that applies if no dialect selects one. */
export function defaultOf(id: BehaviourId): Alternative {
  return behaviours[id].alternatives[0];
}

/** The alternatives that a dialect selects, by behavior, in the order of the behaviors. */
export function selected(dialect: Dialect): Readonly<Record<string, string>> {
  return Object.fromEntries(
    behaviourIds.flatMap((id) => (dialect[id] === undefined ? [] : [[id, dialect[id].use]])),
  );
}

/** @throws Error if the behavior has no such alternative: validate the dialect first */
export function alternativeOf(id: BehaviourId, use: string): Alternative {
  const found = behaviours[id].alternatives.find((each) => each.id === use);
  if (!found) throw new Error(`${id}: has no alternative ${use}`);
  return found;
}

/** The most contracts that are kept, for sandboxes with the same dialect: each has an OpenAPI document. */
const mostContracts = 32;
const contracts = new Map<string, Contract>();

/** The contract under a dialect, whose alternatives must exist and not conflict. */
export function contractUnder(dialect: Dialect): Contract {
  const key = JSON.stringify(dialect);
  const known = contracts.get(key);
  if (known) return known;
  if (contracts.size === mostContracts) {
    contracts.clear();
    contracts.set("{}", defaultContract);
  }
  const made = makeContract(dialect);
  contracts.set(key, made);
  return made;
}

function makeContract(dialect: Dialect): Contract {
  const selected = behaviourIds.map((id) => {
    const use = dialect[id]?.use;
    return { id, alternative: use === undefined ? defaultOf(id) : alternativeOf(id, use) };
  });
  const points = { ...contractPoints };
  const unreachable = new Set<ContractPointId>();
  for (const { alternative } of selected) {
    for (const [point, change] of Object.entries(alternative.points ?? {})) {
      const id = point as ContractPointId;
      points[id] = { ...points[id], ...change };
    }
    for (const point of alternative.unreachable ?? []) unreachable.add(point);
  }
  for (const point of observedPoints(dialect)) {
    points[point] = { ...points[point], provenance: "observed" satisfies Provenance };
  }
  const moves = selected.flatMap(({ alternative }) => alternative.moves ?? []);
  const choices = Object.fromEntries(selected.map(({ id, alternative }) => [id, alternative.id]));
  return {
    dialect,
    choices: choices as unknown as Choices,
    points,
    unreachable,
    rows: Object.fromEntries(
      operationIds.map((id) => [id, moves.reduce(moveRows, decisionsOf(id))]),
    ) as Contract["rows"],
  };
}

/** The points all of whose open behaviors were observed. */
function observedPoints(dialect: Dialect): ContractPointId[] {
  if (Object.keys(dialect).length === 0) return [];
  const open = new Set<ContractPointId>();
  const observed = new Set<ContractPointId>();
  for (const id of behaviourIds) {
    const isObserved = dialect[id]?.provenance === "observed";
    for (const point of behaviours[id].points) (isObserved ? observed : open).add(point);
  }
  return [...observed].filter(
    (point) => !open.has(point) && contractPoints[point].provenance !== "specified",
  );
}

/** The rows after a move; unchanged if the operation lacks one of them. */
function moveRows(
  rows: readonly Decision[],
  { rows: ids, before }: NonNullable<Alternative["moves"]>[number],
): readonly Decision[] {
  const moved = rows.filter(({ id }) => id !== undefined && ids.includes(id));
  const rest = rows.filter((row) => !moved.includes(row));
  const at = rest.findIndex(({ id }) => id === before);
  return moved.length === 0 || at < 0 ? rows : rest.toSpliced(at, 0, ...moved);
}

/**
 * A dialect with another one over it.
 * @param over - its selections win
 */
export function merged(dialect: Dialect, over: Dialect): Dialect {
  return { ...dialect, ...over };
}

/** Two alternatives that cannot be combined; the first one is selected. */
export interface Conflict {
  readonly behaviours: readonly [BehaviourId, BehaviourId];
  /** Continues the id of the first behavior. */
  readonly text: string;
}

/** The selected alternatives that cannot be combined with others, or with defaults. */
export function conflictsIn(dialect: Dialect): Conflict[] {
  const used = (id: BehaviourId) => dialect[id]?.use ?? defaultOf(id).id;
  const conflictsOf = (id: BehaviourId) => alternativeOf(id, used(id)).conflicts ?? [];
  return behaviourIds.flatMap((id) =>
    conflictsOf(id).flatMap((conflict) => {
      const [other, use] = conflict.split("=") as [BehaviourId, string];
      if (used(other) !== use) return [];
      // Both may name each other.
      if (other < id && conflictsOf(other).includes(`${id}=${used(id)}`)) return [];
      const [first, second] = dialect[id] === undefined ? [other, id] : [id, other];
      const isDefault = dialect[second] === undefined ? ", its default" : "";
      const text = `${used(first)} cannot be combined with ${second}: ${used(second)}${isDefault}`;
      return [{ behaviours: [first, second] as const, text }];
    }),
  );
}

/** Why two selected alternatives cannot be combined; undefined if all can. */
export function conflictIn(dialect: Dialect): string | undefined {
  const [conflict] = conflictsIn(dialect);
  return conflict && `${conflict.behaviours[0]}: ${conflict.text}`;
}

/** The contract points that requests can meet, with their ids. */
export function reachablePoints({
  points,
  unreachable,
}: Contract): ({ readonly id: ContractPointId } & ContractPoint)[] {
  const ids = (Object.keys(points) as ContractPointId[]).filter((id) => !unreachable.has(id));
  return ids.map((id) => ({ id, ...points[id] }));
}

/** The contract without a dialect. */
export const defaultContract = contractUnder({});
