import type { CompanyId, Environment } from "../contract/identifiers.ts";
import type { DeliveryId, DeliveryStatus, EventType, WebhookId } from "../contract/webhook.ts";
import type { WebhookFaults } from "../rules/overlay.ts";
import { type Database, inserted, type Listed, limitParameter, nextPosition, type Page } from "./database.ts";
import type { PreviousSecret } from "./webhooks.ts";

/** One event for one webhook. Times are by the company's clock. */
export interface DeliveryRecord {
  readonly pk: number;
  readonly id: DeliveryId;
  readonly webhookId: WebhookId;
  readonly event: EventType;
  /** The bytes that are signed and sent. */
  readonly body: string;
  readonly status: DeliveryStatus;
  /** The number of attempts since it was started, or sent again; not counted when it ends. */
  readonly tries: number;
  readonly dueAtMs: number;
  readonly createdAtMs: number;
  readonly attempts: readonly {
    readonly atMs: number;
    /** Null if the receiver did not respond. */
    readonly responseStatus: number | null;
    /** Null if the attempt succeeded. */
    readonly error: string | null;
  }[];
}

const insert = `
  INSERT INTO webhook_deliveries (id, company_pk, webhook_pk, event, body, status, due_at_ms, faults, created_at_ms,
    position)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ${nextPosition("webhook_deliveries", "webhook_pk")}) RETURNING pk`;

const addPending = "UPDATE webhooks SET pending_deliveries = pending_deliveries + ? WHERE pk = ?";

export function insertDelivery(
  database: Database,
  delivery: Pick<DeliveryRecord, "id" | "event" | "body" | "dueAtMs" | "createdAtMs"> & {
    readonly companyPk: number;
    readonly webhookPk: number;
    /** The reason why it is not sent; undefined if it is pending. */
    readonly rejected: string | undefined;
    readonly faults: WebhookFaults | undefined;
  },
): void {
  const { id, companyPk, webhookPk, event, body, dueAtMs, rejected, faults, createdAtMs } = delivery;
  const status = rejected === undefined ? "pending" : "failed";
  const faultsJson = faults ? JSON.stringify(faults) : null;
  const values = [id, companyPk, webhookPk, event, body, status, dueAtMs, faultsJson, createdAtMs, webhookPk];
  const pk = inserted(database.get(insert, ...values));
  if (rejected === undefined) database.run(addPending, 1, webhookPk);
  else {
    insertAttempt(database, { pk, companyPk }, createdAtMs, { status: null, error: rejected });
    deleteOldDeliveries(database, webhookPk);
  }
}

const selected = `
  SELECT d.pk, d.position, d.id, w.id AS webhookId, d.event, d.body, d.status, d.tries, d.due_at_ms AS dueAtMs,
    d.created_at_ms AS createdAtMs
  FROM webhook_deliveries d JOIN webhooks w ON w.pk = d.webhook_pk`;

const attempts = `
  SELECT at_ms AS atMs, response_status AS responseStatus, error FROM webhook_attempts
  WHERE delivery_pk = ? ORDER BY pk`;

type DeliveryRow = Listed<Omit<DeliveryRecord, "attempts">>;

function withAttempts(database: Database, row: DeliveryRow): Listed<DeliveryRecord> {
  return { ...row, attempts: database.all(attempts, row.pk) };
}

export function deliveryOfWebhook(
  database: Database,
  webhookPk: number,
  id: DeliveryId,
): DeliveryRecord | undefined {
  const row = database.get<DeliveryRow>(`${selected} WHERE d.webhook_pk = ? AND d.id = ?`, webhookPk, id);
  return row && withAttempts(database, row);
}

const list = `
  ${selected} WHERE d.webhook_pk = ? AND d.position < coalesce(?, 9007199254740991)
  ORDER BY d.position DESC ${limitParameter}`;

/** A webhook's deliveries, the newest first. */
export function pageOfDeliveries(
  database: Database,
  webhookPk: number,
  { before, limit }: Page,
): Listed<DeliveryRecord>[] {
  const rows = database.all<DeliveryRow>(list, webhookPk, before ?? null, limit);
  return rows.map((row) => withAttempts(database, row));
}

/** The latest deliveries of a company, or of all, the newest first. */
export function latestDeliveries(
  database: Database,
  companyPk: number | undefined,
  limit: number,
): DeliveryRecord[] {
  const latest = `ORDER BY d.pk DESC ${limitParameter}`;
  const rows =
    companyPk === undefined
      ? database.all<DeliveryRow>(`${selected} ${latest}`, limit)
      : database.all<DeliveryRow>(`${selected} WHERE d.company_pk = ? ${latest}`, companyPk, limit);
  return rows.map((row) => withAttempts(database, row));
}

const ofIds = `
  ${selected}
  WHERE d.company_pk = ? AND d.created_at_ms BETWEEN ? AND ?
    AND EXISTS (SELECT 1 FROM json_each(?) WHERE instr(d.body, value) > 0)
  ORDER BY d.pk ${limitParameter}`;

/** The deliveries of a company that were created in a time, by its clock, and whose payload has one of these ids. */
export function deliveriesOfIds(
  database: Database,
  companyPk: number,
  [fromMs, toMs]: readonly [number, number],
  ids: readonly string[],
  limit: number,
): DeliveryRecord[] {
  const values = [companyPk, fromMs, toMs, JSON.stringify(ids)];
  return database.all<DeliveryRow>(ofIds, ...values, limit).map((row) => withAttempts(database, row));
}

export function deliveryNamed(database: Database, id: string): DeliveryRecord | undefined {
  const row = database.get<DeliveryRow>(`${selected} WHERE d.id = ?`, id);
  return row && withAttempts(database, row);
}

/** The latest deliveries of a webhook, of a company, or of all: a bounded number, whatever is stored. */
export interface LatestOf {
  readonly companyPk?: number | undefined;
  readonly webhookPk?: number | undefined;
}

const mostLatest = 1000;

function latestOf({ companyPk, webhookPk }: LatestOf) {
  const [where, values] =
    webhookPk !== undefined
      ? (["WHERE webhook_pk = ?", [webhookPk]] as const)
      : companyPk !== undefined
        ? (["WHERE company_pk = ?", [companyPk]] as const)
        : (["", []] as const);
  const query = `SELECT pk, status FROM webhook_deliveries ${where} ORDER BY pk DESC LIMIT ${mostLatest}`;
  return { query, values };
}

/** Those of the latest 1,000 deliveries that have a status, the newest first. */
export function deliveriesWith(
  database: Database,
  of: LatestOf,
  status: DeliveryStatus | undefined,
  limit: number,
): DeliveryRecord[] {
  const { query, values } = latestOf(of);
  const rows = database.all<DeliveryRow>(
    `${selected} WHERE d.pk IN (SELECT pk FROM (${query}) WHERE status = coalesce(?, status))
     ORDER BY d.pk DESC ${limitParameter}`,
    ...values,
    status ?? null,
    limit,
  );
  return rows.map((row) => withAttempts(database, row));
}

/** Counts the latest 1,000 deliveries by status. */
export function countDeliveries(database: Database, of: LatestOf): Partial<Record<DeliveryStatus, number>> {
  const { query, values } = latestOf(of);
  const counts = database.all<{ status: DeliveryStatus; n: number }>(
    `SELECT status, count(*) AS n FROM (${query}) GROUP BY status`,
    ...values,
  );
  return Object.fromEntries(counts.map(({ status, n }) => [status, n]));
}

const heldBack = `
  SELECT 1 FROM webhook_deliveries
  WHERE webhook_pk = ? AND status = 'pending' AND tries = 0 AND faults ->> 'reorder'`;

/** Whether a delivery of the webhook is held back, so that it arrives after the next one. */
export function isHoldingBack(database: Database, webhookPk: number): boolean {
  return database.get(heldBack, webhookPk) !== undefined;
}

/** Starts a delivery again, in a new round. */
export function restartDelivery(database: Database, pk: number, dueAtMs: number): void {
  const query = "SELECT webhook_pk AS webhookPk FROM webhook_deliveries WHERE pk = ? AND status <> 'pending'";
  const ended = database.get<{ webhookPk: number }>(query, pk);
  if (ended) database.run(addPending, 1, ended.webhookPk);
  database.run(
    `UPDATE webhook_deliveries SET status = 'pending', round = round + 1, tries = 0, due_at_ms = ?,
       faults = NULL WHERE pk = ?`,
    dueAtMs,
    pk,
  );
}

/** A delivery that is due, with everything needed to sign and send it. */
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
  /** The number of attempts in this round. */
  readonly tries: number;
  readonly faults: WebhookFaults;
}

const dueInAnyOrder = `
  SELECT d.pk, d.id, d.company_pk AS companyPk, c.id AS companyId, c.slug AS companySlug, c.environment,
    c.clock_offset_ms AS clockOffsetMs, d.webhook_pk AS webhookPk, w.id AS webhookId, w.url,
    w.secret_number AS secretNumber, w.previous_secrets AS previousSecrets, d.body, d.round, d.tries, d.faults
  FROM webhooks w
  CROSS JOIN companies c ON c.pk = w.company_pk
  CROSS JOIN webhook_deliveries d ON d.webhook_pk = w.pk
  WHERE w.pk = ? AND w.status = 'active' AND d.status = 'pending' AND d.due_at_ms <= ? + c.clock_offset_ms
    AND d.pk NOT IN (SELECT value FROM json_each(?))`;

const oldestFirst = ` ORDER BY d.due_at_ms, d.pk ${limitParameter}`;
const due = dueInAnyOrder + oldestFirst;

/** Only the webhook's oldest pending delivery. One that a scenario holds back lets later ones pass. */
const dueInOrder = `${dueInAnyOrder}
    AND d.pk = (
      SELECT min(e.pk) FROM webhook_deliveries e
      WHERE e.webhook_pk = w.pk AND e.status = 'pending'
        AND NOT (e.tries = 0 AND e.faults ->> 'reorder' IS NOT NULL AND e.due_at_ms > ? + c.clock_offset_ms))
  ${oldestFirst}`;

/**
 * The deliveries to an active webhook that have been due longest.
 * @param nowMs - by the sandbox's clock
 * @param except - the deliveries in progress
 * @param inOrder - each delivery waits for the earlier ones to the webhook
 */
export function dueDeliveries(
  database: Database,
  webhookPk: number,
  nowMs: number,
  except: readonly number[],
  limit: number,
  inOrder: boolean,
): Outgoing[] {
  const values = [webhookPk, nowMs, JSON.stringify(except)];
  return database
    .all<Omit<Outgoing, "faults" | "previousSecrets"> & { faults: string | null; previousSecrets: string }>(
      inOrder ? dueInOrder : due,
      ...(inOrder ? [...values, nowMs] : values),
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

/** When the next delivery to an active webhook is due after `nowMs`; both by the sandbox's clock. */
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

/** The active webhooks with a pending delivery, and when the first is due by the sandbox's clock. */
export function firstDueOfEach(
  database: Database,
  companyPk: number | undefined,
): { readonly webhookPk: number; readonly dueAtMs: number }[] {
  return companyPk === undefined
    ? database.all(firstOfEach)
    : database.all(`${firstOfEach} AND w.company_pk = ?`, companyPk);
}

/** Whether any delivery is pending, due or not. */
export function isAnyPending(database: Database): boolean {
  return database.get("SELECT 1 FROM webhook_deliveries WHERE status = 'pending' LIMIT 1") !== undefined;
}

/** Records an attempt, unless the delivery was deleted meanwhile. */
export function insertAttempt(
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

/** Ends a round: the delivery succeeded, or there is no further attempt. */
export function endRound(
  database: Database,
  { pk, webhookPk, round }: Outgoing,
  status: "delivered" | "failed",
): void {
  const end = "UPDATE webhook_deliveries SET status = ? WHERE pk = ? AND round = ?";
  if (database.run(end, status, pk, round) === 0) return;
  database.run(addPending, -1, webhookPk);
}

/** Schedules the round's next attempt. */
export function postpone(database: Database, { pk, round, tries }: Outgoing, dueAtMs: number): void {
  const query = "UPDATE webhook_deliveries SET tries = ?, due_at_ms = ? WHERE pk = ? AND round = ?";
  database.run(query, tries + 1, dueAtMs, pk, round);
}

/** Makes the webhook's older deliveries due that were held back to arrive after this one. */
export function releaseHeldBack(database: Database, { pk, webhookPk }: Outgoing, nowMs: number): void {
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

/** How many ended deliveries of a webhook are kept. */
const mostEnded = 1000;

/** The latest of a webhook's ended deliveries that is one too many, if there are so many. */
const firstTooMany = `
  SELECT pk FROM webhook_deliveries WHERE webhook_pk = ? AND status <> 'pending'
  ORDER BY pk DESC LIMIT 1 OFFSET ${mostEnded}`;

const tooMany = "SELECT pk FROM webhook_deliveries WHERE webhook_pk = ? AND status <> 'pending' AND pk <= ?";

/** Deletes a webhook's oldest ended deliveries with their attempts. Pending ones stay. */
export function deleteOldDeliveries(database: Database, webhookPk: number): void {
  const pk = database.get<{ pk: number }>(firstTooMany, webhookPk)?.pk;
  if (pk === undefined) return;
  database.run(`DELETE FROM webhook_attempts WHERE delivery_pk IN (${tooMany})`, webhookPk, pk);
  database.run(`DELETE FROM webhook_deliveries WHERE pk IN (${tooMany})`, webhookPk, pk);
}
