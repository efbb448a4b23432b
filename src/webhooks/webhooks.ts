import {
  type DeliveryId,
  deliveryId,
  type NewWebhookBody,
  type WebhookChange,
  type WebhookId,
} from "../contract/webhook.ts";
import type { Webhook, WebhookDelivery, WebhookWithSecret } from "../contract/webhook-responses.ts";
import { companyNow } from "../rules/clock.ts";
import { SandboxError } from "../rules/errors.ts";
import type { EventFaults } from "../rules/overlay.ts";
import { uuidOf } from "../rules/random.ts";
import type { Services } from "../runtime/services.ts";
import type { Caller } from "../store/callers.ts";
import { nextNumber } from "../store/meta.ts";
import { type DeliveryRecord, deliveryOfWebhook, restartDelivery } from "../store/webhook-deliveries.ts";
import {
  countWebhooks,
  insertWebhook,
  type PreviousSecret,
  setWebhookSecrets,
  updateWebhook,
  type WebhookRecord,
} from "../store/webhooks.ts";
import { enqueue, mostPending } from "./events.ts";
import { receiverProblem } from "./receiver.ts";
import { unexpiredSecrets, webhookSecret } from "./signing.ts";
import { targetViolation } from "./target.ts";

/** The company of a webhook: that of a caller, or one that the control API names. */
export type WebhookCompany = Pick<Caller, "companyPk" | "companyId" | "clockOffsetMs">;

/** How long a secret still signs after its rotation. */
const secretOverlapMs = 24 * 60 * 60 * 1000;
/** All valid secrets sign every event, and one header holds all signatures. */
const mostSecrets = 10;

/**
 * Creates a webhook of the caller's company.
 * @param allowedHosts - the external hosts that may receive events
 * @returns the webhook with its secret, which no later response shows
 * @throws SandboxError `webhooks.url_invalid`, `webhooks.url_not_allowed`, `webhooks.limit_reached`
 */
export function createWebhook(
  services: Services,
  caller: WebhookCompany,
  { url, events }: NewWebhookBody,
  allowedHosts: readonly string[],
): WebhookWithSecret {
  const { database, random } = services;
  const { companyPk, companyId } = caller;
  refuseTarget(url, allowedHosts);
  const most = Number(services.dialects.of(companyPk).choices["webhooks.limit"]);
  return database.transaction(() => {
    if (countWebhooks(database, companyPk) >= most) {
      throw new SandboxError(
        "webhooks.limit_reached",
        `The company has ${most} webhooks, which is the maximum. Delete one first.`,
      );
    }
    const n = nextNumber(database, companyPk, "webhooks");
    const secretNumber = nextNumber(database, companyPk, "webhook_secrets");
    const created = {
      id: uuidOf(random.block("webhook", companyId, n)) as WebhookId,
      url,
      events,
      status: "active",
      createdAtMs: companyNow(services.clock, caller.clockOffsetMs),
    } as const;
    insertWebhook(database, { ...created, companyPk, secretNumber });
    services.outbox.expiriesAdded(true);
    return { ...webhookOf(created), secret: webhookSecret(random, companyId, secretNumber) };
  });
}

/**
 * Changes a webhook. Absent fields stay.
 * @throws SandboxError `webhooks.url_invalid`, `webhooks.url_not_allowed`
 */
export function changeWebhook(
  { database, outbox }: Services,
  webhook: WebhookRecord,
  { url = webhook.url, events = [...webhook.events], status = webhook.status }: WebhookChange,
  allowedHosts: readonly string[],
): Webhook {
  if (url !== webhook.url) refuseTarget(url, allowedHosts);
  updateWebhook(database, webhook.pk, { url, events, status });
  outbox.deliveriesChanged(webhook.pk);
  outbox.expiriesAdded(true);
  return webhookOf({ ...webhook, url, events, status });
}

/**
 * Gives a webhook a new secret. Each earlier one stays valid until 24 hours after its own rotation, unless a dialect ends
 * it at once.
 * @throws SandboxError `webhooks.rotation_limit_reached`
 */
export function rotateWebhookSecret(
  services: Services,
  caller: WebhookCompany,
  webhook: WebhookRecord,
): WebhookWithSecret {
  const { database, random } = services;
  const { companyPk, companyId } = caller;
  const nowMs = companyNow(services.clock, caller.clockOffsetMs);
  const keepsSecrets = services.dialects.of(companyPk).choices["webhooks.secret_overlap"] === "24h";
  const previous = keepsSecrets ? unexpiredSecrets(webhook.previousSecrets, nowMs) : [];
  refuseMoreSecrets(previous);
  return database.transaction(() => {
    const secretNumber = nextNumber(database, companyPk, "webhook_secrets");
    const rotated = { number: webhook.secretNumber, untilMs: nowMs + secretOverlapMs };
    setWebhookSecrets(database, webhook.pk, secretNumber, keepsSecrets ? [rotated, ...previous] : []);
    return { ...webhookOf(webhook), secret: webhookSecret(random, companyId, secretNumber) };
  });
}

/**
 * Sends `webhook.test`, whether the webhook subscribes to it or not.
 * @throws SandboxError `webhooks.disabled`, `webhooks.backlog_full`
 */
export function testWebhook(
  services: Services,
  caller: WebhookCompany,
  webhook: WebhookRecord,
  faults: EventFaults | undefined,
): WebhookDelivery {
  refuseDisabled(webhook);
  refuseBacklog(webhook);
  return services.database.transaction(() => {
    const { companyPk, companyId, clockOffsetMs } = caller;
    const event = { companyPk, type: "webhook.test", data: () => webhookOf(webhook), faults } as const;
    return shown(services, webhook, enqueue(services, { ...webhook, companyId, clockOffsetMs }, event));
  });
}

/**
 * Sends an event again, with the same `webhook-id` and all retries.
 * @param named - the id of the delivery, as it was sent
 * @throws SandboxError `webhooks.delivery_not_found`, `webhooks.disabled`, `webhooks.backlog_full`
 */
export function resendDelivery(
  services: Services,
  caller: WebhookCompany,
  webhook: WebhookRecord,
  named: string,
): WebhookDelivery {
  const { database, outbox } = services;
  const id = deliveryId.safeParse(named).data;
  const delivery = id && deliveryOfWebhook(database, webhook.pk, id);
  if (!delivery) {
    throw new SandboxError("webhooks.delivery_not_found", `Delivery ${named} was not found for this webhook`);
  }
  refuseDisabled(webhook);
  if (delivery.status !== "pending") refuseBacklog(webhook);
  return database.transaction(() => {
    restartDelivery(database, delivery.pk, companyNow(services.clock, caller.clockOffsetMs));
    outbox.deliveriesChanged(webhook.pk);
    return shown(services, webhook, delivery.id);
  });
}

/** A webhook in responses, without its secret. */
export function webhookOf({
  id,
  url,
  events,
  status,
  createdAtMs,
}: Pick<WebhookRecord, "id" | "url" | "events" | "status" | "createdAtMs">): Webhook {
  return { id, url, events: [...events], status, created_at: new Date(createdAtMs).toISOString() };
}

/** A delivery in responses. */
export function deliveryOf(record: DeliveryRecord): WebhookDelivery {
  const { id, webhookId, event, status, body, attempts, dueAtMs, createdAtMs } = record;
  return {
    id,
    webhook_id: webhookId,
    event,
    status,
    attempts: attempts.map(({ atMs, responseStatus, error }) => ({
      at: new Date(atMs).toISOString(),
      outcome: error === null ? "success" : "failure",
      response_status: responseStatus,
      error,
    })),
    next_attempt_at: status === "pending" ? new Date(dueAtMs).toISOString() : null,
    payload: JSON.parse(body),
    created_at: new Date(createdAtMs).toISOString(),
  };
}

function shown({ database }: Services, webhook: WebhookRecord, id: DeliveryId): WebhookDelivery {
  const delivery = deliveryOfWebhook(database, webhook.pk, id);
  if (!delivery) throw new Error("the delivery that was just stored does not exist");
  return deliveryOf(delivery);
}

function refuseTarget(url: string, allowedHosts: readonly string[]): void {
  const violation = targetViolation(url, allowedHosts);
  if (violation) throw new SandboxError(`webhooks.url_${violation.kind}`, `url: ${violation.message}`);
  const problem = receiverProblem(url);
  if (problem) throw new SandboxError("webhooks.url_invalid", `url: ${problem}`);
}

function refuseDisabled({ status }: WebhookRecord): void {
  if (status === "active") return;
  throw new SandboxError(
    "webhooks.disabled",
    'The webhook is disabled and receives no events. Set its status to "active" first.',
  );
}

function refuseBacklog({ pendingDeliveries }: WebhookRecord): void {
  if (pendingDeliveries < mostPending) return;
  throw new SandboxError(
    "webhooks.backlog_full",
    `The webhook has ${pendingDeliveries} pending deliveries, which is the maximum. Wait until its receiver accepts some of them, or delete the webhook.`,
  );
}

function refuseMoreSecrets(previous: readonly PreviousSecret[]): void {
  if (previous.length + 1 < mostSecrets) return;
  const nextMs = Math.min(...previous.map(({ untilMs }) => untilMs));
  throw new SandboxError(
    "webhooks.rotation_limit_reached",
    `The webhook has ${previous.length + 1} valid secrets, which is the maximum. Rotate again after ${new Date(nextMs).toISOString()}, when the oldest secret expires.`,
  );
}
