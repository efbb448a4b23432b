import * as z from "zod";
import { contractPoints } from "../contract/points.ts";
import {
  type DeliveryStatus,
  deliveryStatus,
  type EventType,
  eventType,
  newWebhook,
  webhookStatus,
} from "../contract/webhook.ts";
import type { Webhook, WebhookDelivery } from "../contract/webhook-responses.ts";
import type { JournalEntry } from "../journal/journal-entry.ts";
import { type Clock, companyNow } from "../rules/clock.ts";
import { quoted, SandboxError } from "../rules/errors.ts";
import type { Services } from "../runtime/services.ts";
import { findCompany } from "../store/companies.ts";
import {
  countDeliveries,
  type DeliveryRecord,
  deliveriesOfIds,
  deliveriesWith,
  deliveryNamed,
  type LatestOf,
  latestDeliveries,
} from "../store/webhook-deliveries.ts";
import { type CompanyWebhook, deleteWebhookRows, latestWebhooks, webhookNamed } from "../store/webhooks.ts";
import type { Deliverer } from "../webhooks/deliverer.ts";
import type { ReceivedMessage, Receiver } from "../webhooks/receiver.ts";
import { mostAttempts, secretsOf } from "../webhooks/retries.ts";
import { signedHeaders } from "../webhooks/signing.ts";
import {
  changeWebhook,
  createWebhook,
  deliveryOf,
  resendDelivery,
  testWebhook,
  webhookOf,
} from "../webhooks/webhooks.ts";
import { canChange, idsOf, isAfter, jsonOf } from "./effects.ts";
import { ControlError } from "./errors.ts";
import { parse, readQuery } from "./input.ts";
import { optionalCompanyPk, requireCompany } from "./lookup.ts";
import type { ControlHandlers } from "./operations.ts";

export const deliveriesQuery = z.lazy(() => z.strictObject({ company: z.string().optional() }));

export const receivedQuery = z.lazy(() => z.strictObject({ name: z.string().optional() }));

const latestQuery = z.lazy(() =>
  z.strictObject({
    company: z.string().optional(),
    webhook: z.string().optional(),
    status: deliveryStatus.optional(),
    limit: z.int().min(1).max(1000).optional(),
  }),
);

const creation = z.lazy(() =>
  z.strictObject({
    company: z.string(),
    url: newWebhook.shape.url,
    events: newWebhook.shape.events.default([...eventType.options]),
  }),
);

const change = z.lazy(() => z.strictObject({ status: webhookStatus }));

/** Maximum number of deliveries in one response; the service's own list has pages. */
const mostListed = 1000;

/**
 * A webhook with its company.
 * @internal
 */
export interface WebhookListing extends Webhook {
  readonly company: Pick<CompanyWebhook, "environment"> & {
    readonly id: string;
    readonly slug: string;
    readonly name: string;
  };
  /** The number of its pending deliveries. */
  readonly pending: number;
}

/**
 * A delivery with all that decides about its attempts.
 * @internal
 */
export interface DeliveryListing extends WebhookDelivery {
  readonly webhook: WebhookListing;
  /** The most attempts, with those before it was sent again. */
  readonly most_attempts: number;
  /** The time of its company, in milliseconds. */
  readonly now_ms: number;
}

/**
 * The latest deliveries that match a query, and the counts of all that match it but for their status.
 * @internal
 */
export interface LatestDeliveries {
  readonly deliveries: DeliveryListing[];
  readonly counts: Partial<Record<DeliveryStatus, number>>;
}

/**
 * A delivery with the message that is sent.
 * @internal
 */
export interface DeliveryDetail extends DeliveryListing {
  /** The bytes that are signed and sent. */
  readonly body: string;
  /** The headers that sign it, as they would be sent now. */
  readonly headers: Record<string, string>;
}

/** The webhooks of all companies, their deliveries, and the built-in receiver. */
export class Webhooks {
  readonly #services: Services;
  readonly #deliverer: Pick<Deliverer, "settled"> & { readonly receiver: Receiver };
  readonly #allowedHosts: readonly string[];
  readonly #realClock: Clock;

  constructor(
    services: Services,
    deliverer: Pick<Deliverer, "settled"> & { readonly receiver: Receiver },
    allowedHosts: readonly string[],
    realClock: Clock,
  ) {
    this.#services = services;
    this.#deliverer = deliverer;
    this.#allowedHosts = allowedHosts;
    this.#realClock = realClock;
  }

  /** Lists the latest deliveries with their attempts, newest first, of one company or of all. */
  deliveries(query: z.input<typeof deliveriesQuery> = {}): WebhookDelivery[] {
    const { database } = this.#services;
    const companyPk = optionalCompanyPk(database, parse(deliveriesQuery, query).company);
    return latestDeliveries(database, companyPk, mostListed).map(deliveryOf);
  }

  /** Lists the messages that the built-in receiver got, newest first. */
  received(name?: string): ReceivedMessage[] {
    return this.#deliverer.receiver.messages(name);
  }

  /**
   * The deliveries of the events that a request caused, at most 20: those that were created while it was processed, and
   * that are about an object which it names or made.
   * @internal
   */
  causedBy(entry: JournalEntry): WebhookDelivery[] {
    const company = entry.caller && findCompany(this.#services.database, entry.caller.company_id);
    if (!company || !canChange(entry)) return [];
    const toMs = Date.parse(entry.time);
    const during = [Math.floor(toMs - entry.duration_ms) - 1, toMs] as const;
    const ids = idsOf(this.#services.database, entry);
    const state = jsonOf(entry.response);
    return (
      deliveriesOfIds(this.#services.database, company.pk, during, ids, 20)
        .map(deliveryOf)
        // No request moves money.
        .filter(({ event, payload }) => /^(card|webhook)\./.test(event) && isAfter(payload.data, state))
    );
  }

  /** Resolves when every delivery that is due by now was attempted. */
  settled(): Promise<void> {
    return this.#deliverer.settled();
  }

  /**
   * Lists up to `limit` webhooks, newest first, of one company or of all.
   * @internal
   */
  list(company: string | undefined, limit: number): WebhookListing[] {
    const { database } = this.#services;
    return latestWebhooks(database, optionalCompanyPk(database, company), limit).map(listed);
  }

  /**
   * @throws ControlError 404
   * @internal
   */
  show(id: string): WebhookListing {
    return listed(this.#webhook(id));
  }

  /**
   * Lists deliveries of the latest 1,000 of a webhook, of a company, or of all.
   * @internal
   */
  latest(query: z.input<typeof latestQuery> = {}): LatestDeliveries {
    const { database } = this.#services;
    const { company, webhook, status, limit = mostListed } = parse(latestQuery, query);
    const of: LatestOf = {
      companyPk: optionalCompanyPk(database, company),
      webhookPk: webhook === undefined ? undefined : this.#webhook(webhook).pk,
    };
    return {
      deliveries: deliveriesWith(database, of, status, limit).map((each) => this.#listing(each)),
      counts: countDeliveries(database, of),
    };
  }

  /**
   * @throws ControlError 404
   * @internal
   */
  async delivery(id: string): Promise<DeliveryDetail> {
    const record = this.#delivery(id);
    const webhook = this.#webhook(record.webhookId);
    const { choices } = this.#services.dialects.of(webhook.companyPk);
    const now = new Date(this.#realClock.now());
    const { body } = record;
    return {
      ...this.#listing(record),
      body,
      headers: await signedHeaders(choices, record.id, now, body, secretsOf(this.#services, webhook)),
    };
  }

  /**
   * The secret of a webhook.
   * @throws ControlError 404
   * @internal
   */
  secretOf(id: string): string {
    return secretsOf(this.#services, this.#webhook(id))[0] ?? "";
  }

  /**
   * Creates a webhook; default: for all events.
   * @throws ControlError 400 for an invalid URL, 404 for an unknown company, 409 if there are too many
   * @internal
   */
  create(input: z.input<typeof creation>): WebhookListing {
    const { company, ...body } = parse(creation, input);
    const { pk: companyPk, id: companyId, clockOffsetMs } = requireCompany(this.#services.database, company);
    const { id } = refusable(() =>
      createWebhook(this.#services, { companyPk, companyId, clockOffsetMs }, body, this.#allowedHosts),
    );
    return listed(this.#webhook(id));
  }

  /**
   * @throws ControlError 404
   * @internal
   */
  change(id: string, input: z.input<typeof change>): WebhookListing {
    const { status } = parse(change, input);
    const webhook = this.#webhook(id);
    refusable(() => changeWebhook(this.#services, webhook, { status }, this.#allowedHosts));
    return listed(this.#webhook(id));
  }

  /**
   * Deletes a webhook with its deliveries.
   * @throws ControlError 404
   * @internal
   */
  delete(id: string): void {
    const { pk } = this.#webhook(id);
    const { database } = this.#services;
    database.transaction(() => deleteWebhookRows(database, pk));
  }

  /**
   * Sends the event `webhook.test`.
   * @throws ControlError 404, 409 if the webhook is disabled or has too many pending deliveries
   * @internal
   */
  test(id: string): WebhookDelivery {
    const webhook = this.#webhook(id);
    return refusable(() => testWebhook(this.#services, webhook, webhook, undefined));
  }

  /**
   * Sends an event again, with the same id and all retries.
   * @throws ControlError 404, 409 if the webhook is disabled or has too many pending deliveries
   * @internal
   */
  resend(deliveryId: string): WebhookDelivery {
    const record = this.#delivery(deliveryId);
    const webhook = this.#webhook(record.webhookId);
    return refusable(() => resendDelivery(this.#services, webhook, webhook, record.id));
  }

  #listing(record: DeliveryRecord): DeliveryListing {
    const { clock, dialects } = this.#services;
    const webhook = this.#webhook(record.webhookId);
    const most = mostAttempts(dialects.of(webhook.companyPk).choices);
    const earlier = record.status === "pending" ? record.attempts.length - record.tries : 0;
    return {
      ...deliveryOf(record),
      webhook: listed(webhook),
      most_attempts: earlier + most,
      now_ms: companyNow(clock, webhook.clockOffsetMs),
    };
  }

  #delivery(id: string): DeliveryRecord {
    const record = deliveryNamed(this.#services.database, id);
    if (record) return record;
    throw new ControlError(404, `delivery: ${quoted(id)} was not found`);
  }

  #webhook(id: string): CompanyWebhook {
    const webhook = webhookNamed(this.#services.database, id);
    if (webhook) return webhook;
    throw new ControlError(404, `webhook: no webhook has the id ${quoted(id)}`);
  }
}

/** The names of all events, which webhooks subscribe to. */
export const eventTypes: readonly EventType[] = eventType.options;

function listed(webhook: CompanyWebhook): WebhookListing {
  const { companyId: id, companySlug: slug, companyName: name, environment, pendingDeliveries } = webhook;
  return { ...webhookOf(webhook), company: { id, slug, name, environment }, pending: pendingDeliveries };
}

/** @throws ControlError 400, 404 or 409 if the operation is refused */
function refusable<Result>(operation: () => Result): Result {
  try {
    return operation();
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const { status } = contractPoints[error.point];
    throw new ControlError(status === 404 || status === 400 ? status : 409, error.message);
  }
}

/** @internal */
export function webhookHandlers(webhooks: Webhooks): ControlHandlers<"listDeliveries" | "listReceived"> {
  return {
    listDeliveries: (c) => c.json({ deliveries: webhooks.deliveries(readQuery(c, deliveriesQuery)) }),
    listReceived: (c) => c.json({ messages: webhooks.received(readQuery(c, receivedQuery).name) }),
  };
}
