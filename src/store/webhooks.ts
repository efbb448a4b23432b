import type { EventType, WebhookId, WebhookStatus } from "../contract/webhook.ts";
import type { Database } from "./database.ts";
import { inserted, nextPosition } from "./inserted.ts";
import type { Store } from "./open-store.ts";

/** An earlier secret that signs until an instant by the company's clock. */
export interface PreviousSecret {
  readonly number: number;
  readonly untilMs: number;
}

/** A webhook, its secrets by their numbers. */
export interface WebhookRecord {
  readonly pk: number;
  readonly id: WebhookId;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly status: WebhookStatus;
  /** Which of its company's secrets it has. */
  readonly secretNumber: number;
  /** The newest first; those that expired may be among them. */
  readonly previousSecrets: readonly PreviousSecret[];
  readonly pendingDeliveries: number;
  readonly createdAtMs: number;
}

export interface NewWebhook extends Omit<WebhookRecord, "pk" | "previousSecrets" | "pendingDeliveries"> {
  readonly companyPk: number;
}

const insert = `
  INSERT INTO webhooks (id, company_pk, url, events, status, secret_number, created_at_ms, position)
  VALUES (?, ?, ?, ?, ?, ?, ?, ${nextPosition("webhooks", "company_pk")}) RETURNING pk`;

const columns = `
  pk, position, id, url, events, status, secret_number, previous_secrets, pending_deliveries, created_at_ms`;

const list = `
  SELECT ${columns} FROM webhooks WHERE company_pk = ? AND position < coalesce(?, 9007199254740991)
  ORDER BY position DESC LIMIT ?`;

const byId = `SELECT ${columns} FROM webhooks WHERE company_pk = ? AND id = ?`;

const ofCompany = `
  SELECT w.pk, w.id, w.events, w.created_at_ms AS createdAtMs, w.pending_deliveries AS pendingDeliveries,
    c.id AS companyId, c.clock_offset_ms AS clockOffsetMs
  FROM webhooks w
  JOIN companies c ON c.pk = w.company_pk
  WHERE w.company_pk = ? AND w.status = 'active' ORDER BY w.pk`;

interface WebhookRow {
  pk: number;
  position: number;
  id: WebhookId;
  url: string;
  events: string;
  status: WebhookStatus;
  secret_number: number;
  previous_secrets: string;
  pending_deliveries: number;
  created_at_ms: number;
}

export function webhooks(database: Database): Store["webhooks"] {
  return {
    insert({ id, companyPk, url, events, status, secretNumber, createdAtMs }) {
      return inserted(
        database.get(
          insert,
          id,
          companyPk,
          url,
          events.join(" "),
          status,
          secretNumber,
          createdAtMs,
          companyPk,
        ),
      );
    },
    list(companyPk, { before, limit }) {
      const rows = database.all<WebhookRow>(list, companyPk, before ?? null, limit);
      return rows.map((row) => ({ ...webhookRecordOf(row), position: row.position }));
    },
    byId(companyPk, id) {
      const row = database.get<WebhookRow>(byId, companyPk, id);
      return row && webhookRecordOf(row);
    },
    count(companyPk) {
      const query = "SELECT count(*) AS n FROM webhooks WHERE company_pk = ?";
      return database.get<{ n: number }>(query, companyPk)?.n ?? 0;
    },
    ofCompany(companyPk) {
      const rows = database.all<
        Omit<ReturnType<Store["webhooks"]["ofCompany"]>[number], "events"> & { readonly events: string }
      >(ofCompany, companyPk);
      return rows.map((row) => ({ ...row, events: eventsOf(row.events) }));
    },
    change(pk, { url, events, status }) {
      const query = "UPDATE webhooks SET url = ?, events = ?, status = ? WHERE pk = ?";
      database.run(query, url, events.join(" "), status, pk);
    },
    delete(pk) {
      const deliveries = "SELECT pk FROM webhook_deliveries WHERE webhook_pk = ?";
      database.run(`DELETE FROM webhook_attempts WHERE delivery_pk IN (${deliveries})`, pk);
      database.run("DELETE FROM webhook_deliveries WHERE webhook_pk = ?", pk);
      database.run("DELETE FROM webhooks WHERE pk = ?", pk);
    },
    rotate(pk, secretNumber, previousSecrets) {
      const query = "UPDATE webhooks SET secret_number = ?, previous_secrets = ? WHERE pk = ?";
      database.run(query, secretNumber, JSON.stringify(previousSecrets), pk);
    },
  };
}

function webhookRecordOf({ pk, id, url, events, status, ...row }: WebhookRow): WebhookRecord {
  return {
    pk,
    id,
    url,
    events: eventsOf(events),
    status,
    secretNumber: row.secret_number,
    previousSecrets: JSON.parse(row.previous_secrets),
    pendingDeliveries: row.pending_deliveries,
    createdAtMs: row.created_at_ms,
  };
}

function eventsOf(kept: string): EventType[] {
  return kept.split(" ") as EventType[];
}
