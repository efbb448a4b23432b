import type { Company, World } from "./world.ts";

/** What one step of a scenario does: refuses at a point, or loses the answer of what succeeded. */
export interface Effect {
  /** The point of its refusal; without its family, where that follows the operation. */
  readonly refuses?: string;
  readonly loses?: "answer" | "card";
  readonly tokenLifetimeMs?: number;
}

interface Scenario {
  readonly steps: readonly Effect[];
  /** Whether it forces nothing after its last step; else that one repeats. */
  readonly passes?: true;
  readonly on: readonly string[];
}

const order = ["orderPhysicalCard"];
const exchange = ["exchangeSandboxKey", "exchangeLiveKey"];
const down: Effect = { refuses: "issuer_unavailable" };

/** What the shipped scenarios say of themselves, as far as histories use them. */
export const scenarios = {
  "quota-reached": { steps: [{ refuses: "quota_reached" }], on: order },
  "company-inactive": { steps: [{ refuses: "company_inactive" }], on: order },
  "account-not-found": { steps: [{ refuses: "account_not_found" }], on: order },
  "issuer-rejected": { steps: [{ refuses: "issuer_rejected" }], on: order },
  "issuer-bad-gateway": { steps: [{ refuses: "issuer_bad_gateway" }], on: order },
  "issuer-unavailable": { steps: [down], on: order },
  "issuer-recovers": { steps: [down, down], passes: true, on: order },
  "created-but-502": { steps: [{ loses: "card" }], on: order },
  "lost-response": { steps: [{ loses: "answer" }], on: order },
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
/** Those that an order may choose by itself. */
export const ofOrders = (Object.keys(scenarios) as ScenarioName[]).filter((name) =>
  (scenarios[name].on as readonly string[]).includes("orderPhysicalCard"),
);
/** Those that strike virtual orders too, where these choose them or they are armed for these. */
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

/** The step whose turn it is; undefined: none, it forces nothing. */
function stepOf(name: ScenarioName, taken: number, isRepeated: boolean): Effect | undefined {
  const steps = stepsOf(name);
  if (isRepeated) return steps[taken % steps.length];
  return steps[taken] ?? ("passes" in scenarios[name] ? undefined : steps.at(-1));
}

/** A request's turn at a step: the request takes it where the step decides it, and else leaves it alone. */
export interface Turn {
  readonly name: ScenarioName;
  readonly effect: Effect;
  take(): void;
}

interface Choice {
  /** By the request's header, which is nearer, or in its body. */
  readonly scenario: ScenarioName | undefined;
  readonly key: string;
}

/** Whose turn it is: of what the request chose, then what is armed for its company, then for all; of equals the latest. */
export function turnAt(
  { armed }: World,
  company: Company | undefined,
  operation: string,
  choice?: Choice,
): Turn | undefined {
  if (choice?.scenario && company) return chosenTurn(company, choice.scenario, choice.key);
  const strikes = ({ operation: own, name }: Armed) =>
    own === null ? (scenarios[name].on as readonly string[]).includes(operation) : own === operation;
  const open = armed.filter((each) => strikes(each) && !isSpent(each));
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

/** Steps that requests choose count by company and idempotency key. */
function chosenTurn({ chosen }: Company, name: ScenarioName, key: string): Turn | undefined {
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
