import type { CardStatus } from "../contract/card.ts";
import type { CompanyId } from "../contract/identifiers.ts";
import type { Database } from "./database.ts";

/** A card whose expiry was just recorded: its number in its company, its status before, and the time of its expiry. */
export interface ExpiredCard {
  readonly number: number;
  readonly status: CardStatus;
  /** By the company's clock. */
  readonly atMs: number;
}

/** Parameters: company, the last position before, the last position, time by the sandbox's clock. */
const due = `
  company_pk = ? AND position > ? AND position <= ? AND status <> 'terminated' AND status <> 'expired'
    AND expires_at_ms <= ? + (SELECT clock_offset_ms FROM companies WHERE pk = company_pk)`;

const countExpired = `
  UPDATE card_counts SET not_ended = not_ended - 1 WHERE company_pk = ? AND expires_at_ms = ?`;

/**
 * Records the expiry of the expired cards with a number above `after`, up to `last`.
 * @param nowMs - by the sandbox's clock
 * @returns these cards as they were before, ordered by number
 */
export function recordExpiry(
  database: Database,
  nowMs: number,
  { companyPk, after, last }: { readonly companyPk: number; readonly after: number; readonly last: number },
): ExpiredCard[] {
  const range = [companyPk, after, last, nowMs];
  const expired = database.all<ExpiredCard>(
    `SELECT position AS number, status, expires_at_ms AS atMs FROM cards WHERE ${due} ORDER BY position`,
    ...range,
  );
  if (expired.length === 0) return expired;
  database.run(`UPDATE cards SET status = 'expired', held_from = NULL WHERE ${due}`, ...range);
  for (const { atMs } of expired) database.run(countExpired, companyPk, atMs);
  return expired;
}

/** Only companies with webhooks: the others need no record, because every query computes which cards have expired. */
const companies = `
  SELECT c.pk AS companyPk, c.id AS companyId, (
    SELECT total(made) FROM card_counts m WHERE m.company_pk = c.pk
  ) AS cardsMade
  FROM companies c
  WHERE EXISTS (SELECT 1 FROM webhooks w WHERE w.company_pk = c.pk) AND EXISTS (
    SELECT 1 FROM card_counts n
    WHERE n.company_pk = c.pk AND n.not_ended > 0 AND n.expires_at_ms <= ? + c.clock_offset_ms)
  ORDER BY c.pk`;

/** The companies with webhooks that have expired cards whose expiry is not recorded yet. */
export function companiesWithUnrecordedExpiry(
  database: Database,
  nowMs: number,
): { readonly companyPk: number; readonly companyId: CompanyId; readonly cardsMade: number }[] {
  return database.all(companies, nowMs);
}

const nextExpiry = `
  SELECT min(n.expires_at_ms - c.clock_offset_ms) AS atMs
  FROM companies c JOIN card_counts n ON n.company_pk = c.pk
  WHERE n.not_ended > 0 AND c.pk IN (SELECT company_pk FROM webhooks)`;

/** When the next card of a company with webhooks expires, by the sandbox's clock. */
export function nextExpiryMs(database: Database): number | undefined {
  return database.get<{ atMs: number | null }>(nextExpiry)?.atMs ?? undefined;
}
