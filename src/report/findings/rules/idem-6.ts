import { isKeyed } from "../card-order.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";
import { programOf } from "../senders.ts";

const fewest = 3;

interface Orders {
  readonly missing: Faulty;
  readonly malformed: Faulty;
  hasKey: boolean;
}

interface Faulty {
  count: number;
  readonly first: Seen[];
}

/**
 * Orders go out with no Idempotency-Key, or with one that is no UUID. Every suite sends one of each on purpose, so it
 * is a mistake where a program does the same to one operation three times, and never sends it a proper key.
 */
export const idem6: Rule = {
  severity: "high",
  title: "Order without a proper Idempotency-Key",
  why: "The service refuses every such order with 400: none of them makes a card.",
  mend: "Send a UUID, without quotes or a prefix, as Idempotency-Key with every order: generated once for each, and kept for its retries.",
  spec: "§4",
  watch() {
    const programs = new Recent<string, Orders>(1000);
    return {
      see(request) {
        const { operation, idempotencyKey, point, requestHeaders } = request.exchange;
        if (!isKeyed(operation) || request.muted) return;
        const isRefused = refusals.has(point ?? "");
        if (!isRefused && idempotencyKey === undefined) return;
        const name = `${programOf(request)} ${operation}`;
        const orders = programs.get(name) ?? { missing: none(), malformed: none(), hasKey: false };
        programs.set(name, orders);
        if (!isRefused) orders.hasKey = true;
        if (orders.hasKey) return;
        const kind = requestHeaders.get("Idempotency-Key") ? orders.malformed : orders.missing;
        kind.count++;
        if (kind.first.length < fewest) kind.first.push(request);
      },
      standing(_moment, found) {
        for (const { missing, malformed, hasKey } of programs.values()) {
          if (hasKey) continue;
          if (missing.count >= fewest) {
            const seen = `${missing.count} orders were sent without an Idempotency-Key`;
            found({ seen, requests: missing.first });
          }
          if (malformed.count >= fewest) {
            const seen = `${malformed.count} orders were sent with an Idempotency-Key that is no UUID`;
            found({ seen, requests: malformed.first });
          }
        }
      },
    };
  },
};

function none(): Faulty {
  return { count: 0, first: [] };
}

const refusals: ReadonlySet<string> = new Set([
  "order.idempotency_key_missing",
  "order.idempotency_key_invalid",
  "cards.idempotency_key_invalid",
]);
