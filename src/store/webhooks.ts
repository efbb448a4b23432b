import type { CompanyId, Environment } from "../contract/identifiers.ts";
import type { EventType, WebhookId, WebhookStatus } from "../contract/webhook.ts";
import {
  countOf,
  type Database,
  inserted,
  type Listed,
  limitParameter,
  nextPosition,
  type Page,
} from "./database.ts";

/** An earlier secret that still signs until an instant by the company's clock. */
export interface PreviousSecret {
  readonly number: number;
  readonly untilMs: number;
}

/** A webhook. Its secrets are derived from their numbers. */
export interface WebhookRecord {
  readonly pk: number;
  readonly id: WebhookId;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly status: WebhookStatus;
  /** The number of its secret in its company. */
  readonly secretNumber: number;
  /** The newest first; some may have expired. */
  readonly previousSecrets: readonly PreviousSecret[];
  readonly pendingDeliveries: number;
  readonly createdAtMs: number;
}

const insert = `
  INSERT INTO webhooks (id, company_pk, url, events, status, secret_number, created_at_ms, position)
  VALUES (?, ?, ?, ?, ?, ?, ?, ${nextPosition("webhooks", "company_pk")}) RETURNING pk`;

/** @returns the new row's number */
export function insertWebhook(
  database: Database,
  webhook: Omit<WebhookRecord, "pk" | "previousSecrets" | "pendingDeliveries"> & {
    readonly companyPk: number;
  },
): number {
  const { id, companyPk, url, events, status, secretNumber, createdAtMs } = webhook;
  const values = [id, companyPk, url, events.join(" "), status, secretNumber, createdAtMs, companyPk];
  return inserted(database.get(insert, ...values));
}

const selected = `
  SELECT pk, position, id, url, events, status, secret_number AS secretNumber,
    previous_secrets AS previousSecrets, pending_deliveries AS pendingDeliveries, created_at_ms AS createdAtMs
  FROM webhooks`;

interface WebhookRow extends Omit<Listed<WebhookRecord>, "events" | "previousSecrets"> {
  readonly events: string;
  readonly previousSecrets: string;
}

function webhookOf(row: WebhookRow): Listed<WebhookRecord> {
  return { ...row, events: eventsOf(row.events), previousSecrets: JSON.parse(row.previousSecrets) };
}

function eventsOf(column: string): EventType[] {
  return column.split(" ") as EventType[];
}

const list = `
  ${selected} WHERE company_pk = ? AND position < coalesce(?, 9007199254740991)
  ORDER BY position DESC ${limitParameter}`;

/** The newest first. */
export function pageOfWebhooks(
  database: Database,
  companyPk: number,
  { before, limit }: Page,
): Listed<WebhookRecord>[] {
  return database.all<WebhookRow>(list, companyPk, before ?? null, limit).map(webhookOf);
}

export function webhookOfCompany(
  database: Database,
  companyPk: number,
  id: WebhookId,
): WebhookRecord | undefined {
  const row = database.get<WebhookRow>(`${selected} WHERE company_pk = ? AND id = ?`, companyPk, id);
  return row && webhookOf(row);
}

/** A webhook with its company. */
export interface CompanyWebhook extends WebhookRecord {
  readonly companyPk: number;
  readonly companyId: CompanyId;
  readonly companySlug: string;
  readonly companyName: string;
  readonly environment: Environment;
  readonly clockOffsetMs: number;
}

const withCompany = `
  SELECT w.pk, w.position, w.id, w.url, w.events, w.status, w.secret_number AS secretNumber,
    w.previous_secrets AS previousSecrets, w.pending_deliveries AS pendingDeliveries,
    w.created_at_ms AS createdAtMs, c.pk AS companyPk, c.id AS companyId, c.slug AS companySlug,
    c.name AS companyName, c.environment, c.clock_offset_ms AS clockOffsetMs
  FROM webhooks w JOIN companies c ON c.pk = w.company_pk`;

type CompanyWebhookRow = WebhookRow & Omit<CompanyWebhook, keyof WebhookRecord>;

const companyWebhookOf = (row: CompanyWebhookRow): CompanyWebhook => ({ ...row, ...webhookOf(row) });

/** The webhooks of a company, or of all, the newest first. */
export function latestWebhooks(
  database: Database,
  companyPk: number | undefined,
  limit: number,
): CompanyWebhook[] {
  const latest = `ORDER BY w.pk DESC ${limitParameter}`;
  const rows =
    companyPk === undefined
      ? database.all<CompanyWebhookRow>(`${withCompany} ${latest}`, limit)
      : database.all<CompanyWebhookRow>(`${withCompany} WHERE w.company_pk = ? ${latest}`, companyPk, limit);
  return rows.map(companyWebhookOf);
}

export function webhookNamed(database: Database, id: string): CompanyWebhook | undefined {
  const row = database.get<CompanyWebhookRow>(`${withCompany} WHERE w.id = ?`, id);
  return row && companyWebhookOf(row);
}

export function countWebhooks(database: Database, companyPk: number): number {
  return countOf(database, "SELECT count(*) AS n FROM webhooks WHERE company_pk = ?", companyPk);
}

/** An active webhook, with its company's id and clock: everything that the creation of a delivery needs. */
export interface ActiveWebhook
  extends Pick<WebhookRecord, "pk" | "id" | "events" | "createdAtMs" | "pendingDeliveries"> {
  readonly companyId: CompanyId;
  readonly clockOffsetMs: number;
}

const active = `
  SELECT w.pk, w.id, w.events, w.created_at_ms AS createdAtMs, w.pending_deliveries AS pendingDeliveries,
    c.id AS companyId, c.clock_offset_ms AS clockOffsetMs
  FROM webhooks w
  JOIN companies c ON c.pk = w.company_pk
  WHERE w.company_pk = ? AND w.status = 'active' ORDER BY w.pk`;

export function activeWebhooks(database: Database, companyPk: number): ActiveWebhook[] {
  return database
    .all<Omit<ActiveWebhook, "events"> & { readonly events: string }>(active, companyPk)
    .map((row) => ({ ...row, events: eventsOf(row.events) }));
}

export function updateWebhook(
  database: Database,
  pk: number,
  { url, events, status }: Pick<WebhookRecord, "url" | "events" | "status">,
): void {
  const query = "UPDATE webhooks SET url = ?, events = ?, status = ? WHERE pk = ?";
  database.run(query, url, events.join(" "), status, pk);
}

export function disableWebhook(database: Database, pk: number): void {
  database.run("UPDATE webhooks SET status = 'disabled' WHERE pk = ?", pk);
}

/** Gives a webhook another secret. */
export function setWebhookSecrets(
  database: Database,
  pk: number,
  secretNumber: number,
  previousSecrets: readonly PreviousSecret[],
): void {
  const query = "UPDATE webhooks SET secret_number = ?, previous_secrets = ? WHERE pk = ?";
  database.run(query, secretNumber, JSON.stringify(previousSecrets), pk);
}

/** Deletes a webhook and its deliveries. */
export function deleteWebhookRows(database: Database, pk: number): void {
  const deliveries = "SELECT pk FROM webhook_deliveries WHERE webhook_pk = ?";
  database.run(`DELETE FROM webhook_attempts WHERE delivery_pk IN (${deliveries})`, pk);
  database.run("DELETE FROM webhook_deliveries WHERE webhook_pk = ?", pk);
  database.run("DELETE FROM webhooks WHERE pk = ?", pk);
}
