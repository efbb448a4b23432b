import type { Card } from "../contract/card.ts";
import { hasEnded, isHeld, type Trigger } from "../rules/card-transitions.ts";
import type { EventFaults } from "../rules/overlay.ts";
import type { Services } from "../runtime/services.ts";
import { type CardRecord, type StoredCard, updateCard } from "../store/cards.ts";
import { clockOffsetOf } from "../store/companies.ts";
import { emit } from "../webhooks/events.ts";
import { cardNow, defaultName, findNamedCard } from "./card.ts";
import { type CardChange, checkCardChange, statusAfterChange } from "./checks.ts";

/** A change that a caller requests. Fields that are undefined stay as they are. */
export interface ChangeRequest extends Omit<CardChange, "services" | "card"> {
  /** `given: undefined` sets the default name. */
  readonly name?: { readonly given: string | undefined } | undefined;
  readonly autoConvert?: boolean | undefined;
}

/**
 * Changes a card for a caller.
 * @throws SandboxError `cards.*`
 */
export function changeAsCaller(services: Services, request: ChangeRequest): Card {
  const { caller, overlay, trigger } = request;
  return services.database.transaction(() => {
    const named = findNamedCard(services, caller, request.cardId);
    const card = checkCardChange({ ...request, services, card: named }); // 400, 404, 409
    const changed = changeCard(services, card, trigger, fieldsOf(request, card.card), overlay.webhook);
    const { usedUnreadable } = overlay.facts;
    return cardNow(services, changed, { clockOffsetMs: caller.clockOffsetMs, usedUnreadable });
  });
}

/** The fields of a card that a change may set. */
type CardFields = Partial<Pick<CardRecord, "name" | "autoConvert" | "spendingLimit">>;

function fieldsOf({ name, autoConvert, spendingLimit }: ChangeRequest, card: CardRecord): CardFields {
  return {
    ...(name && { name: name.given ?? defaultName(card.type, card.lastFour) }),
    ...(autoConvert !== undefined && { autoConvert }),
    ...(spendingLimit !== undefined && { spendingLimit }),
  };
}

/**
 * Changes a card and emits the events, in the caller's transaction. Every change of an existing card goes through here,
 * whether the caller, the operator or a replacement causes it.
 * @throws SandboxError `cards.state_conflict`
 */
export function changeCard(
  services: Services,
  card: StoredCard,
  trigger: Trigger,
  fields: CardFields = {},
  faults?: EventFaults,
): StoredCard {
  const { database } = services;
  const before = card.card.status;
  const status = statusAfterChange(services, card, trigger);
  const changed = {
    ...card,
    card: { ...card.card, ...fields, status },
    heldFrom: isHeld(status) ? before : null,
  };
  // A card that has ended does not change any more: an expired card that is replaced stays expired.
  if (!hasEnded(before)) updateCard(database, changed, hasEnded(status));
  const { companyPk } = card;
  const data = () => cardNow(services, changed, { clockOffsetMs: clockOffsetOf(database, companyPk) });
  if (status !== before) {
    const extra = { previous_status: before };
    emit(services, { companyPk, type: "card.status_changed", data, extra, faults });
  }
  const { spendingLimit } = fields;
  if (spendingLimit !== undefined && !isSameLimit(spendingLimit, card.card.spendingLimit)) {
    emit(services, { companyPk, type: "card.spending_limit_changed", data, faults });
  }
  return changed;
}

function isSameLimit(a: CardRecord["spendingLimit"], b: CardRecord["spendingLimit"]): boolean {
  return a?.period === b?.period && a?.amountMinor === b?.amountMinor;
}
