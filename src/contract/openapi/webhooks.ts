import type { ZodOpenApiPathsObject } from "zod-openapi";
import type { Choices } from "../behaviours.ts";
import type { Contract } from "../dialect.ts";
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

const signatures = {
  standard: {
    description: (prefix: string) =>
      "Signatures, separated by spaces: one for each valid secret, at most 10. A signature is `v1,` followed by the " +
      `base64 of the HMAC-SHA256 of \`{${prefix}-id}.{${prefix}-timestamp}.{body}\`. Accept the delivery if one signature matches.`,
    pattern: "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=){0,9}$",
  },
  stripe: {
    description: () =>
      "`t=` and the real time of the attempt in seconds since 1970, then `v1=` and a signature for each valid secret, at most " +
      "10, separated by commas. A signature is the HMAC-SHA256 of `{t}.{body}` in hex. Accept the delivery if one matches, " +
      "unless it is more than 5 minutes old.",
    pattern: "^t=[0-9]+(,v1=[0-9a-f]{64}){1,10}$",
  },
  revolut: {
    description: (prefix: string) =>
      "Signatures, separated by commas: one for each valid secret, at most 10. A signature is `v1=` followed by the " +
      `HMAC-SHA256 of \`v1.{${prefix}-timestamp}.{body}\` in hex. Accept the delivery if one signature matches.`,
    pattern: "^v1=[0-9a-f]{64}(,v1=[0-9a-f]{64}){0,9}$",
  },
} as const satisfies Record<Choices["webhooks.signature"], object>;

const header = (name: string, description: string, schema: object) => ({
  name,
  in: "header" as const,
  required: true,
  description,
  schema: { type: "string" as const, ...schema },
  ...assumed,
});

/** The headers of each delivery. */
export function webhookParameters({ choices }: Contract) {
  const prefix = choices["webhooks.header_names"];
  const scheme = choices["webhooks.signature"];
  const unit = scheme === "revolut" ? "milliseconds" : "seconds";
  return {
    WebhookId: header(
      `${prefix}-id`,
      "Id of the delivery, the same for each attempt. Use it to ignore duplicates.",
      { format: "uuid" },
    ),
    ...(scheme !== "stripe" && {
      WebhookTimestamp: header(
        `${prefix}-timestamp`,
        `Real time of the attempt, in ${unit} since 1970. Reject a delivery that is more than 5 minutes old.`,
        { pattern: "^[0-9]+$" },
      ),
    }),
    WebhookSignature: header(`${prefix}-signature`, signatures[scheme].description(prefix), {
      pattern: signatures[scheme].pattern,
    }),
  };
}

/** What the service does with each response of a receiver. */
function receiverResponses({ choices }: Contract) {
  const timeout = choices["webhooks.timeout"];
  const again =
    choices["webhooks.retry_schedule"] === "none"
      ? "does not send the event again"
      : "sends the event again later";
  return {
    [choices["webhooks.accepted_statuses"] === "2xx" ? "2XX" : "200"]: {
      description: "The event is delivered",
    },
    ...(choices["webhooks.gone"] === "disables" && {
      "410": { description: "The webhook becomes `disabled` and receives no more events" },
    }),
    default: { description: `Any other response, or no response within ${timeout} s: the sandbox ${again}` },
  };
}

/** The requests that a receiver gets, one for each event type. */
export function webhookRequests(contract: Contract): ZodOpenApiPathsObject {
  const names = Object.keys(eventResources) as (keyof typeof eventResources)[];
  const parameters = Object.keys(webhookParameters(contract)).map((each) => ({
    $ref: `#/components/parameters/${each}`,
  }));
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
            parameters,
            requestBody: {
              required: true,
              // A reference, because objects of an inline request schema would not be closed.
              content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
            },
            responses: receiverResponses(contract),
            ...assumed,
          },
        },
      ];
    }),
  );
}
