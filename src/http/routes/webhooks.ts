import type * as z from "zod";
import { noFilters } from "../../contract/list.ts";
import { newWebhook, webhookChange, webhookId } from "../../contract/webhook.ts";
import { SandboxError } from "../../rules/errors.ts";
import { type DeliveryRecord, pageOfDeliveries } from "../../store/webhook-deliveries.ts";
import {
  deleteWebhookRows,
  pageOfWebhooks,
  type WebhookRecord,
  webhookOfCompany,
} from "../../store/webhooks.ts";
import * as webhooks from "../../webhooks/webhooks.ts";
import { checkAfterBody, contentTypeExpected, declaresJson } from "../checks.ts";
import { contractOf, type HttpServices, type RequestContext, type Route, sentHeader } from "../context.ts";
import { pageOf, readListQuery, respondPage } from "../list-query.ts";
import { type BodyRefusals, describeBodyIssues, parseBody, unreadableMessages } from "../read-body.ts";
import { respond } from "../respond.ts";

/** A secret is shown once: no proxy or cache may store the response. */
const noStore = { "Cache-Control": "no-store" };

/** `POST /developer/webhooks`. */
export const createWebhook: Route = (services, c) => {
  const made = webhooks.createWebhook(
    services,
    c.get("caller"),
    read(services, c, newWebhook),
    services.webhookHosts,
  );
  return respond(services, c, "webhooks.created", made, noStore);
};

/** `GET /developer/webhooks`. */
export const listWebhooks: Route = (services, c) => {
  const { companyPk, companyId } = c.get("caller");
  const query = readListQuery(services, c, noFilters, companyId, "webhooks.query_invalid");
  const rows = pageOfWebhooks(services.database, companyPk, query.page);
  return respondPage(
    services,
    c,
    "webhooks.listed",
    pageOf(rows, query, (row: WebhookRecord) => webhooks.webhookOf(row)),
  );
};

/** `GET /developer/webhooks/{id}`. */
export const getWebhook: Route = (services, c) =>
  respond(services, c, "webhooks.shown", webhooks.webhookOf(webhookNamed(services, c)));

/** `PATCH /developer/webhooks/{id}`. */
export const changeWebhook: Route = (services, c) => {
  const isBodyFirst = services.dialects.all.choices["permission.order"] === "after-body";
  const early = isBodyFirst ? read(services, c, webhookChange) : undefined;
  const webhook = webhookNamed(services, c);
  const change = early ?? read(services, c, webhookChange);
  const changed = webhooks.changeWebhook(services, webhook, change, services.webhookHosts);
  return respond(services, c, "webhooks.changed", changed);
};

/** `DELETE /developer/webhooks/{id}`. */
export const deleteWebhook: Route = (services, c) => {
  const { pk, id } = webhookNamed(services, c);
  services.database.transaction(() => deleteWebhookRows(services.database, pk));
  return respond(services, c, "webhooks.deleted", { id, deleted: true });
};

/** `POST /developer/webhooks/{id}/rotate-secret`. */
export const rotateWebhookSecret: Route = (services, c) => {
  const rotated = webhooks.rotateWebhookSecret(services, c.get("caller"), webhookNamed(services, c));
  return respond(services, c, "webhooks.secret_rotated", rotated, noStore);
};

/** `POST /developer/webhooks/{id}/test`. */
export const testWebhook: Route = (services, c) => {
  const { webhook: faults } = c.get("overlay");
  const delivery = webhooks.testWebhook(services, c.get("caller"), webhookNamed(services, c), faults);
  return respond(services, c, "webhooks.tested", delivery);
};

/** `GET /developer/webhooks/{id}/deliveries`. */
export const listWebhookDeliveries: Route = (services, c) => {
  const { pk, id } = webhookNamed(services, c);
  const query = readListQuery(services, c, noFilters, id, "webhooks.query_invalid");
  const rows = pageOfDeliveries(services.database, pk, query.page);
  return respondPage(
    services,
    c,
    "webhooks.deliveries_listed",
    pageOf(rows, query, (row: DeliveryRecord) => webhooks.deliveryOf(row)),
  );
};

/** `POST /developer/webhooks/{id}/deliveries/{did}/resend`. */
export const resendWebhookDelivery: Route = (services, c) => {
  const named = c.req.param("did") ?? "";
  const delivery = webhooks.resendDelivery(services, c.get("caller"), webhookNamed(services, c), named);
  return respond(services, c, "webhooks.delivery_resent", delivery);
};

/**
 * The webhook in the path, of the caller's company.
 * @throws SandboxError `webhooks.not_found`
 */
function webhookNamed({ database }: HttpServices, c: RequestContext): WebhookRecord {
  const id = webhookId.safeParse(c.req.param("id")).data;
  const webhook = id && webhookOfCompany(database, c.get("caller").companyPk, id);
  if (webhook) return webhook;
  throw new SandboxError("webhooks.not_found", `Webhook ${c.req.param("id")} was not found in this company`);
}

/**
 * Reads the body, and then makes the checks that the contract has after it.
 * @throws SandboxError `webhooks.body_invalid`: the message names every invalid field
 */
function read<Schema extends z.ZodType>(
  services: HttpServices,
  c: RequestContext,
  schema: Schema,
): z.output<Schema> {
  if (!declaresJson(c)) throw invalid(contentTypeExpected(sentHeader(c, "Content-Type")));
  const { body } = parseBody(c.get("body"), schema, refusals, contractOf(services, c).choices);
  checkAfterBody(services, c);
  return body;
}

const refusals: BodyRefusals = {
  unreadable: (why) => invalid(unreadableMessages[why]),
  invalid: (issues) => invalid(describeBodyIssues(issues)),
  unknownField: invalid,
};

function invalid(message: string): SandboxError {
  return new SandboxError("webhooks.body_invalid", message);
}
