import type { Card } from "../contract/card.ts";
import { hasEnded } from "../rules/card-transitions.ts";
import { nothingSpent } from "../rules/card-use.ts";
import { companyNow } from "../rules/clock.ts";
import { periodStarts } from "../rules/uk-calendar.ts";
import type { Services } from "../runtime/services.ts";
import type { StoredCard } from "../store/cards.ts";
import { spentFrom, spentFromEach } from "../store/transactions.ts";
import { cardOf, listedCardOf } from "./card.ts";

/** How a card is looked at. */
interface View {
  /** How far the company's time is ahead of the sandbox's clock. */
  readonly clockOffsetMs: number;
  /** What it has spent cannot be read. */
  readonly usedUnreadable?: boolean | undefined;
}

/** A card as a response outside lists shows it now; what was spent is looked up where it is shown alone. */
export function cardNow({ database, clock }: Services, { pk, card }: StoredCard, view: View): Card {
  const { clockOffsetMs, usedUnreadable } = view;
  if (!card.spendingLimit || hasEnded(card.status) || usedUnreadable) return cardOf(card, usedUnreadable);
  const starts = periodStarts(companyNow(clock, clockOffsetMs));
  return cardOf(card, usedUnreadable, spentFrom(database, pk, starts));
}

/** How a list shows each of its cards now; what was spent from all of them is one query. */
export function listedCardsNow(
  { database, clock }: Services,
  cards: readonly StoredCard[],
  { clockOffsetMs, usedUnreadable }: View,
): (numbered: StoredCard) => Card {
  const pks = usedUnreadable ? [] : cards.map(({ pk }) => pk);
  const starts = periodStarts(companyNow(clock, clockOffsetMs));
  const spent = pks.length > 0 ? spentFromEach(database, pks, starts) : undefined;
  return ({ pk, card }) => listedCardOf(card, usedUnreadable, spent?.get(pk) ?? nothingSpent);
}
