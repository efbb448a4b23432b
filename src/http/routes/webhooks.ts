import type { Context } from "hono";
import type * as z from "zod";
import { noFilters } from "../../contract/list-filters.ts";
import { deliveryId, newWebhook, webhookChange, webhookId } from "../../contract/webhook.ts";
import { quoted, SandboxError } from "../../rules/errors.ts";
import { describeIssues } from "../../rules/issues.ts";
import { type DeliveryRecord, pageOfDeliveries } from "../../store/webhook-deliveries.ts";
import {
  deleteWebhookRows,
  pageOfWebhooks,
  type WebhookRecord,
  webhookOfCompany,
} from "../../store/webhooks.ts";
import * as core from "../../webhooks/webhooks.ts";
import { answer } from "../answer.ts";
import type { HttpEnv, HttpServices } from "../http-services.ts";
import type { Route } from "../in-order.ts";
import { pageOf, readListQuery } from "../list-query.ts";
import { maxBodyBytes } from "../read-body.ts";
import { sentHeader } from "../sent-header.ts";

/** A secret is shown once, and kept by nobody on the way. */
const notKept = { "Cache-Control": "no-store" };

/** `POST /developer/webhooks`. */
export function createWebhook(services: HttpServices): Route {
  return (c) => {
    const made = core.createWebhook(services, c.get("caller"), read(c, newWebhook), services.webhookHosts);
    return answer(services, c, "webhooks.created", made, notKept);
  };
}

/** `GET /developer/webhooks`. */
export function listWebhooks(services: HttpServices): Route {
  return (c) => {
    const { companyPk, companyId } = c.get("caller");
    const query = readListQuery(c, noFilters, companyId, "webhooks.query_invalid");
    const rows = pageOfWebhooks(services.database, companyPk, {
      before: query.after,
      limit: query.limit + 1,
    });
    return answer(
      services,
      c,
      "webhooks.listed",
      pageOf(rows, query, (row: WebhookRecord) => core.webhookOf(row)),
    );
  };
}

/** `GET /developer/webhooks/{id}`. */
export function getWebhook(services: HttpServices): Route {
  return (c) => answer(services, c, "webhooks.shown", core.webhookOf(webhookNamed(services, c)));
}

/** `PATCH /developer/webhooks/{id}`. */
export function changeWebhook(services: HttpServices): Route {
  return (c) => {
    const webhook = webhookNamed(services, c);
    const changed = core.changeWebhook(services, webhook, read(c, webhookChange), services.webhookHosts);
    return answer(services, c, "webhooks.changed", changed);
  };
}

/** `DELETE /developer/webhooks/{id}`. */
export function deleteWebhook(services: HttpServices): Route {
  return (c) => {
    const { pk, id } = webhookNamed(services, c);
    services.database.transaction(() => deleteWebhookRows(services.database, pk));
    return answer(services, c, "webhooks.deleted", { id, deleted: true });
  };
}

/** `POST /developer/webhooks/{id}/rotate-secret`. */
export function rotateWebhookSecret(services: HttpServices): Route {
  return (c) => {
    const rotated = core.rotateWebhookSecret(services, c.get("caller"), webhookNamed(services, c));
    return answer(services, c, "webhooks.secret_rotated", rotated, notKept);
  };
}

/** `POST /developer/webhooks/{id}/test`. */
export function testWebhook(services: HttpServices): Route {
  return (c) => {
    const { webhook: faults } = c.get("overlay");
    const delivery = core.testWebhook(services, c.get("caller"), webhookNamed(services, c), faults);
    return answer(services, c, "webhooks.tested", delivery);
  };
}

/** `GET /developer/webhooks/{id}/deliveries`. */
export function listWebhookDeliveries(services: HttpServices): Route {
  return (c) => {
    const { pk, id } = webhookNamed(services, c);
    const query = readListQuery(c, noFilters, id, "webhooks.query_invalid");
    const rows = pageOfDeliveries(services.database, pk, { before: query.after, limit: query.limit + 1 });
    return answer(
      services,
      c,
      "webhooks.deliveries_listed",
      pageOf(rows, query, (row: DeliveryRecord) => core.deliveryOf(row)),
    );
  };
}

/** `POST /developer/webhooks/{id}/deliveries/{did}/resend`. */
export function resendWebhookDelivery(services: HttpServices): Route {
  return (c) => {
    const id = deliveryId.safeParse(c.req.param("did")).data;
    const delivery = core.resendDelivery(services, c.get("caller"), webhookNamed(services, c), id);
    return answer(services, c, "webhooks.delivery_resent", delivery);
  };
}

/**
 * The webhook in the path, of the caller's company.
 * @throws SandboxError `webhooks.not_found`
 */
function webhookNamed({ database }: HttpServices, c: Context<HttpEnv>): WebhookRecord {
  const id = webhookId.safeParse(c.req.param("id")).data;
  const webhook = id && webhookOfCompany(database, c.get("caller").companyPk, id);
  if (webhook) return webhook;
  throw new SandboxError("webhooks.not_found", "The company has no such webhook");
}

/** @throws SandboxError `webhooks.body_invalid`, which names every field of the wrong form */
function read<Schema extends z.ZodType>(c: Context<HttpEnv>, schema: Schema): z.output<Schema> {
  const contentType = sentHeader(c, "Content-Type") ?? "none";
  if (!/^application\/json[ \t]*(;|$)/i.test(contentType)) {
    throw invalid(`Content-Type: must be application/json; got ${quoted(contentType)}`);
  }
  const body = c.get("body");
  if ("unreadable" in body) {
    throw invalid(
      body.unreadable === "too large"
        ? `the body is over ${maxBodyBytes / 1024} KiB`
        : `the body is not valid JSON: it is ${body.unreadable}`,
    );
  }
  let sent: unknown;
  try {
    sent = JSON.parse(body.text);
  } catch {
    throw invalid("the body is not valid JSON");
  }
  const result = schema.safeParse(sent);
  if (result.success) return result.data;
  throw invalid(describeIssues(result.error.issues));
}

function invalid(message: string): SandboxError {
  return new SandboxError("webhooks.body_invalid", message);
}
