import QuickLRU from "quick-lru";
import { orderOperations } from "../card-order.ts";
import type { ObservedRequest } from "../request.ts";
import type { Rule } from "../rule.ts";

const nilKey = "00000000-0000-0000-0000-000000000000";
/** Keys that no generator makes. */
const unset: ReadonlySet<string> = new Set([nilKey, "ffffffff-ffff-ffff-ffff-ffffffffffff"]);
/** UUIDs in documentation, which stay where they were pasted. */
const samples: ReadonlySet<string> = new Set([
  "123e4567-e89b-12d3-a456-426614174000",
  "123e4567-e89b-12d3-a456-426655440000",
  "550e8400-e29b-41d4-a716-446655440000",
  "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
  "f47ac10b-58cc-4372-a567-0e02b2c3d479",
  "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
]);

/**
 * The client sends different orders with one key again and again, because it generates the key once or never. It is
 * reported once for each key and world. Refused orders do not count, since their key is free (§7); nor does the same
 * key after a reset, or in another company, because tests may have a fixed key.
 */
export const constantKey: Rule = {
  severity: "high",
  title: "Constant Idempotency-Key",
  why: "Under a key that is the same for all orders the first card is made, and every later order answers with that card.",
  mend: "Generate a random UUID for each order; make sure that it is set, and not a constant or made once at start.",
  spec: "§4",
  operations: orderOperations,
  watch(report) {
    /** By key, from its second request on: the different orders that were made with it, or may have been. */
    const ordersOf = new QuickLRU<string, readonly ObservedRequest[]>({ maxSize: 2500 });
    return {
      onRequest(request) {
        const { order, firstWithKey } = request;
        if (!order || firstWithKey.length === 0 || !mayBeMade(request)) return;
        const { key, sharedKeyName } = order;
        const most = unset.has(key) || samples.has(key) ? 2 : 3;
        const before = ordersOf.get(sharedKeyName) ?? firstWithKey.filter(mayBeMade).slice(0, 1);
        if (before.length === most || before.some((each) => isSameOrder(each, request))) return;
        const requests = [...before, request];
        ordersOf.set(sharedKeyName, requests);
        if (requests.length < most) return;
        report({
          seen: `${most === 2 ? "Two" : "Three"} orders that differ were sent under ${describe(key)}`,
          requests,
        });
      },
    };
  },
};

function mayBeMade(request: ObservedRequest): boolean {
  return !request.muted && (request.exchange.status === 201 || request.isAmbiguous);
}

/** Members may share a fixed key, but not an unset one: with that, the same order of another member is another order. */
function isSameOrder(one: ObservedRequest, other: ObservedRequest): boolean {
  const isSameMember = one.exchange.caller?.memberId === other.exchange.caller?.memberId;
  return one.order?.meaning === other.order?.meaning && (isSameMember || !unset.has(one.order?.key ?? ""));
}

function describe(key: string): string {
  if (unset.has(key)) return `the ${key === nilKey ? "nil" : "max"} UUID, which is no key that was generated`;
  return `the Idempotency-Key ${key}${samples.has(key) ? ", which documentation shows as a sample" : ""}`;
}
