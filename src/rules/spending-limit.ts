import type { SpendingLimitPeriod } from "../contract/spending-limit.ts";
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
 * @returns what is wrong, or `undefined`
 */
export function capViolation(limit: SpendingLimit, caps: CardLimitsMinor): string | undefined {
  if (limit.period === "lifetime") return undefined;
  const [name, capMinor] =
    limit.period === "daily"
      ? (["daily", caps.dailyMinor] as const)
      : (["rolling_32_days", caps.rolling32DaysMinor] as const);
  if (limit.amountMinor <= capMinor) return undefined;
  return `a ${limit.period} limit is at most card_limits.${name}.amount, ${formatMinor(capMinor)}`;
}
