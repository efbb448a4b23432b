import { assumed, type PointText } from "./point.ts";

/** Webhooks: the spec names the area, and shows nothing of it (§4, §6). */
export const webhookPoints = {
  "webhooks.created": assumed(201, "§4, §6", "The webhook is made; its secret is shown this once"),
  "webhooks.listed": assumed(200, "§4, §6", "The company's webhooks"),
  "webhooks.shown": assumed(200, "§4, §6", "One webhook"),
  "webhooks.changed": assumed(200, "§4, §6", "The webhook as it then is"),
  "webhooks.deleted": assumed(200, "§4, §6", "The webhook is gone, with what it still had to be told"),
  "webhooks.secret_rotated": assumed(
    200,
    "§4, §6",
    "A new secret, shown only once; each earlier one stays valid until 24 hours after its rotation",
  ),
  "webhooks.tested": assumed(202, "§4, §6", "webhook.test is on its way"),
  "webhooks.deliveries_listed": assumed(200, "§4, §6", "What the webhook was told, and how that went"),
  "webhooks.delivery_resent": assumed(
    202,
    "§4, §6",
    "The event is on its way once more, under the same webhook-id",
  ),

  "webhooks.body_invalid": assumed(
    400,
    "§4, §6",
    "The body is no JSON object, or a field of it is missing or of the wrong form",
    "invalid_request",
  ),
  "webhooks.url_invalid": assumed(
    400,
    "§4, §6",
    "The url is none, or neither https nor loopback",
    "invalid_request",
  ),
  "webhooks.url_not_allowed": assumed(
    400,
    "§4, §6",
    "The url's host is one to which this sandbox may not send: the tester's to allow, never the contract",
    "invalid_request",
  ),
  "webhooks.query_invalid": assumed(
    400,
    "§4, §6",
    "The limit, the cursor or a filter is not valid",
    "invalid_request",
  ),
  "webhooks.not_found": assumed(404, "§4, §6", "No such webhook in this company", "not_found"),
  "webhooks.delivery_not_found": assumed(404, "§4, §6", "No such delivery of this webhook", "not_found"),
  "webhooks.limit_reached": assumed(409, "§4, §6", "The company has ten webhooks already", "limit_reached"),
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
  "webhooks.disabled": assumed(409, "§4, §6", "The webhook is disabled, and is sent nothing", "conflict"),
} satisfies Record<string, PointText>;
