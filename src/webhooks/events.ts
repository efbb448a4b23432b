import { presentedEvent } from "../contract/presentation.ts";
import type { DeliveryId, EventType } from "../contract/webhook.ts";
import type { WebhookPayload } from "../contract/webhook-responses.ts";
import { companyNow } from "../rules/clock.ts";
import type { EventFaults } from "../rules/overlay.ts";
import { uuidOf } from "../rules/random.ts";
import type { Services } from "../runtime/services.ts";
import { nextNumber } from "../store/meta.ts";
import { insertDelivery, isHoldingBack } from "../store/webhook-deliveries.ts";
import { activeWebhooks } from "../store/webhooks.ts";

/** An event of a company. */
export interface CompanyEvent<Type extends EventType> {
  readonly companyPk: number;
  readonly type: Type;
  /** Returns the whole object after the event; called only if a webhook receives it. */
  readonly data: () => WebhookPayload<Type>["data"];
  /** Fields of the payload in addition to `data`. */
  readonly extra?: Omit<WebhookPayload<Type>, "type" | "timestamp" | "data"> | undefined;
  readonly faults?: EventFaults | undefined;
  /**
   * The card that expired, by its number in its company, and the time of its expiry. The event gets this time and an
   * id derived from the number, so neither depends on when the expiry is recorded. Absent: the event happens now.
   */
  readonly expired?: { readonly number: number; readonly atMs: number };
}

type EventServices = Pick<Services, "database" | "random" | "clock" | "dialects" | "outbox" | "shortenWait">;

/** How long an event that must arrive out of order is held back, unless another one is sent before. */
const heldBackMs = 5000;

/** The most pending deliveries of a webhook: a receiver that never responds must not fill the database. */
export const mostPending = 10_000;

/**
 * Enqueues an event for each active webhook of the company that subscribes to it. Call it in the transaction of the
 * change, so that a rollback also removes the event.
 */
export function emit<Type extends EventType>(services: EventServices, event: CompanyEvent<Type>): void {
  const webhooks = activeWebhooks(services.database, event.companyPk);
  if (webhooks.length > 0) services.outbox.expiriesAdded(false);
  for (const webhook of webhooks) {
    const existed = event.expired === undefined || webhook.createdAtMs <= event.expired.atMs;
    if (existed && webhook.events.includes(event.type)) enqueue(services, webhook, event);
  }
}

/**
 * Enqueues an event for one webhook, whether it subscribes to it or not.
 * @returns the delivery's id
 */
export function enqueue<Type extends EventType>(
  { database, random, clock, dialects, outbox, shortenWait = (ms) => ms }: EventServices,
  webhook: {
    readonly pk: number;
    readonly id: string;
    readonly pendingDeliveries: number;
    readonly companyId: string;
    readonly clockOffsetMs: number;
  },
  { companyPk, type, data, extra, faults: forced, expired }: CompanyEvent<Type>,
): DeliveryId {
  const faults = forced?.faults;
  if (forced) forced.applied = true;
  const nowMs = companyNow(clock, webhook.clockOffsetMs);
  const atMs = expired?.atMs ?? nowMs;
  const block = expired
    ? random.block("card_expiry", webhook.id, expired.number)
    : random.block(
        "webhook_delivery",
        webhook.companyId,
        nextNumber(database, companyPk, "webhook_deliveries"),
      );
  const id = uuidOf(block) as DeliveryId;
  // If one is held back already, this one is sent before it and is not held back itself.
  const heldBack = faults?.reorder === true && !isHoldingBack(database, webhook.pk);
  const payload = { type, timestamp: new Date(atMs).toISOString(), data: data(), ...extra };
  insertDelivery(database, {
    id,
    companyPk,
    webhookPk: webhook.pk,
    event: type,
    body: JSON.stringify(presentedEvent(dialects.of(companyPk), payload)),
    dueAtMs: nowMs + (heldBack ? Math.floor(shortenWait(heldBackMs)) : 0),
    rejected:
      webhook.pendingDeliveries < mostPending
        ? undefined
        : `not sent: ${mostPending} deliveries to this webhook are already pending. Resend it when fewer are pending.`,
    faults: faults && { ...faults, reorder: heldBack || undefined },
    createdAtMs: atMs,
  });
  outbox.deliveriesChanged(webhook.pk);
  return id;
}
