import { assumed, type PointText } from "./point.ts";

/** Webhooks, which the spec names but does not show (§4, §6). */
export const webhookPoints = {
  "webhooks.created": assumed(
    201,
    "§4, §6",
    "Creates a webhook and returns its secret, which is shown only once",
  ),
  "webhooks.listed": assumed(200, "§4, §6", "Returns the company's webhooks"),
  "webhooks.shown": assumed(200, "§4, §6", "Returns one webhook"),
  "webhooks.changed": assumed(200, "§4, §6", "Changes the webhook and returns it"),
  "webhooks.deleted": assumed(200, "§4, §6", "Deletes the webhook and its pending deliveries"),
  "webhooks.secret_rotated": assumed(
    200,
    "§4, §6",
    "Returns a new secret, which is shown only once; each earlier secret stays valid for 24 hours after it was replaced",
  ),
  "webhooks.tested": assumed(202, "§4, §6", "Queues a webhook.test event"),
  "webhooks.deliveries_listed": assumed(
    200,
    "§4, §6",
    "Returns the deliveries of the webhook with their attempts",
  ),
  "webhooks.delivery_resent": assumed(202, "§4, §6", "Queues the event again with the same webhook-id"),

  "webhooks.body_invalid": assumed(
    400,
    "§4, §6",
    "The body is not a JSON object, or a field is missing or invalid",
    "invalid_request",
  ),
  "webhooks.url_invalid": assumed(
    400,
    "§4, §6",
    "The URL is not valid, or it is an http URL without a loopback host",
    "invalid_request",
  ),
  "webhooks.url_not_allowed": assumed(
    400,
    "§4, §6",
    "The host of the URL is not an allowed webhook host; allow it with --allow-webhook-hosts",
    "invalid_request",
  ),
  "webhooks.query_invalid": assumed(
    400,
    "§4, §6",
    "A filter, the limit or the cursor is not valid",
    "invalid_request",
  ),
  "webhooks.not_found": assumed(404, "§4, §6", "The webhook does not exist in this company", "not_found"),
  "webhooks.delivery_not_found": assumed(
    404,
    "§4, §6",
    "The delivery does not exist for this webhook",
    "not_found",
  ),
  "webhooks.limit_reached": assumed(409, "§4, §6", "The company already has ten webhooks", "limit_reached"),
  "webhooks.rotation_limit_reached": assumed(
    409,
    "§4, §6",
    "The webhook already has ten valid secrets",
    "limit_reached",
  ),
  "webhooks.backlog_full": assumed(
    409,
    "§4, §6",
    "The webhook already has 10,000 pending deliveries",
    "limit_reached",
  ),
  "webhooks.disabled": assumed(409, "§4, §6", "The webhook is disabled and receives no events", "conflict"),
} satisfies Record<string, PointText>;
