import * as z from "zod";
import { account } from "./account.ts";
import { card, cardStatus } from "./card.ts";
import { parcelStatus } from "./delivery-address.ts";
import { cardId, uuid } from "./identifiers.ts";
import { invoice, invoiceStatus } from "./invoice.ts";
import { transaction, transactionStatus } from "./transaction.ts";

/** The events that webhooks can receive (assumed: the spec shows no event types, §6). */
const eventTypes = [
  "card.created",
  "card.status_changed",
  "card.replaced",
  "card.spending_limit_changed",
  "card.delivery_updated",
  "transaction.created",
  "transaction.updated",
  "account.updated",
  "invoice.created",
  "invoice.paid",
  "webhook.test",
] as const;
export const eventType = z.enum(eventTypes, { error: `must be one of ${eventTypes.join(", ")}` });
export type EventType = z.output<typeof eventType>;

export const webhookId = uuid.brand<"WebhookId">();
export type WebhookId = z.output<typeof webhookId>;

/** One event on its way to one webhook; it is also the `webhook-id` of each of its attempts. */
export const deliveryId = uuid.brand<"DeliveryId">();
export type DeliveryId = z.output<typeof deliveryId>;

export const webhookStatus = z.enum(["active", "disabled"], { error: "must be active or disabled" });
export type WebhookStatus = z.output<typeof webhookStatus>;

/** `pending`: further attempts follow. `failed`: none follows. */
export const deliveryStatus = z.enum(["pending", "delivered", "failed"]);
export type DeliveryStatus = z.output<typeof deliveryStatus>;

const url = z
  .string({ error: "is required: where events are sent" })
  .max(2048, "must be at most 2048 long")
  .meta({ format: "uri", pattern: "^[hH][tT]{2}[pP][sS]?://[^/?#]" });
const events = z
  .array(eventType, { error: "is required: a list of event types" })
  .min(1, "must name an event type")
  .overwrite((types) => [...new Set(types)]);

/** The body of `POST /developer/webhooks`. */
export const newWebhook = z.object({ url, events }, { error: "the body must be a JSON object" });
export type NewWebhookBody = z.output<typeof newWebhook>;

/** The body of `PATCH /developer/webhooks/{id}`. Absent fields stay as they are. */
export const webhookChange = z.object(
  { url: url.optional(), events: events.optional(), status: webhookStatus.optional() },
  { error: "the body must be a JSON object" },
);
export type WebhookChange = z.output<typeof webhookChange>;

/** A webhook in responses. */
export const webhook = z.object({
  id: webhookId,
  url,
  events: z.array(eventType),
  status: webhookStatus,
  created_at: z.iso.datetime(),
});
export type Webhook = z.output<typeof webhook>;

/** A webhook with a new secret, which no later response shows. */
export const webhookWithSecret = webhook.extend({ secret: z.string().regex(/^whsec_/) });
export type WebhookWithSecret = z.output<typeof webhookWithSecret>;

export const deletedWebhook = z.object({ id: webhookId, deleted: z.literal(true) });

/** The delivery status of a physical card. */
export const cardDelivery = z.strictObject({
  card_id: uuid,
  status: parcelStatus,
  /** By the company's time. */
  updated_at: z.iso.datetime(),
});

/** @param beside - the fields of the event beside `data`, which is the whole object after the event */
const event = <Type extends EventType, Data extends z.ZodObject, Beside extends z.ZodRawShape>(
  type: Type,
  data: Data,
  beside: Beside,
) => z.strictObject({ type: z.literal(type), timestamp: z.iso.datetime(), data, ...beside });

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

/** One event on its way to one webhook. */
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
