import type { AccountId } from "../contract/identifiers.ts";
import type { Clock } from "../rules/clock.ts";
import type { OrderWorld } from "../rules/facts.ts";
import type { AccountStatus, CompanyStatus } from "../rules/statuses.ts";
import { type LimitColumns, limitsOf } from "./card-limits.ts";
import type { Database } from "./database.ts";
import type { Store } from "./open-store.ts";

const query = `
  SELECT c.status AS company_status, c.details_complete AS company_details, c.card_quota,
    (SELECT total(not_ended) FROM card_counts n
      WHERE n.company_pk = c.pk AND n.expires_at_ms > ? + c.clock_offset_ms) AS live_cards,
    (SELECT total(made) FROM card_counts n WHERE n.company_pk = c.pk) AS cards_made,
    c.clock_offset_ms, c.design_id, c.max_per_purchase_minor, c.daily_minor, c.rolling_32_days_minor,
    m.details_complete AS cardholder_details,
    a.pk AS account_pk, a.id AS account_id, a.currency, a.status AS account_status
  FROM companies c
  JOIN members m ON m.pk = ?
  LEFT JOIN accounts a ON a.id = ? AND a.company_pk = c.pk
  WHERE c.pk = ?`;

interface OrderWorldRow extends LimitColumns {
  company_status: CompanyStatus;
  company_details: number;
  cardholder_details: number;
  card_quota: number;
  live_cards: number;
  cards_made: number;
  clock_offset_ms: number;
  design_id: string;
  account_pk: number | null;
  account_id: AccountId | null;
  currency: string | null;
  account_status: AccountStatus | null;
}

/** Everything an order is judged by, in one query over companies, members and accounts. */
export function orderWorld(database: Database, clock: Pick<Clock, "now">): Store["orderWorld"] {
  return (companyPk, memberPk, accountId) => {
    const nowMs = clock.now();
    const row = database.get<OrderWorldRow>(query, nowMs, memberPk, accountId, companyPk);
    if (!row) throw new Error(`company ${companyPk} or member ${memberPk} is gone from the store`);
    return orderWorldOf(row, nowMs);
  };
}

function orderWorldOf(row: OrderWorldRow, nowMs: number): OrderWorld {
  return {
    companyStatus: row.company_status,
    companyDetailsComplete: row.company_details === 1,
    cardholderDetailsComplete: row.cardholder_details === 1,
    cardQuota: row.card_quota,
    liveCards: row.live_cards,
    cardsMade: row.cards_made,
    nowMs: nowMs + row.clock_offset_ms,
    designId: row.design_id,
    limits: limitsOf(row),
    account: accountOf(row),
  };
}

function accountOf({
  account_pk,
  account_id,
  currency,
  account_status,
}: OrderWorldRow): OrderWorld["account"] {
  if (account_pk === null || account_id === null || currency === null || account_status === null) {
    return undefined;
  }
  return { pk: account_pk, id: account_id, currency, status: account_status };
}
