import type { Company, World } from "./world.ts";

/** The effect of a step: a refusal, or the loss of a response. */
export interface Effect {
  /** A contract point; without its family if that depends on the operation. */
  readonly refuses?: string;
  readonly loses?: "response" | "card";
  readonly tokenLifetimeMs?: number;
}

interface Scenario {
  readonly steps: readonly Effect[];
  /** Whether it ends after its last step; otherwise that step repeats. */
  readonly passes?: true;
  readonly on: readonly string[];
}

const order = ["orderPhysicalCard"];
const exchange = ["exchangeSandboxKey", "exchangeLiveKey"];
const down: Effect = { refuses: "issuer_unavailable" };

/** The shipped scenarios that histories use. */
export const scenarios = {
  "quota-reached": { steps: [{ refuses: "quota_reached" }], on: order },
  "company-inactive": { steps: [{ refuses: "company_inactive" }], on: order },
  "account-not-found": { steps: [{ refuses: "account_not_found" }], on: order },
  "issuer-rejected": { steps: [{ refuses: "issuer_rejected" }], on: order },
  "issuer-bad-gateway": { steps: [{ refuses: "issuer_bad_gateway" }], on: order },
  "issuer-unavailable": { steps: [down], on: order },
  "issuer-recovers": { steps: [down, down], passes: true, on: order },
  "created-but-502": { steps: [{ loses: "card" }], on: order },
  "lost-response": { steps: [{ loses: "response" }], on: order },
  "invalid-request": { steps: [{ refuses: "invalid_request" }], on: order },
  "rate-limited": { steps: [{ refuses: "gateway.rate_limited" }], on: order },
  forbidden: { steps: [{ refuses: "order.forbidden" }], on: order },
  conflict: {
    steps: [{ refuses: "change_in_progress" }],
    on: [
      ...order,
      "orderVirtualCard",
      "replaceCard",
      "freezeCard",
      "unfreezeCard",
      "setSpendingLimit",
      "removeSpendingLimit",
      "changeCard",
      "terminateCard",
    ],
  },
  "token-short-lived": { steps: [{ tokenLifetimeMs: 60_000 }], on: exchange },
  "token-unavailable": { steps: [{ refuses: "token.unavailable" }], on: exchange },
  "key-revoked": { steps: [{ refuses: "token.key_revoked" }], on: exchange },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;
/** Scenarios that a physical order may choose. */
export const ofOrders = (Object.keys(scenarios) as ScenarioName[]).filter((name) =>
  (scenarios[name].on as readonly string[]).includes("orderPhysicalCard"),
);
/** Scenarios that also fire on virtual orders which choose them, or for which they are armed. */
export const ofVirtualOrders: readonly ScenarioName[] = [
  "quota-reached",
  "issuer-rejected",
  "issuer-bad-gateway",
  "issuer-unavailable",
  "issuer-recovers",
  "created-but-502",
  "lost-response",
];

export interface Armed {
  id: string;
  name: ScenarioName;
  companyId: string | null;
  operation: string | null;
  times: number | null;
  taken: number;
  fired: number;
}

const stepsOf = (name: ScenarioName): readonly Effect[] => scenarios[name].steps;
export const isSpent = ({ name, times, taken }: Armed) =>
  times !== null && taken >= times * stepsOf(name).length;

/** The next step; undefined if the scenario has ended. */
function stepOf(name: ScenarioName, taken: number, isRepeated: boolean): Effect | undefined {
  const steps = stepsOf(name);
  if (isRepeated) return steps[taken % steps.length];
  return steps[taken] ?? ("passes" in scenarios[name] ? undefined : steps.at(-1));
}

/** A request's claim of a step; the request takes the step if it decides the response. */
export interface StepClaim {
  readonly name: ScenarioName;
  readonly effect: Effect;
  take(): void;
}

interface Choice {
  /** Chosen in the header or in the body of the request. */
  readonly scenario: ScenarioName | undefined;
  readonly key: string;
}

/** Claims a step of the scenario that the request chose, or that was armed last for its company, or for all. */
export function claimStep(
  { armed }: World,
  company: Company | undefined,
  operation: string,
  choice?: Choice,
): StepClaim | undefined {
  if (choice?.scenario && company) return claimChosen(company, choice.scenario, choice.key);
  const fires = ({ operation: own, name }: Armed) =>
    own === null ? (scenarios[name].on as readonly string[]).includes(operation) : own === operation;
  const open = armed.filter((each) => fires(each) && !isSpent(each));
  const nearest =
    open.findLast(({ companyId }) => companyId === company?.id) ??
    open.findLast(({ companyId }) => companyId === null);
  const effect = nearest && stepOf(nearest.name, nearest.taken, nearest.times !== null);
  if (!nearest || !effect) return undefined;
  const take = () => {
    nearest.taken++;
    nearest.fired++;
  };
  return { name: nearest.name, effect, take };
}

/** Chosen scenarios count their steps by company and Idempotency-Key. */
function claimChosen({ chosen }: Company, name: ScenarioName, key: string): StepClaim | undefined {
  const progress = `${name} ${key}`;
  const taken = chosen[progress] ?? 0;
  const effect = stepOf(name, taken, false);
  if (!effect) return undefined;
  return {
    name,
    effect,
    take: () => {
      chosen[progress] = taken + 1;
    },
  };
}
