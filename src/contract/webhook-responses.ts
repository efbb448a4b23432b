import * as z from "zod";
import { account } from "./account.ts";
import { card, cardStatus } from "./card.ts";
import { parcelStatus } from "./delivery-address.ts";
import { cardId, uuid } from "./identifiers.ts";
import { invoice, invoiceStatus } from "./invoice.ts";
import { transaction, transactionStatus } from "./transaction.ts";
import {
  deliveryId,
  deliveryStatus,
  type EventType,
  eventType,
  newWebhook,
  webhookId,
  webhookStatus,
} from "./webhook.ts";

// Responses and events. Only the OpenAPI documents use these schemas at run time, so they are apart from those of
// requests: a start would make a hundred of them.

/** A webhook in responses. */
export const webhook = z.object({
  id: webhookId,
  url: newWebhook.shape.url,
  events: z.array(eventType),
  status: webhookStatus,
  created_at: z.iso.datetime(),
});
export type Webhook = z.output<typeof webhook>;

/** A webhook with its new secret, which later responses do not show. */
export const webhookWithSecret = webhook.extend({ secret: z.string().regex(/^whsec_/) });
export type WebhookWithSecret = z.output<typeof webhookWithSecret>;

export const deletedWebhook = z.object({ id: webhookId, deleted: z.literal(true) });

/** The delivery status of a physical card. */
export const cardDelivery = z.strictObject({
  card_id: uuid,
  status: parcelStatus,
  /** According to the company's clock. */
  updated_at: z.iso.datetime(),
});

/** @param extra - the fields of the event other than `data`, which is the complete object after the event */
const event = <Type extends EventType, Data extends z.ZodObject, Extra extends z.ZodRawShape>(
  type: Type,
  data: Data,
  extra: Extra,
) => z.strictObject({ type: z.literal(type), timestamp: z.iso.datetime(), data, ...extra });

/** The payload of each event (assumed: the spec shows none, §6). */
export const webhookEvents = {
  "card.created": event("card.created", card, {}),
  "card.status_changed": event("card.status_changed", card, { previous_status: cardStatus }),
  "card.replaced": event("card.replaced", card, { replaced_card_id: cardId }),
  "card.spending_limit_changed": event("card.spending_limit_changed", card, {}),
  "card.delivery_updated": event("card.delivery_updated", cardDelivery, {}),
  "transaction.created": event("transaction.created", transaction, {}),
  "transaction.updated": event("transaction.updated", transaction, {
    previous_status: transactionStatus.optional(),
  }),
  "account.updated": event("account.updated", account, { previous_status: account.shape.status.optional() }),
  "invoice.created": event("invoice.created", invoice, {}),
  "invoice.paid": event("invoice.paid", invoice, { previous_status: invoiceStatus }),
  "webhook.test": event("webhook.test", webhook, {}),
} as const satisfies { [Type in EventType]: z.ZodObject };

export type WebhookPayload<Type extends EventType = EventType> = z.output<(typeof webhookEvents)[Type]>;

const webhookAttempt = z.object({
  at: z.iso.datetime(),
  outcome: z.enum(["success", "failure"]),
  /** The status code of the receiver's response; null if there was none. */
  response_status: z.int().nullable(),
  error: z.string().nullable(),
});

/** The delivery of one event to one webhook. */
export const webhookDelivery = z.object({
  id: deliveryId,
  webhook_id: webhookId,
  event: eventType,
  status: deliveryStatus,
  attempts: z.array(webhookAttempt),
  /** Null if no further attempt is planned. */
  next_attempt_at: z.iso.datetime().nullable(),
  /** The request's body. */
  payload: z.discriminatedUnion("type", [
    webhookEvents["card.created"],
    webhookEvents["card.status_changed"],
    webhookEvents["card.replaced"],
    webhookEvents["card.spending_limit_changed"],
    webhookEvents["card.delivery_updated"],
    webhookEvents["transaction.created"],
    webhookEvents["transaction.updated"],
    webhookEvents["account.updated"],
    webhookEvents["invoice.created"],
    webhookEvents["invoice.paid"],
    webhookEvents["webhook.test"],
  ]),
  created_at: z.iso.datetime(),
});
export type WebhookDelivery = z.output<typeof webhookDelivery>;
