import type { Card } from "../contract/card.ts";
import type { CardId, CompanyId } from "../contract/identifiers.ts";
import { cardToken, lastFour } from "../rules/card-token.ts";
import { hasEnded } from "../rules/card-transitions.ts";
import { type CardSpending, nothingSpent, usedLimitsOf, usedOf } from "../rules/card-use.ts";
import { formatMinor } from "../rules/money.ts";
import type { Random } from "../rules/random.ts";
import { numberedUuidOf } from "../rules/random.ts";
import { expiryDate } from "../rules/uk-calendar.ts";
import type { CardRecord } from "../store/cards.ts";

type Derived = "id" | "token" | "name" | "lastFour" | "expiryDate" | "threeDsBiometric";

/** A new card but for what its number and its date decide. */
export interface CardPlan extends Omit<CardRecord, Derived> {
  /** Which of its company's cards it is, from 1. */
  readonly number: number;
  /** Absent: `Physical <last four>` (spec §4), or `Virtual <last four>`. */
  readonly name: string | undefined;
  /** Where it has the number of the card that it replaces; absent: its own. */
  readonly lastFour?: string;
}

/** A company's n-th card: its id, token and last four depend on the seed, the company and n alone. */
export function makeCard(random: Random, plan: CardPlan): CardRecord {
  const { number, companyId, type, createdAtMs } = plan;
  const chance = random.block("card", companyId, number);
  const digits = plan.lastFour ?? lastFour(chance);
  return {
    id: numberedUuidOf(companyId, number, chance) as CardId,
    token: cardToken(number, tokenKeyOf(random, companyId)),
    companyId,
    accountId: plan.accountId,
    memberId: plan.memberId,
    type,
    designId: plan.designId,
    status: plan.status,
    name: plan.name ?? usualName(type, digits),
    lastFour: digits,
    expiryDate: expiryDate(createdAtMs),
    autoConvert: plan.autoConvert,
    threeDsBiometric: false,
    spendingLimit: plan.spendingLimit,
    currency: plan.currency,
    limits: plan.limits,
    createdAtMs,
  };
}

const keysKept = 1000;
const tokenKeys = new WeakMap<Random, Map<CompanyId, Uint8Array>>();

/** The key of a company's card tokens; kept, since each of its cards asks for it. */
function tokenKeyOf(random: Random, companyId: CompanyId): Uint8Array {
  const keys = tokenKeys.get(random) ?? new Map<CompanyId, Uint8Array>();
  const known = keys.get(companyId);
  if (known) return known;
  if (keys.size >= keysKept) keys.clear();
  const key = random.block("card_token", companyId, 0);
  tokenKeys.set(random, keys.set(companyId, key));
  return key;
}

/** The name of a card that was given none. */
export function usualName(type: CardRecord["type"], lastFour: string): string {
  return `${type === "physical" ? "Physical" : "Virtual"} ${lastFour}`;
}

/**
 * The Card of spec §2, as a response outside lists shows it: no `used` inside `card_limits`.
 * @param usedUnreadable - what it has spent cannot be read
 * @param spent - what it has spent; a new card: nothing. `card-now.ts` looks it up
 */
export function cardOf(record: CardRecord, usedUnreadable = false, spent = nothingSpent): Card {
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
    spending_limit: spendingLimitOf(record, usedUnreadable, spent),
    card_limits: {
      currency: "EUR",
      max_per_purchase: { amount: formatMinor(record.limits.maxPerPurchaseMinor) },
      daily: { amount: formatMinor(record.limits.dailyMinor) },
      rolling_32_days: { amount: formatMinor(record.limits.rolling32DaysMinor) },
    },
    created_at: new Date(record.createdAtMs).toISOString(),
  };
}

/** The Card as lists show it: with `used` inside `card_limits` (spec §2). */
export function listedCardOf(record: CardRecord, usedUnreadable = false, spent = nothingSpent): Card {
  const card = cardOf(record, usedUnreadable, spent);
  return usedUnreadable ? card : { ...card, card_limits: usedLimitsOf(card.card_limits, spent) };
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
    // §2: omitted if it cannot be read or the card has ended.
    ...(!usedUnreadable && !hasEnded(status) && { used: formatMinor(usedOf(spendingLimit, spent)) }),
  };
}
