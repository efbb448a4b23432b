import { alternative, behaviour, changeOf } from "./behaviour.ts";

/** Why a client cannot observe the delivery of events by its requests. */
const needsReceiver = "the service must deliver events to a public receiver";

/** Webhooks and the delivery of events (spec §6). */
export const webhookBehaviours = {
  "webhooks.signature": behaviour({
    title: "Signature of an event",
    spec: "§6",
    provenance: "assumed",
    points: [],
    scope: "company",
    unobservable: needsReceiver,
    alternatives: [
      alternative("standard", "base64 of id, timestamp and body", "Standard Webhooks defines it"),
      alternative("stripe", "t=…,v1=… in hex, of timestamp and body", "Stripe signs so"),
      alternative(
        "revolut",
        "v1=… in hex, of version, timestamp and body",
        "Revolut signs so, with milliseconds",
      ),
    ],
  }),
  "webhooks.header_names": behaviour({
    title: "Names of the headers of an event",
    spec: "§6",
    provenance: "assumed",
    points: [],
    scope: "company",
    unobservable: needsReceiver,
    alternatives: [
      alternative("webhook", "webhook-…", "Standard Webhooks defines them"),
      alternative("svix", "svix-…", "Svix, which many services use, sends them"),
      alternative(
        "x-webhook",
        "x-webhook-…",
        "plausible: the older convention for headers of an application",
      ),
    ],
  }),
  "webhooks.retry_schedule": behaviour({
    title: "Retries of an event that was not accepted",
    spec: "§6",
    provenance: "assumed",
    points: [],
    scope: "company",
    unobservable: needsReceiver,
    alternatives: [
      alternative("standard", "nine, the last after more than three days", "Standard Webhooks recommends it"),
      alternative("three", "three, each after 10 minutes", "Revolut retries so"),
      alternative("none", "none", "GitHub does not redeliver an event by itself"),
    ],
  }),
  "webhooks.order": behaviour({
    title: "Order of the events of a webhook",
    spec: "§6",
    provenance: "assumed",
    points: [],
    scope: "sandbox",
    unobservable: needsReceiver,
    alternatives: [
      alternative(
        "unordered",
        "several at a time, whatever happens to earlier ones",
        "Stripe and Wise guarantee no order",
      ),
      alternative(
        "in_order",
        "one at a time, each after the earlier ones have ended",
        "Asaas offers sequential delivery",
      ),
    ],
  }),
  "webhooks.accepted_statuses": behaviour({
    title: "Responses of a receiver that accept an event",
    spec: "§6",
    provenance: "assumed",
    points: [],
    scope: "company",
    unobservable: needsReceiver,
    alternatives: [
      alternative("2xx", "200 to 299", "Standard Webhooks and Stripe accept them"),
      alternative("200", "200 alone", "NMI and Juspay retry every other response"),
    ],
  }),
  "webhooks.gone": behaviour({
    title: "Effect of a 410 from a receiver",
    spec: "§6",
    provenance: "assumed",
    points: [],
    scope: "company",
    unobservable: needsReceiver,
    alternatives: [
      alternative("disables", "disables the webhook", "Standard Webhooks recommends it"),
      alternative(
        "retries",
        "none but a retry, as after any other error",
        "Recurly retries every response other than 2xx",
      ),
    ],
  }),
  "webhooks.timeout": behaviour({
    title: "How long a receiver may take to respond",
    spec: "§6",
    provenance: "assumed",
    points: [],
    scope: "company",
    unobservable: needsReceiver,
    alternatives: [
      alternative("15", "15 s", "Svix and Twilio wait so long"),
      alternative("5", "5 s", "Shopify waits so long"),
      alternative("30", "30 s", "GitHub Enterprise Server waits so long"),
    ],
  }),
  "webhooks.secret_overlap": behaviour({
    title: "How long a secret signs events after its rotation",
    spec: "§6",
    provenance: "assumed",
    points: ["webhooks.secret_rotated", "webhooks.rotation_limit_reached"],
    scope: "company",
    unobservable: needsReceiver,
    alternatives: [
      alternative("24h", "24 hours", "Lithic keeps the old secret so long"),
      alternative("none", "not at all", "Revolut invalidates it at once unless a period is given", {
        points: {
          "webhooks.secret_rotated": {
            title: "Returns a new secret, which is shown only once; the earlier secret is no longer valid",
          },
        },
        unreachable: ["webhooks.rotation_limit_reached"],
      }),
    ],
  }),
  "webhooks.delete_status": behaviour({
    title: "Status of the deletion of a webhook",
    spec: "§6",
    provenance: "assumed",
    points: ["webhooks.deleted"],
    scope: "company",
    alternatives: [
      alternative("200", "200 with the id", "Stripe returns the id of a deleted webhook"),
      alternative(
        "204",
        "204 without a body",
        "Revolut and GitHub return 204",
        changeOf(["webhooks.deleted"], { status: 204 }),
      ),
    ],
  }),
  "webhooks.action_status": behaviour({
    title: "Status of a request to send a test event, or an event again",
    spec: "§6",
    provenance: "assumed",
    points: ["webhooks.tested", "webhooks.delivery_resent"],
    scope: "company",
    alternatives: [
      alternative("202", "202, because the event is sent later", "GitHub returns 202 for a redelivery"),
      alternative(
        "200",
        "200 with the delivery",
        "plausible: the delivery exists already",
        changeOf(["webhooks.tested", "webhooks.delivery_resent"], { status: 200 }),
      ),
    ],
  }),
  "webhooks.disabled_status": behaviour({
    title: "Status of a test event for a disabled webhook",
    spec: "§6",
    provenance: "assumed",
    points: ["webhooks.disabled"],
    scope: "company",
    alternatives: [
      alternative("409", "409, because of its state", "RFC 9110 §15.5.10 defines it"),
      alternative(
        "400",
        "400",
        "plausible: Stripe returns 400 for most requests that cannot be served",
        changeOf(["webhooks.disabled"], { status: 400 }),
      ),
      alternative(
        "422",
        "422",
        "GitHub returns 422 for requests that it understands but cannot serve",
        changeOf(["webhooks.disabled"], { status: 422 }),
      ),
    ],
  }),
  "webhooks.limit": behaviour({
    title: "The most webhooks of a company",
    spec: "§6",
    provenance: "assumed",
    points: ["webhooks.limit_reached"],
    scope: "company",
    alternatives: [
      alternative("10", "ten", "Revolut has this limit"),
      alternative("16", "16", "Stripe has this limit", {
        points: { "webhooks.limit_reached": { title: "The company already has 16 webhooks" } },
      }),
    ],
  }),
  "webhooks.limit_status": behaviour({
    title: "Status of a webhook beyond the limit",
    spec: "§6",
    provenance: "assumed",
    points: ["webhooks.limit_reached"],
    scope: "company",
    alternatives: [
      alternative("409", "409, because of the state of the company", "Teel returns 409 for its limit"),
      alternative(
        "400",
        "400",
        "plausible: Stripe returns 400 for most requests that cannot be served",
        changeOf(["webhooks.limit_reached"], { status: 400 }),
      ),
      alternative(
        "422",
        "422",
        "GitHub returns 422 for a hook beyond its limit",
        changeOf(["webhooks.limit_reached"], { status: 422 }),
      ),
    ],
  }),
};
