import QuickLRU from "quick-lru";
import { isKeyInProgress, isOrderRefused, orderOperations } from "../card-order.ts";
import type { ObservedRequest } from "../request.ts";
import type { Rule } from "../rule.ts";

export const keyReusedForAnotherOrder: Rule = {
  severity: "critical",
  title: "Idempotency-Key reused for another order",
  why: "The service answers with the original card: the second order is never made, and the client believes that it was.",
  mend: "Generate a key for each order, keep it with the order, and send it again only with the same order.",
  spec: "§4",
  operations: orderOperations,
  watch(report) {
    /** By key: the order that holds it, or was last sent with it; absent: the first order. */
    const holders = new QuickLRU<string, ObservedRequest>({ maxSize: 2500 });
    return {
      onRequest(request) {
        const { order, firstWithOwnKey: first } = request;
        if (!order || !first) return;
        const { keyName, key, meaning } = order;
        const before = holders.get(keyName) ?? first;
        const isHeld = holds(before);
        // A refused order frees the key (§7).
        if (!isHeld || isOrderRefused(request)) holders.set(keyName, request);
        if (before.order?.meaning === meaning) return;
        const requests = inOrder(before, request);
        report({
          seen: isHeld
            ? `Idempotency-Key ${key} was sent with one order, and then with another`
            : `Idempotency-Key ${key} was sent again with another body after ${requests[0].exchange.status}`,
          requests,
          // A client may correct a refused order, and send it with the same key.
          severity: isHeld ? "critical" : "info",
        });
      },
    };
  },
};

/** Whether the key holds a card now, or may. */
function holds(request: ObservedRequest): boolean {
  return request.isAmbiguous || request.exchange.status === 201 || isKeyInProgress(request);
}

/** In the order of arrival: 409 for a key in progress is answered before the first request. */
function inOrder(one: ObservedRequest, other: ObservedRequest): [ObservedRequest, ObservedRequest] {
  return other.startedMs < one.startedMs ? [other, one] : [one, other];
}
