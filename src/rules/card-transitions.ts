import type { BehaviourId, Choices } from "../contract/behaviours.ts";
import type { CardStatus } from "../contract/card.ts";

/** Who triggers a change: the caller, the service's operator, or time. */
export type Actor = "caller" | "operator" | "time";

interface Transition {
  readonly by: readonly Actor[];
  /** The end of a refusal: "The card is terminated and cannot …". */
  readonly verb: string;
  /** The statuses from which the change is possible, each with the status after it; `previous`: the one before the hold. */
  readonly to: { readonly [Status in CardStatus]?: CardStatus | "previous" | undefined };
}

/**
 * All changes of a card's status (assumed: spec §3 only shows the creation). Any other change is refused with 409 (spec
 * §3). Dialects change the rows in `rowsUnder`.
 */
export const cardTransitions = {
  freeze: { by: ["caller"], verb: "be frozen", to: { active: "frozen" } },
  unfreeze: { by: ["caller"], verb: "be unfrozen", to: { frozen: "active" } },
  change: {
    by: ["caller"],
    verb: "be changed",
    to: { inactive: "inactive", active: "active", frozen: "frozen" },
  },
  terminate: {
    by: ["caller"],
    verb: "be terminated",
    to: { inactive: "terminated", active: "terminated", frozen: "terminated" },
  },
  /** Lost or stolen. */
  replace: {
    by: ["caller"],
    verb: "be replaced",
    to: { inactive: "terminated", active: "terminated", frozen: "terminated" },
  },
  replace_damaged: {
    by: ["caller"],
    verb: "be replaced",
    to: { inactive: "terminated", active: "terminated", frozen: "terminated" },
  },
  replace_expiring: {
    by: ["caller"],
    verb: "be replaced with the reason expiring",
    to: { inactive: "terminated", active: "terminated", frozen: "terminated", expired: "expired" },
  },
  activate: { by: ["operator"], verb: "be activated", to: { inactive: "active" } },
  suspend: { by: ["operator"], verb: "be suspended", to: { active: "suspended", frozen: "suspended" } },
  lock: { by: ["operator"], verb: "be locked", to: { active: "locked", frozen: "locked" } },
  block: { by: ["operator"], verb: "be blocked", to: { active: "blocked", frozen: "blocked" } },
  lift: {
    by: ["operator"],
    verb: "have a hold lifted",
    to: { suspended: "previous", locked: "previous", blocked: "previous" },
  },
  operator_terminate: {
    by: ["operator"],
    verb: "be terminated",
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
    verb: "expire",
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

export type Transitions = Readonly<Record<Trigger, Transition>>;

const heldEnds = { suspended: "terminated", locked: "terminated", blocked: "terminated" } as const;
const staysAsItIs = { inactive: "inactive", active: "active", frozen: "frozen" } as const;

type ChangedRows = { readonly [Name in Trigger]?: Transition["to"] };

/** The cells that an alternative changes, a later one over an earlier one. Undefined: the change is refused. */
const rowsUnder: { readonly [Id in BehaviourId]?: { readonly [Use in Choices[Id]]?: ChangedRows } } = {
  "cards.freeze_repeated": { succeeds: { freeze: { frozen: "frozen" } } },
  "cards.unfreeze_repeated": { succeeds: { unfreeze: { active: "active" } } },
  "cards.terminate_repeated": { succeeds: { terminate: { terminated: "terminated" } } },
  "cards.terminate_held": { allowed: { terminate: heldEnds } },
  "cards.frozen_changes": { "409": { change: { frozen: undefined } } },
  "replace.held_cards": { allowed: { replace: heldEnds } },
  "replace.old_card": { kept: { replace_damaged: staysAsItIs, replace_expiring: staysAsItIs } },
  "replace.frozen_cards": {
    "409": {
      replace: { frozen: undefined },
      replace_damaged: { frozen: undefined },
      replace_expiring: { frozen: undefined },
    },
  },
};

/** Every change looks up its transitions. */
const known = new WeakMap<Choices, Transitions>();

/** The transitions under a dialect. */
export function transitionsUnder(choices: Choices): Transitions {
  const found = known.get(choices) ?? changedTransitions(choices);
  known.set(choices, found);
  return found;
}

function changedTransitions(choices: Choices): Transitions {
  const transitions: Record<Trigger, Transition> = { ...cardTransitions };
  for (const [id, alternatives] of Object.entries(rowsUnder)) {
    const rows = (alternatives as Readonly<Record<string, ChangedRows>>)[choices[id as BehaviourId]] ?? {};
    for (const [name, cells] of Object.entries(rows)) {
      const trigger = name as Trigger;
      const to = Object.entries({ ...transitions[trigger].to, ...cells });
      const allowed = Object.fromEntries(to.filter(([, next]) => next !== undefined));
      transitions[trigger] = { ...transitions[trigger], to: allowed };
    }
  }
  return transitions;
}

/** Only the operator sets and lifts these statuses (spec §3). */
const holds: ReadonlySet<CardStatus> = new Set(["suspended", "locked", "blocked"]);

/** Whether the operator holds a card with this status. */
export function isHeld(status: CardStatus): boolean {
  return holds.has(status);
}

/** Expired and terminated cards have ended (spec §3). They do not count against the quota. */
export function hasEnded(status: CardStatus): boolean {
  return status === "expired" || status === "terminated";
}

/**
 * The status after a trigger; undefined if the card cannot make the change.
 * @param transitions - those of the card's company
 * @param heldFrom - the status before the operator's hold; null: the card becomes active when the hold is lifted
 */
export function statusAfter(
  transitions: Transitions,
  trigger: Trigger,
  status: CardStatus,
  heldFrom: CardStatus | null,
): CardStatus | undefined {
  const { to } = transitions[trigger];
  const next = to[status];
  return next === "previous" ? (heldFrom ?? "active") : next;
}

/** The message that refuses a change. */
export function whyNot(transitions: Transitions, trigger: Trigger, status: CardStatus): string {
  const { verb, to } = transitions[trigger];
  const allowed = Object.keys(to);
  const expected = allowed.length === 1 ? allowed[0] : `one of ${allowed.join(", ")}`;
  return `The card is ${status} and cannot ${verb}: its status must be ${expected}`;
}
