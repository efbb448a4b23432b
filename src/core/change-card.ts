import type { CardStatus } from "../contract/card.ts";
import { hasEnded, isHeld, statusAfter, type Trigger, whyNot } from "./card-transitions.ts";
import { SandboxError } from "./errors.ts";
import type { CardRecord, KeptCard } from "./ports.ts";
import type { Services } from "./services.ts";

/** What a change may set beside the state. */
export type CardFields = Partial<Pick<CardRecord, "name" | "autoConvert" | "spendingLimit">>;

/**
 * Changes a card, within the caller's transaction. Every change of a card that is there goes through here,
 * whoever sets it off.
 * @throws SandboxError `cards.state_conflict`
 */
export function changeCard(
  { store }: Pick<Services, "store">,
  kept: KeptCard,
  trigger: Trigger,
  fields: CardFields = {},
): KeptCard {
  const before = kept.card.status;
  const status = refuseChange(kept, trigger);
  const changed = {
    ...kept,
    card: { ...kept.card, ...fields, status },
    heldFrom: isHeld(status) ? before : null,
  };
  store.cards.update(changed, hasEnded(status) && !hasEnded(before));
  return changed;
}

/**
 * 409 for a change that the card cannot make in its current state (spec §3).
 * @returns the state that it leads to
 * @throws SandboxError `cards.state_conflict`
 */
export function refuseChange({ card: { status }, heldFrom }: KeptCard, trigger: Trigger): CardStatus {
  const next = statusAfter(trigger, status, heldFrom);
  if (next === undefined) throw new SandboxError("cards.state_conflict", whyNot(trigger, status));
  return next;
}
