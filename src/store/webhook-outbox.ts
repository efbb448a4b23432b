import type { CompanyId, Environment } from "../contract/identifiers.ts";
import type { DeliveryId, WebhookId } from "../contract/webhook.ts";
import type { WebhookFaults } from "../rules/webhook-faults.ts";
import type { Database } from "./database.ts";
import type { PreviousSecret } from "./webhooks.ts";

/** A delivery that is due, with what it takes to sign and send it. */
export interface Outgoing {
  readonly pk: number;
  readonly id: DeliveryId;
  readonly companyPk: number;
  readonly companyId: CompanyId;
  readonly companySlug: string;
  readonly environment: Environment;
  readonly clockOffsetMs: number;
  readonly webhookPk: number;
  readonly webhookId: WebhookId;
  readonly url: string;
  readonly secretNumber: number;
  readonly previousSecrets: readonly PreviousSecret[];
  readonly body: string;
  readonly round: number;
  /** How often it was tried in this round. */
  readonly tries: number;
  readonly faults: WebhookFaults;
}

const due = `
  SELECT d.pk, d.id, d.company_pk AS companyPk, c.id AS companyId, c.slug AS companySlug, c.environment,
    c.clock_offset_ms AS clockOffsetMs, d.webhook_pk AS webhookPk, w.id AS webhookId, w.url,
    w.secret_number AS secretNumber, w.previous_secrets AS previousSecrets, d.body, d.round, d.tries, d.faults
  FROM webhooks w
  CROSS JOIN companies c ON c.pk = w.company_pk
  CROSS JOIN webhook_deliveries d ON d.webhook_pk = w.pk
  WHERE w.pk = ? AND w.status = 'active' AND d.status = 'pending' AND d.due_at_ms <= ? + c.clock_offset_ms
    AND d.pk NOT IN (SELECT value FROM json_each(?))
  ORDER BY d.due_at_ms, d.pk LIMIT ?`;

/**
 * The deliveries to an active webhook that have been due longest.
 * @param nowMs - by the sandbox's clock
 * @param except - the deliveries in progress
 */
export function dueDeliveries(
  database: Database,
  webhookPk: number,
  nowMs: number,
  except: readonly number[],
  limit: number,
): Outgoing[] {
  return database
    .all<Omit<Outgoing, "faults" | "previousSecrets"> & { faults: string | null; previousSecrets: string }>(
      due,
      webhookPk,
      nowMs,
      JSON.stringify(except),
      limit,
    )
    .map((row) => ({
      ...row,
      previousSecrets: JSON.parse(row.previousSecrets),
      faults: row.faults === null ? {} : JSON.parse(row.faults),
    }));
}

const next = `
  SELECT d.due_at_ms - c.clock_offset_ms AS atMs
  FROM webhooks w
  CROSS JOIN companies c ON c.pk = w.company_pk
  CROSS JOIN webhook_deliveries d ON d.webhook_pk = w.pk
  WHERE w.pk = ? AND w.status = 'active' AND d.status = 'pending' AND d.due_at_ms > ? + c.clock_offset_ms
  ORDER BY d.due_at_ms LIMIT 1`;

/** When the next delivery to an active webhook falls due after `nowMs`; both by the sandbox's clock. */
export function nextDueAt(database: Database, webhookPk: number, nowMs: number): number | undefined {
  return database.get<{ atMs: number }>(next, webhookPk, nowMs)?.atMs;
}

const firstOfEach = `
  SELECT w.pk AS webhookPk, d.due_at_ms - c.clock_offset_ms AS dueAtMs
  FROM webhooks w
  CROSS JOIN companies c ON c.pk = w.company_pk
  CROSS JOIN webhook_deliveries d ON d.pk = (
    SELECT pk FROM webhook_deliveries WHERE webhook_pk = w.pk AND status = 'pending' ORDER BY due_at_ms LIMIT 1)
  WHERE w.status = 'active'`;

/** The active webhooks with a pending delivery, and when each falls due by the sandbox's clock. */
export function firstDueOfEach(
  database: Database,
  companyPk: number | undefined,
): { readonly webhookPk: number; readonly dueAtMs: number }[] {
  return companyPk === undefined
    ? database.all(firstOfEach)
    : database.all(`${firstOfEach} AND w.company_pk = ?`, companyPk);
}

/** Whether anything waits to be delivered, now or later. */
export function isAnyPending(database: Database): boolean {
  return database.get("SELECT 1 FROM webhook_deliveries WHERE status = 'pending' LIMIT 1") !== undefined;
}

/** Keeps that a delivery was tried. Nothing is kept of one that is gone meanwhile. */
export function keepAttempt(
  database: Database,
  { pk, companyPk }: Pick<Outgoing, "pk" | "companyPk">,
  atMs: number,
  { status, error }: { readonly status: number | null; readonly error: string | null },
): void {
  database.run(
    `INSERT INTO webhook_attempts (company_pk, delivery_pk, at_ms, response_status, error)
     SELECT ?, pk, ?, ?, ? FROM webhook_deliveries WHERE pk = ?`,
    companyPk,
    atMs,
    status,
    error,
    pk,
  );
}

/** A round is over: the receiver has it, or there is no further attempt. */
export function endRound(
  database: Database,
  { pk, webhookPk, round }: Outgoing,
  status: "delivered" | "failed",
): void {
  const end = "UPDATE webhook_deliveries SET status = ? WHERE pk = ? AND round = ?";
  if (database.run(end, status, pk, round) === 0) return;
  database.run("UPDATE webhooks SET pending_deliveries = pending_deliveries - 1 WHERE pk = ?", webhookPk);
}

/** The round goes on with another attempt. */
export function postpone(database: Database, { pk, round, tries }: Outgoing, dueAtMs: number): void {
  const query = "UPDATE webhook_deliveries SET tries = ?, due_at_ms = ? WHERE pk = ? AND round = ?";
  database.run(query, tries + 1, dueAtMs, pk, round);
}

export function disableWebhook(database: Database, webhookPk: number): void {
  database.run("UPDATE webhooks SET status = 'disabled' WHERE pk = ?", webhookPk);
}

/** Lets older deliveries of the webhook go that were held back to arrive after this one. */
export function letHeldBackGo(database: Database, { pk, webhookPk }: Outgoing, nowMs: number): void {
  database.run(
    `UPDATE webhook_deliveries SET due_at_ms = min(due_at_ms, ?)
     WHERE webhook_pk = ? AND pk < ? AND status = 'pending' AND due_at_ms > ? AND tries = 0
       AND faults ->> 'reorder'`,
    nowMs,
    webhookPk,
    pk,
    nowMs,
  );
}

/** How many deliveries of a webhook are kept once they are over. */
const keptOver = 1000;

/** The latest of a webhook's deliveries that is one too many; nothing where there are not so many. */
const firstTooMany = `
  SELECT pk FROM webhook_deliveries WHERE webhook_pk = ? AND status <> 'pending'
  ORDER BY pk DESC LIMIT 1 OFFSET ${keptOver}`;

const tooMany = "SELECT pk FROM webhook_deliveries WHERE webhook_pk = ? AND status <> 'pending' AND pk <= ?";

/** Forgets a webhook's older deliveries that are over, with their attempts; those that still wait stay. */
export function forgetOlder(database: Database, webhookPk: number): void {
  const pk = database.get<{ pk: number }>(firstTooMany, webhookPk)?.pk;
  if (pk === undefined) return;
  database.run(`DELETE FROM webhook_attempts WHERE delivery_pk IN (${tooMany})`, webhookPk, pk);
  database.run(`DELETE FROM webhook_deliveries WHERE pk IN (${tooMany})`, webhookPk, pk);
}
