import type { OperationId } from "../contract/operations.ts";
import type { PointId } from "../contract/points.ts";
import type { FactsOverlay, Overlay } from "../rules/facts.ts";
import type { Issuer, IssuerAnswer } from "../rules/issuer.ts";
import type { WebhookFaults } from "../rules/webhook-faults.ts";
import { leavesOf, refusalsOf, stepOn } from "./effects.ts";
import type { StepFile } from "./scenario.ts";
import type { Stay } from "./waits.ts";

type Faults = NonNullable<StepFile["faults"]>;
export type ResponseFaults = NonNullable<Faults["response"]>;

/** A step of a scenario, in the terms of whoever it strikes. */
export interface Step {
  readonly pass: boolean;
  readonly facts: FactsOverlay;
  readonly request: NonNullable<Faults["request"]>;
  readonly token: NonNullable<Faults["token"]>;
  readonly issuer: Faults["issuer"];
  readonly webhook: WebhookFaults | undefined;
  readonly response: ResponseFaults;
  /** The refusals that it forces. */
  readonly refusals: ReadonlySet<PointId>;
  /** Whether a request that meets it may succeed, and it then decides. */
  readonly strikesSuccess: boolean;
  /** Whether all it does to a success is to hide what was spent. */
  readonly hidesUsedAlone: boolean;
  /** Whether all it does is to break the deliveries of what the request causes. */
  readonly breaksDeliveriesAlone: boolean;
}

/** A step as one operation meets it; undefined where nothing of it strikes there. */
export function stepFor(file: StepFile, operation: OperationId): Step | undefined {
  const { facts = {}, faults = {}, ...rest } = stepOn(file, operation);
  const leaves = [...leavesOf({ facts, faults })];
  if (!rest.pass && leaves.length === 0) return undefined;
  const refusals = new Set(refusalsOf({ facts, faults }, operation));
  return {
    pass: rest.pass === true,
    facts: factsOf(facts),
    request: faults.request ?? {},
    token: faults.token ?? {},
    issuer: Object.keys(faults.issuer ?? {}).length > 0 ? faults.issuer : undefined,
    webhook: webhookFaultsOf(faults.webhook ?? {}),
    response: faults.response ?? {},
    refusals,
    strikesSuccess: refusals.size === 0,
    breaksDeliveriesAlone:
      leaves.length > 0 && leaves.every(({ path }) => path.startsWith("faults.webhook.")),
    hidesUsedAlone: leaves.length === 1 && facts.used_unreadable === true,
  };
}

/** Undefined where nothing goes wrong. */
function webhookFaultsOf({
  bad_signature,
  ...rest
}: NonNullable<Faults["webhook"]>): WebhookFaults | undefined {
  const faults = { ...rest, ...(bad_signature && { badSignature: bad_signature }) };
  return Object.keys(faults).length > 0 ? faults : undefined;
}

/** The facts by the names that core knows them by. */
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

/** The overlay under which a request meets a step; `world` is the one that it would meet otherwise. */
export function overlayOf(step: Step, world: Overlay, stay: Stay): Overlay {
  const { lifetime_s } = step.token;
  return {
    facts: { ...world.facts, ...step.facts },
    issuer: step.issuer ? issuerOf(step.issuer, stay) : world.issuer,
    tokenLifetimeMs: lifetime_s === undefined ? world.tokenLifetimeMs : lifetime_s * 1000,
    // One of its own for each request, so that it can be told which request's it struck.
    webhook: step.webhook ? { ...step.webhook } : world.webhook,
  };
}

function issuerOf(faults: NonNullable<Faults["issuer"]>, stay: Stay): Issuer {
  const { latency_ms, hold_ms } = faults;
  const answer = issuerAnswer(faults);
  if (latency_ms === undefined && hold_ms === undefined) return { issue: () => answer };
  return {
    async issue() {
      if (latency_ms !== undefined) await stay.wait(latency_ms);
      if (hold_ms !== undefined) await stay.hold(hold_ms);
      return answer;
    },
  };
}

function issuerAnswer({ rejected, bad_gateway, unavailable }: NonNullable<Faults["issuer"]>): IssuerAnswer {
  if (rejected !== undefined) return { outcome: "rejected", reason: rejected };
  if (bad_gateway) return { outcome: "bad_gateway" };
  return { outcome: unavailable ? "unavailable" : "issued" };
}
