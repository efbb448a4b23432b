import type { SpendingLimitPeriod } from "../contract/amount.ts";
import type { Card } from "../contract/card.ts";
import { formatMinor, type Minor } from "./money.ts";

/** A card's fixed limits (spec §2, CardLimits): EUR cents. */
export interface CardLimitsMinor {
  readonly maxPerPurchaseMinor: number;
  readonly dailyMinor: number;
  readonly rolling32DaysMinor: number;
}

/** A limit that the caller set, in minor units of the account's currency. */
export interface SpendingLimit {
  readonly period: SpendingLimitPeriod;
  readonly amountMinor: Minor;
}

/**
 * The cap rules of spec §2. Amounts compare as bare numbers, with no conversion from EUR; equal is allowed.
 * @returns the violation, or `undefined` if the limit is allowed
 */
export function capViolation(limit: SpendingLimit, caps: CardLimitsMinor): string | undefined {
  if (limit.period === "lifetime") return undefined;
  const [name, capMinor] =
    limit.period === "daily"
      ? (["daily", caps.dailyMinor] as const)
      : (["rolling_32_days", caps.rolling32DaysMinor] as const);
  if (limit.amountMinor <= capMinor) return undefined;
  return `must be at most ${formatMinor(capMinor)} for a ${limit.period} limit (card_limits.${name}.amount, without currency conversion)`;
}

/**
 * The amounts that count against a card's limits: authorized and cleared payments, less reversals and refunds. A payment
 * counts from its authorization, a refund from its creation, so the amount of a period can be negative.
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

/** The spending of a card without payments. */
export const nothingSpent: CardSpending = {
  dayMinor: 0,
  weekMinor: 0,
  monthMinor: 0,
  lifetimeMinor: 0,
  dayEurMinor: 0,
  rolling32DaysEurMinor: 0,
};

/** The used part of a spending limit in its current period, never negative. */
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

/** `card_limits` of spec §2, without the used part of each. */
export function shownLimitsOf(limits: CardLimitsMinor): Card["card_limits"] {
  return {
    currency: "EUR",
    max_per_purchase: { amount: formatMinor(limits.maxPerPurchaseMinor) },
    daily: { amount: formatMinor(limits.dailyMinor) },
    rolling_32_days: { amount: formatMinor(limits.rolling32DaysMinor) },
  };
}

/** `card_limits` with the used part of each. The limit for one purchase is never partly used. */
export function usedLimitsOf(limits: CardLimitsMinor, spent: CardSpending): Card["card_limits"] {
  const limit = (minor: number, usedMinor: number) => ({
    amount: formatMinor(minor),
    used: formatMinor(Math.max(0, usedMinor)),
  });
  return {
    currency: "EUR",
    max_per_purchase: limit(limits.maxPerPurchaseMinor, 0),
    daily: limit(limits.dailyMinor, spent.dayEurMinor),
    rolling_32_days: limit(limits.rolling32DaysMinor, spent.rolling32DaysEurMinor),
  };
}
