import type { CardStatus } from "../contract/card.ts";
import { hasEnded, isHeld, statusAfter, type Trigger, whyNot } from "../rules/card-transitions.ts";
import { SandboxError } from "../rules/errors.ts";
import type { WebhookFaults } from "../rules/webhook-faults.ts";
import type { Services } from "../runtime/services.ts";
import { type CardRecord, type StoredCard, updateCard } from "../store/cards.ts";
import { clockOffsetOf } from "../store/companies.ts";
import { emit } from "../webhooks/events.ts";
import { cardNow } from "./current-card.ts";

/** What a change may set beside the state. */
export type CardFields = Partial<Pick<CardRecord, "name" | "autoConvert" | "spendingLimit">>;

/** What a change sets, and what goes wrong with telling of it. */
interface CardChange {
  readonly fields?: CardFields;
  readonly faults?: WebhookFaults | undefined;
}

/**
 * Changes a card and tells of it, within the caller's transaction. Every change of a card that is there goes through here,
 * whoever sets it off.
 * @throws SandboxError `cards.state_conflict`
 */
export function changeCard(
  services: Services,
  kept: StoredCard,
  trigger: Trigger,
  { fields = {}, faults }: CardChange = {},
): StoredCard {
  const { database } = services;
  const before = kept.card.status;
  const status = refuseChange(kept, trigger);
  const changed = {
    ...kept,
    card: { ...kept.card, ...fields, status },
    heldFrom: isHeld(status) ? before : null,
  };
  // A card that has ended changes no more: an expired one that is replaced stays as it is.
  if (!hasEnded(before)) updateCard(database, changed, hasEnded(status));
  const { companyPk } = kept;
  const data = () => cardNow(services, changed, { clockOffsetMs: clockOffsetOf(database, companyPk) });
  if (status !== before) {
    emit(services, {
      companyPk,
      type: "card.status_changed",
      data,
      beside: { previous_status: before },
      faults,
    });
  }
  if (fields.spendingLimit !== undefined && !sameLimit(fields.spendingLimit, kept.card.spendingLimit)) {
    emit(services, { companyPk, type: "card.spending_limit_changed", data, faults });
  }
  return changed;
}

/**
 * 409 for a change that the card cannot make in its current state (spec §3).
 * @returns the state that it leads to
 * @throws SandboxError `cards.state_conflict`
 */
export function refuseChange({ card: { status }, heldFrom }: StoredCard, trigger: Trigger): CardStatus {
  const next = statusAfter(trigger, status, heldFrom);
  if (next === undefined) throw new SandboxError("cards.state_conflict", whyNot(trigger, status));
  return next;
}

function sameLimit(a: CardRecord["spendingLimit"], b: CardRecord["spendingLimit"]): boolean {
  return a?.period === b?.period && a?.amountMinor === b?.amountMinor;
}
