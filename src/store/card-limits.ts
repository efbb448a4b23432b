import type { CardLimitsMinor } from "../core/spending-limit.ts";

/** The columns in which companies and cards keep their card limits. */
export interface LimitColumns {
  max_per_purchase_minor: number;
  daily_minor: number;
  rolling_32_days_minor: number;
}

export function limitsOf(row: LimitColumns): CardLimitsMinor {
  return {
    maxPerPurchaseMinor: row.max_per_purchase_minor,
    dailyMinor: row.daily_minor,
    rolling32DaysMinor: row.rolling_32_days_minor,
  };
}
