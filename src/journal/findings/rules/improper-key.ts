import QuickLRU from "quick-lru";
import { orderOperations } from "../card-order.ts";
import type { ObservedRequest } from "../request.ts";
import { latestEntry, type Report, type Rule } from "../rule.ts";

const minForHigh = 3;

/** The orders of one program with one operation. */
interface Orders {
  readonly missing: RefusedOrders;
  readonly malformed: RefusedOrders;
  /** The program has sent a valid key. */
  hasKey: boolean;
}

interface RefusedOrders {
  count: number;
  readonly first: ObservedRequest[];
}

/**
 * Orders have no Idempotency-Key, or one that is not a UUID. Test suites send one of each on purpose, so it is `high`
 * only if a program does the same with one operation three times. It is not reported if the program also sends a valid
 * key.
 */
export const improperKey: Rule = {
  severity: "high",
  title: "Order without a valid Idempotency-Key",
  why: "The service refuses every such order with 400, so no card is created.",
  fix: "Send a UUID as Idempotency-Key with every order, without quotes or a prefix. Generate it once per order, and send the same key with every retry.",
  spec: "§4",
  operations: orderOperations,
  watch() {
    const programs = new QuickLRU<string, Map<string, Orders>>({ maxSize: 500 });
    return {
      onRequest(request) {
        const { operation, idempotencyKey, point } = request.exchange;
        if (operation === undefined || request.muted) return;
        const isRefused = refusals.has(point ?? "");
        if (!isRefused && idempotencyKey === undefined) return;
        const program = latestEntry(programs, request.program, () => new Map());
        const orders = program.get(operation) ?? { missing: none(), malformed: none(), hasKey: false };
        program.set(operation, orders);
        if (!isRefused) orders.hasKey = true;
        if (orders.hasKey) return;
        const key = request.messages.requestHeaders.get("Idempotency-Key");
        const kind = key ? orders.malformed : orders.missing;
        kind.count++;
        if (kind.first.length < minForHigh) kind.first.push(request);
      },
      summarise(_moment, report) {
        for (const [, program] of programs.entries()) {
          for (const { missing, malformed, hasKey } of program.values()) {
            if (hasKey) continue;
            reportOrders(missing, "without an Idempotency-Key", report);
            reportOrders(malformed, "with an Idempotency-Key that is not a UUID", report);
          }
        }
      },
    };
  },
};

function reportOrders({ count, first }: RefusedOrders, mistake: string, report: Report): void {
  if (count === 0) return;
  report({
    observed: `${count === 1 ? "1 order was" : `${count} orders were`} sent ${mistake}`,
    requests: first,
    // One or two may be tests of the refusal.
    severity: count < minForHigh ? "info" : "high",
  });
}

function none(): RefusedOrders {
  return { count: 0, first: [] };
}

const refusals: ReadonlySet<string> = new Set([
  "order.idempotency_key_missing",
  "order.idempotency_key_invalid",
  "cards.idempotency_key_invalid",
]);
