import * as z from "zod";
import { uuid } from "./identifiers.ts";

/** What a webhook can be told of (assumed: the spec shows no event kinds, §6). */
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

/** `pending`: attempts are still to come. `failed`: none is. */
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

/** The body of `PATCH /developer/webhooks/{id}`: what is absent stays. */
export const webhookChange = z.object(
  { url: url.optional(), events: events.optional(), status: webhookStatus.optional() },
  { error: "the body must be a JSON object" },
);
export type WebhookChange = z.output<typeof webhookChange>;

/** A webhook as it is shown. */
export const webhook = z.object({
  id: webhookId,
  url,
  events: z.array(eventType),
  status: webhookStatus,
  created_at: z.iso.datetime(),
});
export type Webhook = z.output<typeof webhook>;

/** As it is shown when its secret was just made, and never again. */
export const webhookWithSecret = webhook.extend({ secret: z.string().regex(/^whsec_/) });
export type WebhookWithSecret = z.output<typeof webhookWithSecret>;

export const deletedWebhook = z.object({ id: webhookId, deleted: z.literal(true) });
