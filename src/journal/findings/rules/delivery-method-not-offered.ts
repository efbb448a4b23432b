import { deliveryAddress, deliveryMethod } from "../../../contract/delivery-address.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";
import { programOf } from "../senders.ts";
import { type Fields, fieldsOf } from "../sent-body.ts";

interface Options {
  readonly request: Seen;
  readonly methods: ReadonlySet<unknown>;
}

/** How a program's orders fit what it was offered. */
interface Habit {
  within: number;
  beside: number;
  readonly occurrences: { readonly method: string; readonly requests: readonly Seen[] }[];
}

/** One may be a test of the refusal. */
const fewest = 2;
const shown = 5;

/** A method is ordered that the service has just said not to serve the address. */
export const val5: Rule = {
  severity: "warn",
  title: "Delivery method that the address was not offered",
  why: "The order is refused, or the card does not arrive, although the service had said which methods serve the address.",
  mend: "Offer and send only what POST /developer/cards/delivery-options answered for that very address.",
  spec: "§4 (the shape of delivery options is assumed)",
  watch() {
    const options = new Recent<string, Options>(1000);
    /** Most runs ask for none, and are spared the look-up. */
    let isAnyOffered = false;
    const habits = new Recent<string, Habit>(1000);
    const refused = new Recent<string, true>(1000);

    const offer = (request: Seen) => {
      const address = addressIn(request);
      const methods = fieldsOf(request.answered)?.delivery_methods;
      // Where nothing is offered, whoever orders all the same wants to see the refusal.
      if (address === undefined || !Array.isArray(methods) || methods.length === 0) return;
      if (request.exchange.scenario !== undefined) return;
      isAnyOffered = true;
      options.set(`${request.client} ${address}`, {
        request,
        methods: new Set(methods.map((each) => fieldsOf(each)?.method)),
      });
    };

    const order = (request: Seen) => {
      if (!isAnyOffered) return;
      const address = addressIn(request);
      const offered = address === undefined ? undefined : options.get(`${request.client} ${address}`);
      const method = fieldsOf(request.json)?.delivery_method;
      if (!offered || typeof method !== "string" || !known.has(method)) return;
      const habit = habits.get(programOf(request)) ?? { within: 0, beside: 0, occurrences: [] };
      habits.set(programOf(request), habit);
      if (offered.methods.has(method)) {
        habit.within++;
        return;
      }
      // The same order once more is one order.
      const key = `${request.client} ${request.exchange.idempotencyKey} ${method} ${address}`;
      if (request.muted || refused.get(key)) return;
      refused.set(key, true);
      habit.beside++;
      if (habit.occurrences.length < shown) {
        habit.occurrences.push({ method, requests: [offered.request, request] });
      }
    };

    return {
      see(request) {
        const { point, operation } = request.exchange;
        if (point === "cards.delivery_options_listed") offer(request);
        else if (operation === "orderPhysicalCard" || operation === "replaceCard") order(request);
      },
      standing(_moment, found) {
        for (const { within, beside, occurrences } of habits.values()) {
          if (beside <= within) continue;
          const severity = beside < fewest ? "info" : "warn";
          for (const { method, requests } of occurrences) {
            found({
              seen: `${method} was ordered to an address that was not offered it`,
              requests,
              severity,
            });
          }
        }
      },
    };
  },
};

const known: ReadonlySet<string> = new Set(deliveryMethod.options);
const fields = Object.keys(deliveryAddress.shape);

/** The address in a body, as text that is the same for two that are the same. */
function addressIn(request: Seen): string | undefined {
  const address: Fields | undefined = fieldsOf(fieldsOf(request.json)?.delivery_address);
  if (!address) return undefined;
  return JSON.stringify(
    fields.map((field) =>
      String(address[field] ?? "")
        .trim()
        .toLowerCase(),
    ),
  );
}
