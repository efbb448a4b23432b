import { cardOrderOf, isKeyInProgress, isRefused } from "../card-order.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Witness } from "../seen.ts";

interface Use {
  readonly request: Witness;
  readonly meaning: string;
  /** Whether the key holds a card now, or may. */
  readonly holds: boolean;
}

/** An Idempotency-Key is used again for another order. */
export const idem2: Rule = {
  severity: "critical",
  title: "Idempotency-Key reused for another order",
  why: "The service answers with the original card: the second order is never made, and the client believes that it was.",
  mend: "Generate a key for each order, keep it with the order, and send it again only with the same order.",
  spec: "§4",
  watch(found) {
    const uses = new Recent<string, Use>();
    return {
      see(request) {
        const order = cardOrderOf(request);
        if (!order) return;
        const { keyed, key, meaning } = order;
        const { status } = request.exchange;
        const before = uses.get(keyed);
        const use = {
          request: request.witness,
          meaning,
          holds: request.isAmbiguous || status === 201 || isKeyInProgress(request),
        };
        // One that was refused is not kept (§7), nor was what came before it under the key.
        if (!before?.holds || isRefused(request)) uses.set(keyed, use);
        if (!before || before.meaning === meaning) return;
        const [first, second] = inOrder(before, use);
        found({
          seen: before.holds
            ? `Idempotency-Key ${key} was sent with one order, and then with another`
            : `Idempotency-Key ${key} was sent again with another body after ${first.request.exchange.status}`,
          requests: [first.request, second.request],
          // Correcting the body under the key of an order that was refused orders what was meant.
          severity: before.holds ? "critical" : "info",
        });
      },
    };
  },
};

/** As they arrived: one that met 409 meanwhile is answered before the one that it met. */
function inOrder(one: Use, other: Use): [Use, Use] {
  return other.request.startedMs < one.request.startedMs ? [other, one] : [one, other];
}
