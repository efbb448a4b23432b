import { limitsOf as seedLimits } from "../core/plant-world.ts";
import type { Database } from "../core/ports.ts";
import type { CardLimitsMinor } from "../core/spending-limit.ts";
import { seedCardLimits } from "../core/world.ts";

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

/** The limits of the world's first company, or the assumed ones where there is none. */
export function usualLimits(database: Database): CardLimitsMinor {
  const query =
    "SELECT max_per_purchase_minor, daily_minor, rolling_32_days_minor FROM companies ORDER BY pk LIMIT 1";
  const row = database.get<LimitColumns>(query);
  return row ? limitsOf(row) : seedLimits({ card_limits: seedCardLimits.parse({}) });
}
