import type { ZodOpenApiPathsObject } from "zod-openapi";
import type { EventType } from "../webhook.ts";
import { cardDelivery, webhookEvents } from "../webhook-responses.ts";
import type { Resource } from "./resources.ts";

const previous = { previous_status: "The status before the event" };
const previousIfChanged = { previous_status: "The status before the event; absent if it did not change" };

const event = (type: EventType, description: string, notes: Resource["notes"] = {}): Resource => ({
  schema: webhookEvents[type],
  provenance: "assumed",
  spec: "§6",
  description,
  notes: {
    timestamp: "Time of the event, according to the company's clock",
    data: "The complete object after the event",
    ...notes,
  },
});

/** The payloads of events, by their names in the OpenAPI document. */
export const eventResources = {
  CardDelivery: {
    schema: cardDelivery,
    provenance: "assumed",
    spec: "§6",
    description: "The delivery status of a physical card",
    notes: { updated_at: "Time of the last change, according to the company's clock" },
  },
  CardCreatedEvent: event("card.created", "A card was ordered"),
  CardStatusChangedEvent: event("card.status_changed", "The status of a card changed", previous),
  CardReplacedEvent: event("card.replaced", "A card was replaced; `data` is the new card", {
    replaced_card_id: "Id of the replaced card",
  }),
  CardSpendingLimitChangedEvent: event(
    "card.spending_limit_changed",
    "The spending limit of a card was set, changed or removed",
  ),
  CardDeliveryUpdatedEvent: event("card.delivery_updated", "The delivery status of a physical card changed"),
  TransactionCreatedEvent: event(
    "transaction.created",
    "A transaction was created, possibly with the status `declined`",
  ),
  TransactionUpdatedEvent: event("transaction.updated", "A transaction changed", previousIfChanged),
  AccountUpdatedEvent: event(
    "account.updated",
    "The balance, the available balance or the status of an account changed",
    previousIfChanged,
  ),
  InvoiceCreatedEvent: event("invoice.created", "An invoice was issued"),
  InvoicePaidEvent: event("invoice.paid", "An invoice was paid", previous),
  WebhookTestEvent: event("webhook.test", "A test event was requested; `data` is the webhook"),
} satisfies Record<string, Resource>;

const assumed = { "x-provenance": "assumed", "x-spec": "§6" };

/** The headers of each delivery, signed as Standard Webhooks defines. */
export const webhookParameters = {
  WebhookId: {
    name: "webhook-id",
    in: "header" as const,
    required: true,
    description: "Id of the delivery, the same for each attempt. Use it to ignore duplicates.",
    schema: { type: "string" as const, format: "uuid" },
    ...assumed,
  },
  WebhookTimestamp: {
    name: "webhook-timestamp",
    in: "header" as const,
    required: true,
    description:
      "Real time of the attempt, in seconds since 1970. Reject a delivery that is more than 5 minutes old.",
    schema: { type: "string" as const, pattern: "^[0-9]+$" },
    ...assumed,
  },
  WebhookSignature: {
    name: "webhook-signature",
    in: "header" as const,
    required: true,
    description:
      "Signatures, separated by spaces: one for each valid secret, at most 10. A signature is `v1,` followed by the " +
      "base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`. Accept the delivery if one signature matches.",
    schema: { type: "string" as const, pattern: "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=){0,9}$" },
    ...assumed,
  },
};

const responses = {
  "2XX": { description: "The event is delivered" },
  "410": { description: "The webhook becomes `disabled` and receives no more events" },
  default: {
    description: "Any other response, or no response within 15 s: the sandbox sends the event again later",
  },
};

/** The requests that a receiver gets, one for each event type. */
export function webhookRequests(): ZodOpenApiPathsObject {
  const names = Object.keys(eventResources) as (keyof typeof eventResources)[];
  return Object.fromEntries(
    (Object.keys(webhookEvents) as EventType[]).map((type) => {
      const name = names.find((each) => eventResources[each].schema === webhookEvents[type]);
      if (!name) throw new Error(`no object describes the event ${type}`);
      return [
        type,
        {
          post: {
            operationId: `receive${name}`,
            tags: ["webhooks"],
            summary: eventResources[name].description,
            security: [],
            parameters: Object.keys(webhookParameters).map((each) => ({
              $ref: `#/components/parameters/${each}`,
            })),
            requestBody: {
              required: true,
              // A reference, because objects of an inline request schema would not be closed.
              content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
            },
            responses,
            ...assumed,
          },
        },
      ];
    }),
  );
}
