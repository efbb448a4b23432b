import { type CardOrder, cardOrderOf } from "../card-order.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";

const nilKey = "00000000-0000-0000-0000-000000000000";
/** What no generator makes. */
const unset: ReadonlySet<string> = new Set([nilKey, "ffffffff-ffff-ffff-ffff-ffffffffffff"]);
/** What documentation shows as a UUID, and stays where it was pasted. */
const samples: ReadonlySet<string> = new Set([
  "123e4567-e89b-12d3-a456-426614174000",
  "123e4567-e89b-12d3-a456-426655440000",
  "550e8400-e29b-41d4-a716-446655440000",
  "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
  "f47ac10b-58cc-4372-a567-0e02b2c3d479",
  "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
]);

/**
 * Orders that differ go out under one key again and again: it is generated once, or never. IDEM-2 tells of each order
 * that is lost by it; this one of the cause, once a key and world. Orders that were refused do not count, since
 * their key is free (§7); nor does the same key after a reset, or in another company, where tests have it fixed.
 */
export const idem3: Rule = {
  severity: "high",
  title: "Constant Idempotency-Key",
  why: "Under a key that is the same for all orders the first card is made, and every later order answers with that card.",
  mend: "Generate a random UUID for each order; make sure that it is set, and not a constant or made once at start.",
  spec: "§4",
  watch(found) {
    return {
      see(request) {
        const order = request.muted ? undefined : cardOrderOf(request);
        if (!order || !(request.exchange.status === 201 || request.isAmbiguous)) return;
        const { key, sharedMemory } = order;
        const { made } = sharedMemory;
        if (!made) {
          sharedMemory.made = request;
          return;
        }
        const orders = [made].flat();
        const most = unset.has(key) || samples.has(key) ? 2 : 3;
        if (orders.length === most || orders.some((each) => whatIn(each) === whatIn(request))) return;
        const differing = [...orders, request];
        sharedMemory.made = differing;
        if (differing.length < most) return;
        found({
          seen: `${most === 2 ? "Two" : "Three"} orders that differ were sent under ${describe(key)}`,
          requests: differing,
        });
      },
    };
  },
};

/** Nobody fixes a key that is unset, so there the same order of another member is another order. */
function whatIn(request: Seen): string {
  const { key, meaning } = cardOrderOf(request) as CardOrder;
  return unset.has(key) ? `${request.exchange.caller?.memberId} ${meaning}` : meaning;
}

function describe(key: string): string {
  if (unset.has(key)) return `the ${key === nilKey ? "nil" : "max"} UUID, which is no key that was generated`;
  return `the Idempotency-Key ${key}${samples.has(key) ? ", which documentation shows as a sample" : ""}`;
}
