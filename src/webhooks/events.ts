import type { DeliveryId, EventType } from "../contract/webhook.ts";
import type { WebhookPayload } from "../contract/webhook-event.ts";
import { companyNow } from "../rules/clock.ts";
import type { EventFaults } from "../rules/overlay.ts";
import { uuidOf } from "../rules/random.ts";
import type { Services } from "../runtime/services.ts";
import { nextNumber } from "../store/meta.ts";
import { insertDelivery, isHoldingBack } from "../store/webhook-deliveries.ts";
import { activeWebhooks } from "../store/webhooks.ts";

/** Something that happened in a company. */
export interface CompanyEvent<Type extends EventType> {
  readonly companyPk: number;
  readonly type: Type;
  /** The whole object after the event; made only if a webhook receives it. */
  readonly data: () => WebhookPayload<Type>["data"];
  /** Further fields of the payload, beside `data`. */
  readonly beside?: Omit<WebhookPayload<Type>, "type" | "timestamp" | "data"> | undefined;
  readonly faults?: EventFaults | undefined;
  /**
   * The card that expired, by its number in its company, and the time of its expiry. The event gets this time and an
   * id derived from the number, so neither depends on when the expiry is recorded. Absent: the event happens now.
   */
  readonly expired?: { readonly number: number; readonly atMs: number };
}

type Emitting = Pick<Services, "database" | "random" | "clock" | "outbox">;

/** How long an event that is to arrive out of order is held back, unless another one goes before it. */
const heldBackMs = 5000;

/** Pending deliveries per webhook: without a bound, a receiver that never answers would fill the database. */
export const mostPending = 10_000;

/**
 * Tells each active webhook of the company that subscribes to it, within the caller's transaction: what is rolled
 * back tells nobody. One look-up where there is no webhook.
 */
export function emit<Type extends EventType>(services: Emitting, event: CompanyEvent<Type>): void {
  const webhooks = activeWebhooks(services.database, event.companyPk);
  if (webhooks.length > 0) services.outbox.watch(false);
  for (const webhook of webhooks) {
    const wasThere = event.expired === undefined || webhook.createdAtMs <= event.expired.atMs;
    if (wasThere && webhook.events.includes(event.type)) put(services, webhook, event);
  }
}

/**
 * Puts an event into the outbox for one webhook, whatever it subscribes to.
 * @returns the delivery's id
 */
export function put<Type extends EventType>(
  { database, random, clock, outbox }: Emitting,
  webhook: {
    readonly pk: number;
    readonly id: string;
    readonly pendingDeliveries: number;
    readonly companyId: string;
    readonly clockOffsetMs: number;
  },
  { companyPk, type, data, beside, faults: forced, expired }: CompanyEvent<Type>,
): DeliveryId {
  const faults = forced?.faults;
  if (forced) forced.struck = true;
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
  // Of two that are to arrive out of order the second goes first, and is not held back as well.
  const heldBack = faults?.reorder === true && !isHoldingBack(database, webhook.pk);
  insertDelivery(database, {
    id,
    companyPk,
    webhookPk: webhook.pk,
    event: type,
    body: JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data: data(), ...beside }),
    dueAtMs: nowMs + (heldBack ? heldBackMs : 0),
    rejected:
      webhook.pendingDeliveries < mostPending
        ? undefined
        : `not sent: ${mostPending} deliveries to this webhook are pending already; resend it when there are fewer`,
    faults: faults && { ...faults, reorder: heldBack || undefined },
    createdAtMs: atMs,
  });
  outbox.stir(webhook.pk);
  return id;
}
