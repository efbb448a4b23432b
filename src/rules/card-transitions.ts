import type { CardStatus } from "../contract/card.ts";

/** Who sets a change off: the caller, the service's operator, or the passing of time. */
export type Actor = "caller" | "operator" | "time";

interface Transition {
  readonly by: readonly Actor[];
  /** How a refusal names it: a card that is terminated cannot … */
  readonly named: string;
  /** The states that a card can make it in, each with the one that it leads to; `previous`: before the hold. */
  readonly to: Readonly<Partial<Record<CardStatus, CardStatus | "previous">>>;
}

/**
 * Everything that can happen to a card, and from which state to which (spec §3 shows its making alone: all of it is
 * assumed). What is not here a card cannot do: 409 (spec §3).
 */
export const cardTransitions = {
  freeze: { by: ["caller"], named: "be frozen", to: { active: "frozen" } },
  unfreeze: { by: ["caller"], named: "be unfrozen", to: { frozen: "active" } },
  change: {
    by: ["caller"],
    named: "be changed",
    to: { inactive: "inactive", active: "active", frozen: "frozen" },
  },
  terminate: {
    by: ["caller"],
    named: "be terminated",
    to: { inactive: "terminated", active: "terminated", frozen: "terminated" },
  },
  replace: {
    by: ["caller"],
    named: "be replaced",
    to: { inactive: "terminated", active: "terminated", frozen: "terminated" },
  },
  replace_expiring: {
    by: ["caller"],
    named: "be replaced as expiring",
    to: { inactive: "terminated", active: "terminated", frozen: "terminated", expired: "expired" },
  },
  activate: { by: ["operator"], named: "be activated", to: { inactive: "active" } },
  suspend: { by: ["operator"], named: "be suspended", to: { active: "suspended", frozen: "suspended" } },
  lock: { by: ["operator"], named: "be locked", to: { active: "locked", frozen: "locked" } },
  block: { by: ["operator"], named: "be blocked", to: { active: "blocked", frozen: "blocked" } },
  lift: {
    by: ["operator"],
    named: "have a hold lifted",
    to: { suspended: "previous", locked: "previous", blocked: "previous" },
  },
  operator_terminate: {
    by: ["operator"],
    named: "be terminated",
    to: {
      inactive: "terminated",
      active: "terminated",
      frozen: "terminated",
      suspended: "terminated",
      locked: "terminated",
      blocked: "terminated",
    },
  },
  expire: {
    by: ["time", "operator"],
    named: "expire",
    to: {
      inactive: "expired",
      active: "expired",
      frozen: "expired",
      suspended: "expired",
      locked: "expired",
      blocked: "expired",
    },
  },
} as const satisfies Record<string, Transition>;

export type Trigger = keyof typeof cardTransitions;

/** Set by the operator, who alone lifts them (spec §3). */
const holds: ReadonlySet<CardStatus> = new Set(["suspended", "locked", "blocked"]);

/** Whether the operator holds a card in this state. */
export function isHeld(status: CardStatus): boolean {
  return holds.has(status);
}

/** Expired and terminated cards have ended (spec §3), and count no more against the quota. */
export function hasEnded(status: CardStatus): boolean {
  return status === "expired" || status === "terminated";
}

/**
 * Where a trigger leads a card; undefined where the card cannot make the change.
 * @param heldFrom - the state in which the operator's hold found it; null: it is active once that is lifted
 */
export function statusAfter(
  trigger: Trigger,
  status: CardStatus,
  heldFrom: CardStatus | null,
): CardStatus | undefined {
  const { to }: Transition = cardTransitions[trigger];
  const next = to[status];
  return next === "previous" ? (heldFrom ?? "active") : next;
}

/** What to tell whoever asks a card for what it cannot do. */
export function whyNot(trigger: Trigger, status: CardStatus): string {
  const { named, to }: Transition = cardTransitions[trigger];
  return `The card is ${status}, and cannot ${named}: only one that is ${Object.keys(to).join(" or ")} can`;
}
