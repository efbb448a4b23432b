import * as z from "zod";
import { mustBe, oneOf } from "./expected.ts";
import { uuid } from "./identifiers.ts";

/** The events that webhooks can receive (assumed: the spec shows no event types, §6). */
export const eventType = oneOf([
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
]);
export type EventType = z.output<typeof eventType>;

export const webhookId = uuid.brand<"WebhookId">();
export type WebhookId = z.output<typeof webhookId>;

/** The id of the delivery of one event to one webhook, and the `webhook-id` of each attempt. */
export const deliveryId = uuid.brand<"DeliveryId">();
export type DeliveryId = z.output<typeof deliveryId>;

export const webhookStatus = oneOf(["active", "disabled"]);
export type WebhookStatus = z.output<typeof webhookStatus>;

/** `pending`: further attempts follow. `failed`: no further attempt follows. */
export const deliveryStatus = z.enum(["pending", "delivered", "failed"]);
export type DeliveryStatus = z.output<typeof deliveryStatus>;

const url = z
  .string(mustBe("a URL"))
  .max(2048, "must be at most 2048 characters")
  .meta({ format: "uri", pattern: "^[hH][tT]{2}[pP][sS]?://[^/?#]" });
const events = z
  .array(eventType, mustBe("an array of event types"))
  .min(1, "must have at least one event type")
  .overwrite((types) => [...new Set(types)]);

/** The body of `POST /developer/webhooks`. */
export const newWebhook = z.object({ url, events }, mustBe("a JSON object"));
export type NewWebhookBody = z.output<typeof newWebhook>;

/** The body of `PATCH /developer/webhooks/{id}`. Absent fields stay as they are. */
export const webhookChange = z.object(
  { url: url.optional(), events: events.optional(), status: webhookStatus.optional() },
  mustBe("a JSON object"),
);
export type WebhookChange = z.output<typeof webhookChange>;
