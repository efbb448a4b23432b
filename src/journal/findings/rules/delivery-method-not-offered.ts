import QuickLRU from "quick-lru";
import { deliveryAddress, deliveryMethod } from "../../../contract/delivery-address.ts";
import { fieldsOf, type ObservedRequest } from "../request.ts";
import { latestEntry, type Report, type Rule, type Watch } from "../rule.ts";

interface Offer {
  readonly request: ObservedRequest;
  readonly methods: ReadonlySet<unknown>;
}

/** A program's orders to addresses whose delivery options it has read. */
interface Habit {
  offered: number;
  notOffered: number;
  readonly occurrences: { readonly method: string; readonly requests: readonly ObservedRequest[] }[];
}

/** A single one may be a test of the refusal. */
const minForWarning = 2;
const maxShown = 5;

export const deliveryMethodNotOffered: Rule = {
  severity: "warn",
  title: "Delivery method that the address does not support",
  why: "The service refuses the order or the card does not arrive, although the service listed the methods that this address supports.",
  fix: "Offer and send only the methods that POST /developer/cards/delivery-options returned for the same address.",
  spec: "§4 (the shape of delivery options is assumed)",
  operations: ["listDeliveryOptions", "orderPhysicalCard", "replaceCard"],
  watch: () => new DeliveryMethods(),
};

class DeliveryMethods implements Watch {
  /** By client and address. */
  readonly #offers = new QuickLRU<string, Offer>({ maxSize: 500 });
  /** Avoids look-ups in most runs, which never read delivery options. */
  #isAnyOffered = false;
  readonly #habits = new QuickLRU<string, Habit>({ maxSize: 500 });
  readonly #counted = new QuickLRU<string, true>({ maxSize: 500 });

  onRequest(request: ObservedRequest): void {
    const { point, operation } = request.exchange;
    if (point === "cards.delivery_options_listed") this.#offer(request);
    else if (operation !== "listDeliveryOptions" && this.#isAnyOffered) this.#order(request);
  }

  #offer(request: ObservedRequest): void {
    const address = addressOf(request);
    const methods = fieldsOf(request.response)?.delivery_methods;
    // If the address supports no method, an order to it is a test of the refusal.
    if (address === undefined || !Array.isArray(methods) || methods.length === 0) return;
    if (request.exchange.scenario !== undefined) return;
    this.#isAnyOffered = true;
    this.#offers.set(`${request.client} ${address}`, {
      request,
      methods: new Set(methods.map((each) => fieldsOf(each)?.method)),
    });
  }

  #order(request: ObservedRequest): void {
    const address = addressOf(request);
    const offer = address === undefined ? undefined : this.#offers.get(`${request.client} ${address}`);
    const method = fieldsOf(request.json)?.delivery_method;
    if (!offer || typeof method !== "string" || !methodNames.has(method)) return;
    const habit = latestEntry(this.#habits, request.program, noOrders);
    if (offer.methods.has(method)) {
      habit.offered++;
      return;
    }
    // A retry does not count again.
    const order = `${request.client} ${request.exchange.idempotencyKey} ${method} ${address}`;
    if (request.muted || this.#counted.has(order)) return;
    this.#counted.set(order, true);
    habit.notOffered++;
    if (habit.occurrences.length < maxShown) {
      habit.occurrences.push({ method, requests: [offer.request, request] });
    }
  }

  summarise(_moment: unknown, report: Report): void {
    for (const [, { offered, notOffered, occurrences }] of this.#habits.entries()) {
      if (notOffered <= offered) continue;
      const severity = notOffered < minForWarning ? "info" : "warn";
      for (const { method, requests } of occurrences) {
        report({
          observed: `An order used the delivery method ${method}, which its address does not support`,
          requests,
          severity,
        });
      }
    }
  }
}

function noOrders(): Habit {
  return { offered: 0, notOffered: 0, occurrences: [] };
}

const methodNames: ReadonlySet<string> = new Set(deliveryMethod.options);
const addressFields = Object.keys(deliveryAddress.shape);

/** The address in the body; two equal addresses have the same text. */
function addressOf(request: ObservedRequest): string | undefined {
  const address = fieldsOf(fieldsOf(request.json)?.delivery_address);
  if (!address) return undefined;
  const values = addressFields.map((field) => String(address[field] ?? ""));
  return JSON.stringify(values.map((value) => value.trim().toLowerCase()));
}
