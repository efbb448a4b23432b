import type { IdempotencyKey } from "../contract/identifiers.ts";
import { contractPoints } from "../contract/points.ts";
import type { JournalEntry, JournalMessage } from "../journal/journal-entry.ts";
import { findCompany } from "../store/companies.ts";
import type { Database } from "../store/database.ts";
import { cardBySharedKey } from "../store/idempotency-keys.ts";
import { findMembership } from "../store/members.ts";

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** The ids of the objects that a request names in its path, that its response shows, or that its Idempotency-Key made. */
export function idsOf(database: Database, entry: JournalEntry): string[] {
  const { id } = jsonOf(entry.response);
  const named = entry.path.toLowerCase().match(uuids) ?? [];
  const made = cardIdOfKey(database, entry);
  return [...new Set([...named, ...(typeof id === "string" ? [id] : []), ...(made ? [made] : [])])];
}

/** A response that was lost or replaced shows no id, but its key was stored with the card. */
function cardIdOfKey(database: Database, entry: JournalEntry): string | undefined {
  const { caller, operation, idempotency_key: key } = entry;
  const company = caller && key !== null ? findCompany(database, caller.company_id) : undefined;
  if (!caller || !company || operation === null || key === null) return undefined;
  const member = findMembership(database, caller.member_id, caller.environment, company.pk);
  const scope = { companyPk: company.pk, key: key as IdempotencyKey, memberPk: member?.memberPk, operation };
  return cardBySharedKey(database, 0, scope)?.card.card.id;
}

/** Whether a request may have changed something: it is no reading one, no replay, and it was not refused. */
export function canChange({ method, point }: JournalEntry): boolean {
  if (method === "GET" || method === "HEAD" || point === null || point.includes(".replayed")) return false;
  const { status } = contractPoints[point];
  return status < 400 || status >= 500;
}

/** The JSON object of a message; empty if it has none. */
export function jsonOf(message: JournalMessage | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(message?.body ?? "");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Whether an object of an event has the status that the response shows of it: others came just before or after. */
export function isAfter(data: object, shown: Readonly<Record<string, unknown>>): boolean {
  const { id, status } = data as { id?: unknown; status?: unknown };
  return id !== shown.id || shown.status === undefined || status === shown.status;
}
