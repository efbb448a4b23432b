import type { Card } from "../contract/card.ts";
import { formatMinor } from "./money.ts";
import type { SpendingLimit } from "./spending-limit.ts";

/**
 * What counts against a card's limits: authorised and cleared, without what was reversed or refunded. A payment
 * counts from when it was authorised, a refund from when it was made; so a period may come to less than nothing.
 */
export interface CardSpending {
  readonly dayMinor: number;
  readonly weekMinor: number;
  readonly monthMinor: number;
  readonly lifetimeMinor: number;
  /** For the card limits, which are in EUR (spec §2). */
  readonly dayEurMinor: number;
  readonly rolling32DaysEurMinor: number;
}

/** Of a card from which nothing was spent. */
export const nothingSpent: CardSpending = {
  dayMinor: 0,
  weekMinor: 0,
  monthMinor: 0,
  lifetimeMinor: 0,
  dayEurMinor: 0,
  rolling32DaysEurMinor: 0,
};

/** What is used of a spending limit in its current period, never below zero. */
export function usedOf({ period }: SpendingLimit, spent: CardSpending): number {
  switch (period) {
    case "daily":
      return Math.max(0, spent.dayMinor);
    case "weekly":
      return Math.max(0, spent.weekMinor);
    case "monthly":
      return Math.max(0, spent.monthMinor);
    case "lifetime":
      return Math.max(0, spent.lifetimeMinor);
  }
}

/** `card_limits` with what is used of each; a purchase uses its limit anew. */
export function usedLimitsOf(limits: Card["card_limits"], spent: CardSpending): Card["card_limits"] {
  const used = (minor: number) => formatMinor(Math.max(0, minor));
  return {
    currency: limits.currency,
    max_per_purchase: { amount: limits.max_per_purchase.amount, used: used(0) },
    daily: { amount: limits.daily.amount, used: used(spent.dayEurMinor) },
    rolling_32_days: { amount: limits.rolling_32_days.amount, used: used(spent.rolling32DaysEurMinor) },
  };
}
