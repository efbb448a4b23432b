import type { Caller } from "./authentication.ts";
import type { StepClaim } from "./scenarios.ts";
import { type Card, type Company, liveCards, type Role, type Status } from "./world.ts";

/** The contract point of a check, and whether the check refuses. */
export type Check = readonly [point: string, refuses: boolean];

export interface Verdict {
  /** The contract point of the first check that refuses; undefined if none does. */
  readonly point: string | undefined;
  /** Whether a scenario decided it. */
  readonly isForced: boolean;
}

/** Finds the first check that refuses because of the world or of the claimed step, which is then taken. */
export function judge(checks: Iterable<Check>, claim: StepClaim | undefined, family: string): Verdict {
  const wanted = claim?.effect.refuses;
  const forcedPoint = wanted?.includes(".") ? wanted : `${family}.${wanted}`;
  for (const [point, refuses] of checks) {
    // The conflict of a virtual order is a point of its own.
    const isForced = point.replace(".virtual_", ".") === forcedPoint;
    if (!refuses && !isForced) continue;
    if (isForced) claim?.take();
    return { point, isForced };
  }
  const isForced = claim?.effect.loses !== undefined;
  if (isForced) claim?.take();
  return { point: undefined, isForced };
}

/** The permissions of each role, on all cards or its own (assumed, except that employees have the fewest). */
const roles: Readonly<Record<Role, Readonly<Partial<Record<string, "all" | "own">>>>> = {
  owner: {
    issue: "all",
    freeze: "all",
    manage: "all",
    viewCards: "all",
    viewAccounts: "all",
    viewMoney: "all",
  },
  admin: {
    issue: "all",
    freeze: "all",
    manage: "all",
    viewCards: "all",
    viewAccounts: "all",
    viewMoney: "all",
  },
  accountant: { viewCards: "all", viewAccounts: "all", viewMoney: "all" },
  employee: { freeze: "own", viewCards: "own", viewMoney: "own" },
};
export type Permission = "issue" | "freeze" | "manage" | "viewCards" | "viewAccounts" | "viewMoney";

export const reachOf = ({ member }: Caller, permission: Permission) => roles[member.role][permission];

/** Whether the caller can see a card: one of its company, or its own if it is an employee. */
export function canSee(caller: Caller, card: Card | undefined): card is Card {
  if (!card || !caller.company.cards.includes(card)) return false;
  return reachOf(caller, "viewCards") === "all" || card.memberId === caller.member.id;
}

/** The states in which a caller may change, replace or terminate a card (assumed). */
export const changeable: readonly Status[] = ["inactive", "active", "frozen"];

/** The first checks of every operation. */
export function* gateChecks(caller: Caller, permission: Permission, forbidden: string): Generator<Check> {
  yield ["gateway.rate_limited", false];
  yield [forbidden, reachOf(caller, permission) === undefined];
}

/** The checks for one more card of a company, an account and a cardholder (spec §7), and those of the issuer. */
export function* newCardChecks(
  family: "order" | "cards",
  company: Company,
  world: {
    readonly isAccountClosed: boolean;
    readonly isHolderComplete: boolean;
    readonly isUndeliverable: boolean;
    readonly needsRoom: boolean;
  },
): Generator<Check> {
  yield [`${family}.company_inactive`, company.status !== "active"];
  yield [`${family}.account_closed`, world.isAccountClosed];
  yield [`${family}.company_details_missing`, !company.detailsComplete];
  yield [`${family}.cardholder_details_missing`, !world.isHolderComplete];
  yield [`${family}.country_undeliverable`, world.isUndeliverable];
  yield [`${family}.quota_reached`, world.needsRoom && liveCards(company) >= company.quota];
  yield [`${family}.issuer_rejected`, false];
  yield [`${family}.issuer_bad_gateway`, false];
  yield [`${family}.issuer_unavailable`, false];
}
