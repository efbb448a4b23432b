import type { CardLimitsMinor } from "../rules/spending-limit.ts";
import type { Database } from "./database.ts";

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

/** The limits of the world's first company; undefined if there is no company. */
export function firstCompanyLimits(database: Database): CardLimitsMinor | undefined {
  const query =
    "SELECT max_per_purchase_minor, daily_minor, rolling_32_days_minor FROM companies ORDER BY pk LIMIT 1";
  const row = database.get<LimitColumns>(query);
  return row && limitsOf(row);
}
