import { decisionsOf } from "../contract/decisions.ts";
import { contractPoints } from "../contract/points.ts";
import type { Catalogue } from "../scenarios/catalogue.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import type { ScenarioName } from "../scenarios/shipped.ts";
import { leavesOf, stepFor } from "../scenarios/step.ts";
import type { RecordedCall } from "./recording.ts";

/**
 * - `outage`: a failure that passes: the client should retry, or exchange its API key again;
 * - `connection`: the client receives no response, a late one, or a part of one; it can hit a refused call, too;
 * - `refusal`: the client should not retry;
 * - `webhook`: the delivery of the call's events is faulty;
 * - `none`: a sweep does not use the scenario.
 */
type Kind = "outage" | "connection" | "refusal" | "webhook" | "none";

/** The faults of a sweep are the first steps of scenarios. Their order is that of the report. */
const kinds: Readonly<Record<ScenarioName, Kind>> = {
  "issuer-unavailable": "outage",
  "issuer-bad-gateway": "outage",
  "token-unavailable": "outage",
  "lost-response": "connection",
  "empty-response": "connection",
  "truncated-response": "connection",
  "created-but-502": "outage",
  "slow-response": "connection",
  "silent-response": "connection",
  "in-flight": "outage",
  "lost-in-flight": "outage",
  "dropped-request": "connection",
  "rate-limited": "outage",
  conflict: "outage",
  "token-expired": "outage",
  unauthorized: "outage",
  "key-revoked": "refusal",
  "issuer-rejected": "refusal",
  "invalid-request": "refusal",
  forbidden: "refusal",
  "not-entitled": "refusal",
  "account-not-found": "refusal",
  "account-closed": "refusal",
  "quota-reached": "refusal",
  "company-inactive": "refusal",
  "company-details-missing": "refusal",
  "cardholder-details-missing": "refusal",
  "country-undeliverable": "refusal",
  "webhook-duplicate": "webhook",
  "webhook-reordered": "webhook",
  "webhook-stale": "webhook",
  "webhook-bad-signature": "webhook",
  // The same as one of the others, or no fault.
  "issuer-recovers": "none",
  "issuer-slow": "none",
  "token-short-lived": "none",
  "used-unreadable": "none",
};

const names = Object.keys(kinds) as ScenarioName[];

/** The names of the faults, in the order of the report. */
export const faultNames = names.filter((name) => kinds[name] !== "none");

/** The longest wait that a scenario can have. */
const longestMs = 600_000;

/**
 * The scenario to force for a fault.
 * @param patienceMs - how long a silent response stays silent
 */
export function faultOf(name: ScenarioName, catalogue: Catalogue, patienceMs: number): Scenario {
  const scenario = catalogue.required(name);
  // A little longer, so that chance does not decide about a timeout that is as long as the patience.
  const silent_ms = Math.min(1.1 * patienceMs, longestMs);
  if (name === "silent-response") return { ...scenario, steps: [{ faults: { response: { silent_ms } } }] };
  const issuer = { disconnect: true, hold_ms: longestMs } as const;
  // The observer releases it after the first retry.
  if (name === "lost-in-flight") return { ...scenario, steps: [{ faults: { issuer } }] };
  return scenario;
}

/** Whether the client waits until its own timeout. */
export function isSilent({ name }: Pick<Scenario, "name">): boolean {
  return name === "silent-response";
}

/** Whether a scenario can affect an operation. */
export function affects(
  { steps: [step] }: Scenario,
  { operation }: Pick<RecordedCall, "operation">,
): boolean {
  return step !== undefined && stepFor(step, operation) !== undefined;
}

/** The faults that can hit a call of the reference run. */
export function faultsOf(call: RecordedCall, catalogue: Catalogue): ScenarioName[] {
  return faultNames.filter((name) => canHit(call, catalogue.required(name), kinds[name]));
}

/** The faults that can hit the next call of a client after a first fault: those after which a client should go on. */
export function secondFaultsOf(call: RecordedCall, catalogue: Catalogue): ScenarioName[] {
  return faultsOf(call, catalogue).filter((name) => kinds[name] === "outage" || kinds[name] === "connection");
}

function canHit(call: RecordedCall, scenario: Scenario, kind: Kind): boolean {
  if (!affects(scenario, call)) return false;
  if (kind === "connection") return true;
  if (call.isForced || isRefused(call)) return false;
  return (kind !== "webhook" || call.hasWebhooks) && isDecidedAfter(call, scenario);
}

/** Whether the sandbox refused a call, or lost it before it decided. */
function isRefused({ point }: Pick<RecordedCall, "point">): boolean {
  return point === null || contractPoints[point].status >= 400;
}

/** A replay returns the original card before the later checks are made. */
function isDecidedAfter({ operation, point }: RecordedCall, { steps: [step] }: Scenario): boolean {
  const rows = decisionsOf(operation);
  const decided = rows.findIndex(({ points = [] }) => points.some((each) => each === point));
  if (decided < 0 || !step) return true;
  const paths = new Set([...leavesOf(step)].map(({ path }) => path));
  const acts = rows.findIndex(({ forcedBy = {} }) =>
    Object.keys(forcedBy).some((path) => paths.has(path.split("=")[0] ?? path)),
  );
  return acts < decided;
}
