import { type Decision, decisionsOf, type Outcome } from "../contract/decisions.ts";
import { type OperationId, operationIds, operations, type Permission } from "../contract/operations.ts";
import type { ErrorPointId, PointId } from "../contract/points.ts";
import type { StepFile } from "./scenario.ts";

/** A fact or a fault that a step may hold, as the decisions table has it. */
interface Effect {
  readonly path: string;
  /** The only value that has the effect. Absent: every value has it. */
  readonly value: string | undefined;
  /** The refusal to which it leads. */
  readonly point: ErrorPointId | undefined;
  /** Which later effects it hides: none, those that do not strike every response, or all. */
  readonly hides: "none" | "decisions" | "all";
  readonly everyResponse: boolean;
  /** It strikes before the request is decided. */
  readonly atStart: boolean;
}

/** The effects that can strike an operation, in the order of its decisions. */
const effectsByOperation = new Map(operationIds.map((id) => [id, decisionsOf(id).flatMap(effectsAt)]));

function effectsAt({ step, forcedBy = {}, everyResponse }: Decision): Effect[] {
  return Object.entries(forcedBy).map(([place, outcome]) => {
    const [path = place, value] = place.split("=");
    return {
      path,
      value,
      ...consequenceOf(outcome),
      everyResponse: everyResponse === true,
      atStart: step === "scenario",
    };
  });
}

function consequenceOf(outcome: Outcome): Pick<Effect, "point" | "hides"> {
  if (outcome === "continues") return { point: undefined, hides: "none" };
  if (outcome === "ends_connection") return { point: undefined, hides: "all" };
  return { point: outcome === "replaces_response" ? undefined : outcome, hides: "decisions" };
}

/** What a step says, each leaf with its path. */
export function* leavesOf({ facts, faults }: StepFile): Generator<{ path: string; value: unknown }> {
  for (const [name, value] of Object.entries(facts ?? {})) yield { path: `facts.${name}`, value };
  for (const [place, each] of Object.entries(faults ?? {})) {
    for (const [name, value] of Object.entries(each ?? {})) yield { path: `faults.${place}.${name}`, value };
  }
}

/** The effects that a step has on an operation, in the order in which they strike. */
function effectsOf(step: StepFile, operation: OperationId): Effect[] {
  const leaves = new Map([...leavesOf(step)].map(({ path, value }) => [path, value]));
  const effects = effectsByOperation.get(operation) ?? [];
  return effects.filter(({ path, value }) => {
    if (!leaves.has(path)) return false;
    if (value !== undefined && leaves.get(path) !== value) return false;
    // A member who has the permission is not refused for it.
    return (
      path !== "facts.permissions" ||
      !step.facts?.permissions?.some((each) => each === permissionOf(operation))
    );
  });
}

function permissionOf(operation: OperationId): Permission | undefined {
  const known = operations[operation];
  return "permission" in known ? known.permission : undefined;
}

/** A step as one operation meets it: without the facts and faults that cannot strike there. */
export function stepOn(step: StepFile, operation: OperationId): StepFile {
  const here = new Set(effectsOf(step, operation).map(({ path }) => path));
  const only = <Leaves extends object>(place: string, leaves: Leaves | undefined): Leaves =>
    Object.fromEntries(
      Object.entries(leaves ?? {}).filter(([name]) => here.has(`${place}.${name}`)),
    ) as Leaves;
  const { request, token, issuer, webhook, response } = step.faults ?? {};
  return {
    ...(step.pass && { pass: step.pass }),
    facts: only("facts", step.facts),
    faults: {
      request: only("faults.request", request),
      token: only("faults.token", token),
      issuer: only("faults.issuer", issuer),
      webhook: only("faults.webhook", webhook),
      response: only("faults.response", response),
    },
  };
}

/** The answers on which a step's facts and faults decide an operation; a success is not among them. */
export function refusalsOf(step: StepFile, operation: OperationId): PointId[] {
  return effectsOf(step, operation).flatMap(({ point }) => (point ? [point] : []));
}

const successes = new Set<PointId>(operationIds.map((id) => operations[id].success));

/** Whether a point is an operation's success: what a step that refuses nothing leads to. A replay is none. */
export function isSuccess(point: PointId): boolean {
  return successes.has(point);
}

/** The points to which a step leads, on the operations that it strikes. */
export function pointsOf(step: StepFile, on: readonly OperationId[]): PointId[] {
  return on.flatMap((operation) => {
    const here = effectsOf(step, operation);
    const end = here.find(({ point, hides, atStart }) => point || (hides === "all" && atStart));
    if (end) return end.point ? [end.point] : [];
    return here.length > 0 ? [operations[operation].success] : [];
  });
}

/** What a step says that can never strike on the operations it is meant for, and why. */
export function neverFiring(
  step: StepFile,
  on: readonly OperationId[],
): { readonly path: string[]; readonly why: string }[] {
  return [...leavesOf(step)].flatMap(({ path }) => {
    const reasons = on.map((operation) => {
      const here = effectsOf(step, operation);
      const effect = here.find((each) => each.path === path);
      if (!effect && path === "facts.permissions")
        return `a member with ${permissionOf(operation)} is not refused for it`;
      if (!effect) return `nothing in ${operation} goes by it`;
      const before = here
        .slice(0, here.indexOf(effect))
        .find(({ hides }) => hides === "all" || (hides === "decisions" && !effect.everyResponse));
      return before && `${before.path} decides before it`;
    });
    return reasons.every((reason) => reason !== undefined)
      ? [{ path: path.split("."), why: `can never fire: ${[...new Set(reasons)].join(", ")}` }]
      : [];
  });
}
