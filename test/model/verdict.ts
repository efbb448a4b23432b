import type { Caller } from "./caller.ts";
import type { Turn } from "./scenarios.ts";
import { type Card, type Company, liveCards, type Role, type Status } from "./world.ts";

/** A check: the point at which it refuses, and whether it does. */
export type Check = readonly [point: string, refuses: boolean];

export interface Verdict {
  /** The point of the first check that refuses; undefined: none does. */
  readonly point: string | undefined;
  /** Whether the scenario's step decided it. */
  readonly isForced: boolean;
}

/** The first check decides that refuses, by the world or by the step whose turn it is, which is then taken. */
export function judge(checks: Iterable<Check>, turn: Turn | undefined, family: string): Verdict {
  const wanted = turn?.effect.refuses;
  const forcedPoint = wanted?.includes(".") ? wanted : `${family}.${wanted}`;
  for (const [point, refuses] of checks) {
    // Of an order of a virtual card the same conflict is a point of its own.
    const isForced = point.replace(".virtual_", ".") === forcedPoint;
    if (!refuses && !isForced) continue;
    if (isForced) turn?.take();
    return { point, isForced };
  }
  const isForced = turn?.effect.loses !== undefined;
  if (isForced) turn?.take();
  return { point: undefined, isForced };
}

/** What a role may do to which cards (assumed, but that an employee reaches the least). */
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

export const reach = ({ member }: Caller, permission: Permission) => roles[member.role][permission];

/** Whether the caller sees a card: one of its company, and an employee its own alone. */
export function isSeen(caller: Caller, card: Card | undefined): card is Card {
  if (!card || !caller.company.cards.includes(card)) return false;
  return reach(caller, "viewCards") === "all" || card.memberId === caller.member.id;
}

/** The states in which a caller may change a card, replace it or end it (assumed). */
export const changeable: readonly Status[] = ["inactive", "active", "frozen"];

/** Who stands at the gate of every operation. */
export function* gateChecks(caller: Caller, permission: Permission, forbidden: string): Generator<Check> {
  yield ["gateway.rate_limited", false];
  yield [forbidden, reach(caller, permission) === undefined];
}

/** Whether a company, an account and a cardholder may have one more card (spec §7), and the issuer makes it. */
export function* issuableChecks(
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
