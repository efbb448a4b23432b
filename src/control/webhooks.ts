import * as z from "zod";
import type { WebhookDelivery } from "../contract/webhook-event.ts";
import type { Database } from "../store/database.ts";
import { latestDeliveries } from "../store/webhook-deliveries.ts";
import type { Deliverer } from "../webhooks/deliverer.ts";
import { deliveryOf } from "../webhooks/webhooks.ts";
import { companyNamed } from "./named.ts";
import { parsed } from "./read-json.ts";

/** Whose deliveries to list, as query parameters. */
export const deliveriesQuery = z.strictObject({ company: z.string().optional() });

/** How many of them; the service's own list goes through them all. */
const mostListed = 1000;

/** What webhooks were told, and when they will have been. */
export class Webhooks {
  readonly #database: Database;
  readonly #deliverer: Pick<Deliverer, "settled">;

  constructor(database: Database, deliverer: Pick<Deliverer, "settled">) {
    this.#database = database;
    this.#deliverer = deliverer;
  }

  /**
   * The latest deliveries with their attempts, the newest first, of one company or of all.
   * @throws ControlError 404 where there is no such company
   */
  deliveries(asked: z.input<typeof deliveriesQuery> = {}): WebhookDelivery[] {
    const { company } = parsed(deliveriesQuery, asked);
    const companyPk = company === undefined ? undefined : companyNamed(this.#database, company).pk;
    return latestDeliveries(this.#database, companyPk, mostListed).map(deliveryOf);
  }

  /** Resolves when everything that is due by now was attempted. */
  settled(): Promise<void> {
    return this.#deliverer.settled();
  }
}
