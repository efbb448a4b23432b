import type { Card } from "../contract/card.ts";
import { type CardId, cardId } from "../contract/identifiers.ts";
import { cardToken, lastFour } from "../rules/card-token.ts";
import { hasEnded } from "../rules/card-transitions.ts";
import { companyNow } from "../rules/clock.ts";
import { reachOf } from "../rules/company.ts";
import { SandboxError } from "../rules/errors.ts";
import { type CardSpending, nothingSpent, shownLimitsOf, usedLimitsOf, usedOf } from "../rules/limits.ts";
import { formatMinor } from "../rules/money.ts";
import type { Random } from "../rules/random.ts";
import { numberedUuidOf } from "../rules/random.ts";
import { expiryDate, periodStarts } from "../rules/uk-calendar.ts";
import type { Services } from "../runtime/services.ts";
import type { Caller } from "../store/callers.ts";
import {
  type CardRecord,
  cardExists,
  cardOfCompany,
  type ListedCard,
  type StoredCard,
} from "../store/cards.ts";
import { hasTransactions, spentFrom, spentFromEach } from "../store/transactions.ts";

type Derived = "id" | "token" | "name" | "lastFour" | "expiryDate" | "threeDsBiometric";

/** A new card without the fields that are derived from its number and its date. */
export interface CardPlan extends Omit<CardRecord, Derived> {
  /** The card's number in its company, from 1. */
  readonly number: number;
  /** Default: `Physical <last four>` (spec §4) or `Virtual <last four>`. */
  readonly name: string | undefined;
  /** Set if the card keeps the number of the card that it replaces. Default: derived. */
  readonly lastFour?: string;
  /** Set if the card keeps the token of the card that it replaces. Default: derived. */
  readonly token?: string;
  /** How long the card is valid. Default: 5. */
  readonly years?: number;
}

/** Creates a company's n-th card: its id, token and last four depend only on the seed, the company and n. */
export function makeCard(random: Random, plan: CardPlan): CardRecord {
  const { number, companyId, type, createdAtMs } = plan;
  const chance = random.block("card", companyId, number);
  const digits = plan.lastFour ?? lastFour(chance);
  return {
    id: numberedUuidOf(companyId, number, chance) as CardId,
    token: plan.token ?? cardToken(number, random.block("card_token", companyId, 0)),
    companyId,
    accountId: plan.accountId,
    memberId: plan.memberId,
    type,
    designId: plan.designId,
    status: plan.status,
    name: plan.name ?? defaultName(type, digits),
    lastFour: digits,
    expiryDate: expiryDate(createdAtMs, plan.years),
    autoConvert: plan.autoConvert,
    threeDsBiometric: false,
    spendingLimit: plan.spendingLimit,
    currency: plan.currency,
    limits: plan.limits,
    createdAtMs,
  };
}

/** The name of a card that was ordered without one. */
export function defaultName(type: CardRecord["type"], lastFour: string): string {
  return `${type === "physical" ? "Physical" : "Virtual"} ${lastFour}`;
}

/** How a response shows a card. */
interface View {
  /** How far the company's time is ahead of the sandbox's clock. */
  readonly clockOffsetMs: number;
  /** Whether the amount spent cannot be read. */
  readonly usedUnreadable?: boolean | undefined;
}

/** A card as responses other than lists show it now. The amount spent is looked up only if it is shown. */
export function cardNow({ database, clock }: Services, { pk, card }: StoredCard, view: View): Card {
  const { clockOffsetMs, usedUnreadable } = view;
  if (!card.spendingLimit || hasEnded(card.status) || usedUnreadable) return cardOf(card, usedUnreadable);
  const starts = periodStarts(companyNow(clock, clockOffsetMs));
  return cardOf(card, usedUnreadable, spentFrom(database, pk, starts));
}

/** Shows each card of a company's list as it is now. One query looks up the amounts spent from all of them. */
export function listedCardsNow(
  { database, clock }: Services,
  companyPk: number,
  cards: readonly ListedCard[],
  { clockOffsetMs, usedUnreadable }: View,
): (listed: ListedCard) => Card {
  if (usedUnreadable || !hasTransactions(database, companyPk)) {
    return ({ card }) => listedCardOf(card, usedUnreadable);
  }
  const starts = periodStarts(companyNow(clock, clockOffsetMs));
  const pks = cards.map(({ pk }) => pk);
  const spent = spentFromEach(database, pks, starts);
  return ({ pk, card }) => listedCardOf(card, false, spent.get(pk));
}

/**
 * The Card of spec §2 as responses other than lists show it: without `used` in `card_limits`.
 * @param usedUnreadable - whether the amount spent cannot be read
 * @param spent - the amount spent; default: nothing, as for a new card
 */
export function cardOf(record: CardRecord, usedUnreadable = false, spent = nothingSpent): Card {
  return shown(record, spendingLimitOf(record, usedUnreadable, spent), shownLimitsOf(record.limits));
}

/** The Card as lists show it: with `used` in `card_limits` (spec §2). */
function listedCardOf(record: CardRecord, usedUnreadable = false, spent = nothingSpent): Card {
  const limits = usedUnreadable ? shownLimitsOf(record.limits) : usedLimitsOf(record.limits, spent);
  return shown(record, spendingLimitOf(record, usedUnreadable, spent), limits);
}

function shown(
  record: CardRecord,
  spendingLimit: Card["spending_limit"],
  cardLimits: Card["card_limits"],
): Card {
  return {
    id: record.id,
    token: record.token,
    company_id: record.companyId,
    account_id: record.accountId,
    user_id: record.memberId,
    type: record.type,
    design_id: record.designId,
    status: record.status,
    name: record.name,
    last_four: record.lastFour,
    expiry_date: record.expiryDate,
    auto_convert: record.autoConvert,
    three_ds_biometric: record.threeDsBiometric,
    spending_limit: spendingLimit,
    card_limits: cardLimits,
    created_at: new Date(record.createdAtMs).toISOString(),
  };
}

function spendingLimitOf(
  { spendingLimit, currency, status }: CardRecord,
  usedUnreadable: boolean,
  spent: CardSpending,
): Card["spending_limit"] {
  if (!spendingLimit) return null;
  return {
    period: spendingLimit.period,
    amount: formatMinor(spendingLimit.amountMinor),
    currency,
    // Spec §2: omitted if it cannot be read or the card has ended.
    ...(!usedUnreadable && !hasEnded(status) && { used: formatMinor(usedOf(spendingLimit, spent)) }),
  };
}

/** Whether the caller sees only its own cards, not all cards of the company. */
export function seesOnlyOwnCards({ role }: Caller): boolean {
  return reachOf(role, "view_cards") === "own";
}

/** The card of the caller's company with the id that the caller sent; undefined if there is none. */
export function findNamedCard(
  { database, clock }: Services,
  { companyPk }: Caller,
  named: string,
): StoredCard | undefined {
  const id = cardId.safeParse(named).data;
  return id && cardOfCompany(database, clock.now(), companyPk, id);
}

/**
 * Narrows the card that `findNamedCard` found to one that the caller sees.
 * @throws SandboxError `cards.not_found`, or 403 if the dialect does not hide cards that exist
 */
export function visibleCard(
  { database, dialects }: Services,
  card: StoredCard | undefined,
  caller: Caller,
  named: string,
): StoredCard {
  if (card && (!seesOnlyOwnCards(caller) || card.card.memberId === caller.memberId)) return card;
  const { choices } = dialects.of(caller.companyPk);
  if (card && choices["cards.of_colleague"] === "403") {
    throw new SandboxError("cards.of_colleague", `Card ${named} belongs to another member of the company`);
  }
  const showsOthers = choices["cards.of_other_company"] === "403";
  if (!card && showsOthers && cardExists(database, caller.environment, named)) {
    throw new SandboxError("cards.of_other_company", `Card ${named} belongs to another company`);
  }
  throw new SandboxError("cards.not_found", `Card ${named} was not found in this company`);
}
