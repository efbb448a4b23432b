import type { DeliveryId, DeliveryStatus, EventType, WebhookId } from "../contract/webhook.ts";
import type { WebhookFaults } from "../rules/webhook-faults.ts";
import type { Database } from "./database.ts";
import { inserted, nextPosition } from "./inserted.ts";
import type { Store } from "./open-store.ts";
import { forgetOlder, keepAttempt } from "./webhook-outbox.ts";

/** One event on its way to one webhook, times by the company's clock. */
export interface DeliveryRecord {
  readonly pk: number;
  readonly id: DeliveryId;
  readonly webhookId: WebhookId;
  readonly event: EventType;
  /** The bytes that are signed and sent. */
  readonly body: string;
  readonly status: DeliveryStatus;
  readonly dueAtMs: number;
  readonly createdAtMs: number;
  readonly attempts: readonly {
    readonly atMs: number;
    /** Null where the receiver did not answer. */
    readonly responseStatus: number | null;
    /** Null where it was a success. */
    readonly error: string | null;
  }[];
}

export interface NewDelivery {
  readonly id: DeliveryId;
  readonly companyPk: number;
  readonly webhookPk: number;
  readonly event: EventType;
  readonly body: string;
  readonly dueAtMs: number;
  /** The reason why it is not sent; undefined: it is pending. */
  readonly rejected: string | undefined;
  readonly faults: WebhookFaults | undefined;
  readonly createdAtMs: number;
}

const insert = `
  INSERT INTO webhook_deliveries (id, company_pk, webhook_pk, event, body, status, due_at_ms, faults, created_at_ms,
    position)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ${nextPosition("webhook_deliveries", "webhook_pk")}) RETURNING pk`;

const countPending = "UPDATE webhooks SET pending_deliveries = pending_deliveries + 1 WHERE pk = ?";

const selected = `
  SELECT d.pk, d.position, d.id, w.id AS webhook_id, d.event, d.body, d.status, d.due_at_ms, d.created_at_ms
  FROM webhook_deliveries d JOIN webhooks w ON w.pk = d.webhook_pk`;

const list = `
  ${selected} WHERE d.webhook_pk = ? AND d.position < coalesce(?, 9007199254740991)
  ORDER BY d.position DESC LIMIT ?`;

const byId = `${selected} WHERE d.webhook_pk = ? AND d.id = ?`;

const attempts = `
  SELECT at_ms AS atMs, response_status AS responseStatus, error FROM webhook_attempts
  WHERE delivery_pk = ? ORDER BY pk`;

const heldBack = `
  SELECT 1 FROM webhook_deliveries
  WHERE webhook_pk = ? AND status = 'pending' AND tries = 0 AND faults ->> 'reorder'`;

interface DeliveryRow {
  pk: number;
  position: number;
  id: DeliveryId;
  webhook_id: WebhookId;
  event: EventType;
  body: string;
  status: DeliveryStatus;
  due_at_ms: number;
  created_at_ms: number;
}

export function deliveries(database: Database): Store["deliveries"] {
  return {
    insert({ id, companyPk, webhookPk, event, body, dueAtMs, rejected, faults, createdAtMs }) {
      const kept = faults ? JSON.stringify(faults) : null;
      const status = rejected === undefined ? "pending" : "failed";
      const values = [id, companyPk, webhookPk, event, body, status, dueAtMs, kept, createdAtMs, webhookPk];
      const pk = inserted(database.get(insert, ...values));
      if (rejected === undefined) database.run(countPending, webhookPk);
      else {
        keepAttempt(database, { pk, companyPk }, createdAtMs, { status: null, error: rejected });
        forgetOlder(database, webhookPk);
      }
      return pk;
    },
    list(webhookPk, { before, limit }) {
      const rows = database.all<DeliveryRow>(list, webhookPk, before ?? null, limit);
      return rows.map((row) => ({ ...deliveryRecordOf(database, row), position: row.position }));
    },
    byId(webhookPk, id) {
      const row = database.get<DeliveryRow>(byId, webhookPk, id);
      return row && deliveryRecordOf(database, row);
    },
    isHoldingBack(webhookPk) {
      return database.get(heldBack, webhookPk) !== undefined;
    },
    renew(pk, dueAtMs) {
      const query =
        "SELECT webhook_pk AS webhookPk FROM webhook_deliveries WHERE pk = ? AND status <> 'pending'";
      const over = database.get<{ webhookPk: number }>(query, pk);
      if (over) database.run(countPending, over.webhookPk);
      database.run(
        `UPDATE webhook_deliveries SET status = 'pending', round = round + 1, tries = 0, due_at_ms = ?,
           faults = NULL WHERE pk = ?`,
        dueAtMs,
        pk,
      );
    },
  };
}

/** The latest deliveries of a company's webhooks, or of all, the newest first. */
export function listDeliveries(
  database: Database,
  companyPk: number | undefined,
  limit: number,
): DeliveryRecord[] {
  const rows =
    companyPk === undefined
      ? database.all<DeliveryRow>(`${selected} ORDER BY d.pk DESC LIMIT ?`, limit)
      : database.all<DeliveryRow>(
          `${selected} WHERE d.company_pk = ? ORDER BY d.pk DESC LIMIT ?`,
          companyPk,
          limit,
        );
  return rows.map((row) => deliveryRecordOf(database, row));
}

function deliveryRecordOf(database: Database, row: DeliveryRow): DeliveryRecord {
  return {
    pk: row.pk,
    id: row.id,
    webhookId: row.webhook_id,
    event: row.event,
    body: row.body,
    status: row.status,
    dueAtMs: row.due_at_ms,
    createdAtMs: row.created_at_ms,
    attempts: database.all<DeliveryRecord["attempts"][number]>(attempts, row.pk),
  };
}
