import QuickLRU from "quick-lru";
import { isKeyReused, orderOperations, showsCard } from "../card-order.ts";
import type { ObservedRequest } from "../request.ts";
import type { Rule } from "../rule.ts";

const nilKey = "00000000-0000-0000-0000-000000000000";
/** Keys that no UUID generator returns. */
const unsetKeys: ReadonlySet<string> = new Set([nilKey, "ffffffff-ffff-ffff-ffff-ffffffffffff"]);
/** UUIDs from documentation that developers paste into their code. */
const sampleKeys: ReadonlySet<string> = new Set([
  "123e4567-e89b-12d3-a456-426614174000",
  "123e4567-e89b-12d3-a456-426655440000",
  "550e8400-e29b-41d4-a716-446655440000",
  "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
  "f47ac10b-58cc-4372-a567-0e02b2c3d479",
  "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
]);

/**
 * The client sends different orders with one key again and again, because it generates the key once or never. It is
 * reported once for each key and scope. Refused orders do not count, because their key is free (§7). Neither does the
 * same key after a reset or in another company, because tests may use a fixed key.
 */
export const constantKey: Rule = {
  severity: "high",
  title: "Same Idempotency-Key for all orders",
  why: "Only the first order creates a card. Every later order returns that card or is refused, so the other cards are never created.",
  fix: "Generate a random UUID for each order. Do not hard-code the key, and do not generate it once at startup.",
  spec: "§4",
  operations: orderOperations,
  watch(report) {
    /** By key, from its second request on: the different orders that created a card with it, or may have. */
    const ordersOf = new QuickLRU<string, readonly ObservedRequest[]>({ maxSize: 2500 });
    return {
      onRequest(request) {
        const { order, firstWithKey } = request;
        if (!order || firstWithKey.length === 0 || !mayHaveCreatedCard(request)) return;
        const { key, sharedKeyName } = order;
        const threshold = unsetKeys.has(key) || sampleKeys.has(key) ? 2 : 3;
        const before = ordersOf.get(sharedKeyName) ?? firstWithKey.filter(mayHaveCreatedCard).slice(0, 1);
        if (before.length === threshold || before.some((each) => isSameOrder(each, request))) return;
        const requests = [...before, request];
        ordersOf.set(sharedKeyName, requests);
        if (requests.length < threshold) return;
        report({
          observed: `${threshold === 2 ? "Two" : "Three"} different orders were sent with Idempotency-Key ${key}${originOf(key)}`,
          requests,
        });
      },
    };
  },
};

/** Or would have, with a key of its own. */
function mayHaveCreatedCard(request: ObservedRequest): boolean {
  return !request.muted && (showsCard(request) || isKeyReused(request) || request.isAmbiguous);
}

/** Members may share a fixed key, but with an unset key the same order of another member is a different order. */
function isSameOrder(one: ObservedRequest, other: ObservedRequest): boolean {
  const isSameMember = one.exchange.caller?.memberId === other.exchange.caller?.memberId;
  return (
    one.order?.fingerprint === other.order?.fingerprint &&
    (isSameMember || !unsetKeys.has(one.order?.key ?? ""))
  );
}

function originOf(key: string): string {
  if (unsetKeys.has(key)) return ` (the ${key === nilKey ? "nil" : "max"} UUID)`;
  return sampleKeys.has(key) ? " (a sample UUID from documentation)" : "";
}
