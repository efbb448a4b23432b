import { orderMeaning } from "../order-meaning.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";

interface FirstUse {
  readonly request: Seen;
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
    const uses = new Recent<string, FirstUse>();
    return {
      see(request) {
        const { operation, idempotencyKey, caller, status } = request.exchange;
        if (operation !== "orderPhysicalCard" || !idempotencyKey || !caller) return;
        const meaning = orderMeaning(request.json);
        if (meaning === undefined) return;
        const key = `${request.scope} ${caller.memberId} ${idempotencyKey}`;
        const holds = request.isAmbiguous || status === 201;
        const before = uses.get(key);
        if (!before?.holds) uses.set(key, { request, meaning, holds });
        if (!before || before.meaning === meaning) return;
        found({
          seen: before.holds
            ? `Idempotency-Key ${idempotencyKey} was sent with one order, and then with another`
            : `Idempotency-Key ${idempotencyKey} was sent again with another body after ${before.request.exchange.status}`,
          requests: [before.request, request],
          // A failure is not kept (§7): correcting the body under the same key orders what was meant.
          severity: before.holds ? "critical" : "info",
        });
      },
    };
  },
};
