import type { AccountId } from "../contract/identifiers.ts";
import type { AccountStatus, CompanyStatus } from "../rules/company.ts";
import type { CardLimitsMinor } from "../rules/limits.ts";
import type { OrderWorld } from "../rules/overlay.ts";
import { limitColumns, limitsOf } from "./companies.ts";
import type { Database } from "./database.ts";

const query = `
  SELECT c.status AS companyStatus, c.details_complete AS companyDetails, c.card_quota AS cardQuota,
    (SELECT total(not_ended) FROM card_counts n
      WHERE n.company_pk = c.pk AND n.expires_at_ms > ? + c.clock_offset_ms) AS liveCards,
    (SELECT total(made) FROM card_counts n WHERE n.company_pk = c.pk) AS cardsMade,
    c.clock_offset_ms AS clockOffsetMs, c.design_id AS designId, ${limitColumns("c")},
    m.details_complete AS cardholderDetails,
    a.pk AS accountPk, a.id AS accountId, a.currency, a.status AS accountStatus
  FROM companies c
  JOIN members m ON m.pk = ?
  LEFT JOIN accounts a ON a.id = ? AND a.company_pk = c.pk
  WHERE c.pk = ?`;

interface OrderWorldRow extends CardLimitsMinor {
  readonly companyStatus: CompanyStatus;
  readonly companyDetails: number;
  readonly cardholderDetails: number;
  readonly cardQuota: number;
  readonly liveCards: number;
  readonly cardsMade: number;
  readonly clockOffsetMs: number;
  readonly designId: string;
  readonly accountPk: number | null;
  readonly accountId: AccountId | null;
  readonly currency: string | null;
  readonly accountStatus: AccountStatus | null;
}

/**
 * Reads everything that an order's checks need, in one query over companies, members and accounts.
 * @param nowMs - by the sandbox's clock
 */
export function orderWorld(
  database: Database,
  nowMs: number,
  companyPk: number,
  memberPk: number,
  accountId: AccountId,
): OrderWorld {
  const row = database.get<OrderWorldRow>(query, nowMs, memberPk, accountId, companyPk);
  if (!row) throw new Error(`company ${companyPk} or member ${memberPk} does not exist in the database`);
  return {
    companyStatus: row.companyStatus,
    companyDetailsComplete: row.companyDetails === 1,
    cardholderDetailsComplete: row.cardholderDetails === 1,
    cardQuota: row.cardQuota,
    liveCards: row.liveCards,
    cardsMade: row.cardsMade,
    nowMs: nowMs + row.clockOffsetMs,
    designId: row.designId,
    limits: limitsOf(row),
    account: accountOf(row),
  };
}

function accountOf({ accountPk: pk, accountId: id, currency, accountStatus: status }: OrderWorldRow) {
  if (pk === null || id === null || currency === null || status === null) return undefined;
  return { pk, id, currency, status };
}
