import { cardOrderOf, isKeyInProgress, isRefused } from "../card-order.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";

/** An Idempotency-Key is used again for another order. */
export const idem2: Rule = {
  severity: "critical",
  title: "Idempotency-Key reused for another order",
  why: "The service answers with the original card: the second order is never made, and the client believes that it was.",
  mend: "Generate a key for each order, keep it with the order, and send it again only with the same order.",
  spec: "§4",
  watch(found) {
    return {
      see(request) {
        const order = cardOrderOf(request);
        if (!order) return;
        const { memory, key, meaning } = order;
        const before = memory.usedBy;
        const isHeld = before !== undefined && holds(before);
        // One that was refused is not kept (§7), nor was what came before it under the key.
        if (!isHeld || isRefused(request)) memory.usedBy = request;
        if (!before || cardOrderOf(before)?.meaning === meaning) return;
        const [first, second] = inOrder(before, request);
        found({
          seen: isHeld
            ? `Idempotency-Key ${key} was sent with one order, and then with another`
            : `Idempotency-Key ${key} was sent again with another body after ${first.exchange.status}`,
          requests: [first, second],
          // Correcting the body under the key of an order that was refused orders what was meant.
          severity: isHeld ? "critical" : "info",
        });
      },
    };
  },
};

/** Whether its key holds a card now, or may. */
function holds(request: Seen): boolean {
  return request.isAmbiguous || request.exchange.status === 201 || isKeyInProgress(request);
}

/** As they arrived: one that met 409 meanwhile is answered before the one that it met. */
function inOrder(one: Seen, other: Seen): [Seen, Seen] {
  return other.startedMs < one.startedMs ? [other, one] : [one, other];
}
