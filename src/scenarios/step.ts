import type { Decision, Outcome } from "../contract/decision.ts";
import { decisionsOf } from "../contract/decisions.ts";
import {
  type Operation,
  type OperationId,
  operationIds,
  operations,
  type Permission,
} from "../contract/operations.ts";
import type { ContractPointId, ErrorPointId } from "../contract/points.ts";
import type { FactsOverlay, Issuer, IssuerAnswer, Overlay, WebhookFaults } from "../rules/overlay.ts";
import type { ShortenWait } from "../runtime/services.ts";
import type { Waits } from "../store/armed-scenarios.ts";
import type { Scenario, StepFile } from "./scenario.ts";
import type { RequestDelay } from "./waiting.ts";

/** A fact or fault of a step, as the decisions table defines it. */
interface Effect {
  readonly path: string;
  /** The only value that has the effect. Absent: every value has it. */
  readonly value: string | undefined;
  /** The refusal that it leads to. */
  readonly point: ErrorPointId | undefined;
  /** The later effects that it hides: none, all except those on every response, or all. */
  readonly hides: "none" | "decisions" | "all";
  readonly everyResponse: boolean;
  /** It applies before the request is decided. */
  readonly atStart: boolean;
}

/** The effects that apply to an operation, in the order of its decisions. */
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

/** The facts and faults of a step, each with its path. */
export function* leavesOf({ facts, faults }: StepFile): Generator<{ path: string; value: unknown }> {
  for (const [name, value] of Object.entries(facts ?? {})) yield { path: `facts.${name}`, value };
  for (const [place, each] of Object.entries(faults ?? {})) {
    for (const [name, value] of Object.entries(each ?? {})) yield { path: `faults.${place}.${name}`, value };
  }
}

/** The effects that a step has on an operation, in the order in which they apply. */
function effectsOf(step: StepFile, operation: OperationId): Effect[] {
  const leaves = new Map([...leavesOf(step)].map(({ path, value }) => [path, value]));
  const effects = effectsByOperation.get(operation) ?? [];
  return effects.filter(({ path, value }) => {
    if (!leaves.has(path)) return false;
    if (value !== undefined && leaves.get(path) !== value) return false;
    // The fact refuses nothing if it includes the permission that the operation needs.
    return (
      path !== "facts.permissions" ||
      !step.facts?.permissions?.some((each) => each === permissionOf(operation))
    );
  });
}

function permissionOf(operation: OperationId): Permission | undefined {
  const { permission }: Operation = operations[operation];
  return permission;
}

/** A step for one operation: without the facts and faults that do not apply to it. */
function stepOn(step: StepFile, operation: OperationId): StepFile {
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

/** The refusals that the facts and faults of a step force on an operation. */
function refusalsOf(step: StepFile, operation: OperationId): ContractPointId[] {
  return effectsOf(step, operation).flatMap(({ point }) => (point ? [point] : []));
}

const successes = new Set<ContractPointId>(operationIds.map((id) => operations[id].success));

/** Whether a point is the success of an operation. A replay is not. */
export function isSuccess(point: ContractPointId): boolean {
  return successes.has(point);
}

/** The points that a step leads to, on those of the operations that it applies to. */
export function pointsOf(step: StepFile, on: readonly OperationId[]): ContractPointId[] {
  return on.flatMap((operation) => {
    const here = effectsOf(step, operation);
    const end = here.find(({ point, hides, atStart }) => point || (hides === "all" && atStart));
    if (end) return end.point ? [end.point] : [];
    return here.length > 0 ? [operations[operation].success] : [];
  });
}

/** The facts and faults of a step that can never fire on any of the operations, and why. */
export function neverFiring(
  step: StepFile,
  on: readonly OperationId[],
): { readonly path: string[]; readonly why: string }[] {
  return [...leavesOf(step)].flatMap(({ path }) => {
    const reasons = on.map((operation) => {
      const here = effectsOf(step, operation);
      const effect = here.find((each) => each.path === path);
      const permission = path === "facts.permissions" ? permissionOf(operation) : undefined;
      if (!effect && permission) return `${permission} allows ${operation}`;
      if (!effect) return `it does not affect ${operation}`;
      const before = here
        .slice(0, here.indexOf(effect))
        .find(({ hides }) => hides === "all" || (hides === "decisions" && !effect.everyResponse));
      return before && `${before.path} takes precedence`;
    });
    return reasons.every((reason) => reason !== undefined)
      ? [{ path: path.split("."), why: `can never fire, because ${[...new Set(reasons)].join(" and ")}` }]
      : [];
  });
}

/** The waiting times that can be replaced when a scenario is armed, each with the fault that it belongs to. */
const faultWithWait: Readonly<Record<keyof Waits, string>> = {
  retry_after_s: "rate_limited",
  latency_ms: "latency_ms",
  hold_ms: "hold_ms",
};

export const waitNames = Object.keys(faultWithWait) as (keyof Waits)[];

/** Whether a step of the scenario has a waiting time on one of the operations. */
export function hasWait({ steps }: Scenario, wait: keyof Waits, on: readonly OperationId[]): boolean {
  return steps.some((step) =>
    on.some((operation) =>
      effectsOf(step, operation).some(({ path }) => path.endsWith(`.${faultWithWait[wait]}`)),
    ),
  );
}

/** The scenario with these waiting times instead of those of its steps. A step without one gets none. */
export function withWaits(scenario: Scenario, { retry_after_s, latency_ms, hold_ms }: Waits): Scenario {
  const given = Object.entries({ retry_after_s, latency_ms, hold_ms }).filter(([, value]) => value !== null);
  if (given.length === 0) return scenario;
  const waits = new Map<string, unknown>(given);
  return {
    ...scenario,
    steps: scenario.steps.map((step) => mapWaits(step, (name, value) => waits.get(name) ?? value)),
  };
}

/** The step with shorter waits, except those of an issuer that works on after its connection is lost. */
export function withShorterWaits(step: StepFile, shorten: ShortenWait): StepFile {
  const shorter = mapWaits(step, (name, value) =>
    name === "retry_after_s" ? Math.floor(shorten(value * 1000) / 1000) : shorten(value),
  );
  if (!step.faults?.issuer?.disconnect) return shorter;
  return { ...shorter, faults: { ...shorter.faults, issuer: step.faults.issuer } };
}

/** Maps the waiting times of a step that can be replaced. */
function mapWaits(step: StepFile, map: (name: string, value: number) => unknown): StepFile {
  const mapped = <Part>(part: Part): Part =>
    typeof part !== "object" || part === null
      ? part
      : (Object.fromEntries(
          Object.entries(part).map(([name, value]) => [
            name,
            name in faultWithWait ? map(name, value) : mapped(value),
          ]),
        ) as Part);
  return step.faults ? { ...step, faults: mapped(step.faults) } : step;
}

type Faults = NonNullable<StepFile["faults"]>;
export type ResponseFaults = NonNullable<Faults["response"]>;

/** A step of a scenario for one operation. */
export interface Step {
  readonly pass: boolean;
  readonly facts: FactsOverlay;
  readonly request: NonNullable<Faults["request"]>;
  readonly token: NonNullable<Faults["token"]>;
  readonly issuer: Faults["issuer"];
  readonly webhook: WebhookFaults | undefined;
  readonly response: ResponseFaults;
  /** The refusals that it forces. */
  readonly refusals: ReadonlySet<ContractPointId>;
  /** Its only effect is to hide the spending of cards. */
  readonly onlyHidesSpending: boolean;
  /** Its only effect is to break the deliveries of the request's events. */
  readonly onlyBreaksDeliveries: boolean;
}

/** Undefined if no fact or fault of the step applies to the operation. */
export function stepFor(file: StepFile, operation: OperationId): Step | undefined {
  const { facts = {}, faults = {}, ...rest } = stepOn(file, operation);
  const leaves = [...leavesOf({ facts, faults })];
  if (!rest.pass && leaves.length === 0) return undefined;
  return {
    pass: rest.pass === true,
    facts: factsOf(facts),
    request: faults.request ?? {},
    token: faults.token ?? {},
    issuer: Object.keys(faults.issuer ?? {}).length > 0 ? faults.issuer : undefined,
    webhook: webhookFaultsOf(faults.webhook ?? {}),
    response: faults.response ?? {},
    refusals: new Set(refusalsOf({ facts, faults }, operation)),
    onlyHidesSpending: leaves.length === 1 && facts.used_unreadable === true,
    onlyBreaksDeliveries: leaves.length > 0 && leaves.every(({ path }) => path.startsWith("faults.webhook.")),
  };
}

/** Undefined if there is no fault. */
function webhookFaultsOf({
  bad_signature,
  ...rest
}: NonNullable<Faults["webhook"]>): WebhookFaults | undefined {
  const faults = { ...rest, ...(bad_signature && { badSignature: bad_signature }) };
  return Object.keys(faults).length > 0 ? faults : undefined;
}

/** Renames the facts of a scenario file to those of `FactsOverlay`. */
function factsOf(facts: NonNullable<StepFile["facts"]>): FactsOverlay {
  const named = {
    token: facts.token,
    keyRevoked: facts.key_revoked,
    permissions: facts.permissions,
    entitled: facts.entitled,
    requestValid: facts.request_valid,
    account: facts.account,
    changeInProgress: facts.change_in_progress,
    companyStatus: facts.company_status,
    companyDetailsComplete: facts.company_details_complete,
    cardholderDetailsComplete: facts.cardholder_details_complete,
    countryDeliverable: facts.country_deliverable,
    quotaReached: facts.quota_reached,
    usedUnreadable: facts.used_unreadable,
  } satisfies { [Fact in keyof Required<FactsOverlay>]: FactsOverlay[Fact] | undefined };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

/** The overlay of a request that claims a step. `world` is the overlay of a request without a claim. */
export function overlayOf(step: Step, world: Overlay, delay: RequestDelay): Overlay {
  const { lifetime_s } = step.token;
  return {
    facts: { ...world.facts, ...step.facts },
    issuer: step.issuer ? issuerOf(step.issuer, delay) : world.issuer,
    tokenLifetimeMs: lifetime_s === undefined ? world.tokenLifetimeMs : lifetime_s * 1000,
    webhook: step.webhook ? { faults: step.webhook, applied: false } : world.webhook,
  };
}

function issuerOf(faults: NonNullable<Faults["issuer"]>, delay: RequestDelay): Issuer {
  const { latency_ms, hold_ms } = faults;
  const answer = issuerAnswer(faults);
  if (latency_ms === undefined && hold_ms === undefined) return { issue: () => answer };
  return {
    async issue() {
      if (latency_ms !== undefined) await delay.wait(latency_ms);
      if (hold_ms !== undefined) await delay.hold(hold_ms);
      return answer;
    },
  };
}

function issuerAnswer({ rejected, bad_gateway, unavailable }: NonNullable<Faults["issuer"]>): IssuerAnswer {
  if (rejected !== undefined) return { outcome: "rejected", reason: rejected };
  if (bad_gateway) return { outcome: "bad_gateway" };
  return { outcome: unavailable ? "unavailable" : "issued" };
}
