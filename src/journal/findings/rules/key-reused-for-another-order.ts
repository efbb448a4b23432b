import QuickLRU from "quick-lru";
import {
  isKeyInProgress,
  isOrderRefused,
  isRefusalStored,
  keptMs,
  orderOperations,
  showsCard,
} from "../card-order.ts";
import type { ObservedRequest } from "../request.ts";
import type { Rule } from "../rule.ts";

export const keyReusedForAnotherOrder: Rule = {
  severity: "critical",
  title: "Idempotency-Key reused for a different order",
  why: "The service does not order the second card: it returns the original one, or refuses the request. A client that receives 201 assumes that the second card is on its way.",
  fix: "Generate a new key for each order, store it with the order, and send it again only to retry that order.",
  spec: "§4",
  operations: orderOperations,
  watch(report) {
    /** By key: the order that holds it, or the latest order with it; if absent, the first order. */
    const holders = new QuickLRU<string, ObservedRequest>({ maxSize: 2500 });
    return {
      onRequest(request) {
        const { order, firstWithOwnKey: first } = request;
        if (!order || !first) return;
        const { keyName, key, fingerprint } = order;
        const before = holders.get(keyName) ?? first;
        const isHeld = holds(before);
        const isForgotten = request.exchange.atMs - before.exchange.atMs >= keptMs(request);
        // A refused order frees the key (§7), unless a dialect stores the refusal.
        const isFreed = isOrderRefused(request) && !isRefusalStored(request);
        if (!isHeld || isFreed || isForgotten) holders.set(keyName, request);
        if (isForgotten) return;
        if (before.order?.fingerprint === fingerprint) return;
        const requests = inOrder(before, request);
        report({
          observed: isHeld
            ? `Idempotency-Key ${key} was sent with two different orders`
            : `Idempotency-Key ${key} was sent again with a different body after a ${requests[0].exchange.status} response`,
          requests,
          // A client may correct a refused order and send it with the same key.
          severity: isHeld ? "critical" : "info",
        });
      },
    };
  },
};

/** Whether the key now belongs to a card, or may, or to a refusal. */
function holds(request: ObservedRequest): boolean {
  return request.isAmbiguous || showsCard(request) || isKeyInProgress(request) || isRefusalStored(request);
}

/** In order of arrival: the 409 for a key in progress is sent before the response to the first request. */
function inOrder(one: ObservedRequest, other: ObservedRequest): [ObservedRequest, ObservedRequest] {
  return other.startedMs < one.startedMs ? [other, one] : [one, other];
}
