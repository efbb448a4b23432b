import type { Card } from "../contract/card.ts";
import type { Trigger } from "../rules/card-transitions.ts";
import { SandboxError } from "../rules/errors.ts";
import type { Overlay } from "../rules/facts.ts";
import { capViolation, type SpendingLimit } from "../rules/spending-limit.ts";
import type { Services } from "../runtime/services.ts";
import type { Caller } from "../store/callers.ts";
import type { CardRecord, StoredCard } from "../store/cards.ts";
import { usualName } from "./card.ts";
import { type CardFields, changeCard } from "./change.ts";
import { cardNow } from "./current-card.ts";
import { visibleCard } from "./visible-card.ts";

export interface ChangeRequest {
  readonly caller: Caller;
  readonly overlay: Overlay;
  /** The card as the caller names it. */
  readonly cardId: string;
}

/**
 * Makes a change that the caller asks for, deciding from top to bottom.
 * @param fieldsFor - what it sets on the card; throws where that does not fit the card
 * @throws SandboxError `cards.*`
 */
export function changeAsAsked(
  services: Services,
  { caller, overlay, cardId }: ChangeRequest,
  trigger: Trigger,
  fieldsFor: (card: CardRecord) => CardFields = () => ({}),
): Card {
  return services.database.transaction(() => {
    refuseInvalid(overlay);
    const kept = visibleCard(services, caller, cardId);
    const fields = fieldsFor(kept.card);
    refuseWhileChanging(services, overlay, kept);
    const changed = changeCard(services, kept, trigger, { fields, faults: overlay.webhook });
    const { usedUnreadable } = overlay.facts;
    return cardNow(services, changed, { clockOffsetMs: caller.clockOffsetMs, usedUnreadable });
  });
}

/** 400 where the request is to be refused for a reason of the service's own. */
export function refuseInvalid({ facts }: Overlay): void {
  if (facts.requestValid === false) {
    throw new SandboxError("cards.invalid_request", "The request is invalid");
  }
}

/** 409 while another change to the card is in progress (spec §3). */
export function refuseWhileChanging(services: Services, { facts }: Overlay, kept: StoredCard): void {
  if (facts.changeInProgress || services.cardsChanging.has(changingName(services, kept))) {
    throw new SandboxError(
      "cards.change_in_progress",
      "Another change to the card is in progress: retry in a moment",
    );
  }
}

/** A card by its id, in its company's present world. */
export function changingName({ generations }: Services, { companyPk, card }: StoredCard): string {
  return `${generations.of(companyPk)}/${card.id}`;
}

/** Sets a limit, within the card's own caps (spec §2). */
export function limited(spendingLimit: SpendingLimit): (card: CardRecord) => CardFields {
  return ({ limits }) => {
    const overCap = capViolation(spendingLimit, limits);
    if (overCap) throw new SandboxError("cards.spending_limit_over_cap", `amount: ${overCap}`);
    return { spendingLimit };
  };
}

/** What is absent stays. */
export interface DetailsChange {
  /** `given` is absent where the name that was sent says nothing: the card then has the usual one. */
  readonly name: { readonly given: string | undefined } | undefined;
  readonly autoConvert: boolean | undefined;
}

/** Sets a card's name, `auto_convert`, or both. */
export function renamed({ name, autoConvert }: DetailsChange): (card: CardRecord) => CardFields {
  return ({ type, lastFour }) => ({
    ...(name && { name: name.given ?? usualName(type, lastFour) }),
    ...(autoConvert !== undefined && { autoConvert }),
  });
}
