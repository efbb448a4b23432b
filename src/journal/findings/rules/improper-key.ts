import type { OperationId } from "../../../contract/operations.ts";
import { isKeyed } from "../card-order.ts";
import type { Severity } from "../finding.ts";
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
    const programs = new Recent<string, Partial<Record<OperationId, Orders>>>(1000);
    return {
      see(request) {
        const { operation, idempotencyKey, point } = request.exchange;
        if (operation === undefined || !isKeyed(operation) || request.muted) return;
        const isRefused = refusals.has(point ?? "");
        if (!isRefused && idempotencyKey === undefined) return;
        const program = programs.get(programOf(request)) ?? {};
        programs.set(programOf(request), program);
        program[operation] ??= { missing: none(), malformed: none(), hasKey: false };
        const orders = program[operation];
        if (!isRefused) orders.hasKey = true;
        if (orders.hasKey) return;
        const kind = request.messages.requestHeaders.get("Idempotency-Key")
          ? orders.malformed
          : orders.missing;
        kind.count++;
        if (kind.first.length < fewest) kind.first.push(request);
      },
      standing(_moment, found) {
        for (const { missing, malformed, hasKey } of [...programs.values()].flatMap((each) =>
          Object.values(each),
        )) {
          if (hasKey) continue;
          if (missing.count > 0) {
            const seen = `${ordersOf(missing)} sent without an Idempotency-Key`;
            found({ seen, requests: missing.first, severity: severityOf(missing) });
          }
          if (malformed.count > 0) {
            const seen = `${ordersOf(malformed)} sent with an Idempotency-Key that is no UUID`;
            found({ seen, requests: malformed.first, severity: severityOf(malformed) });
          }
        }
      },
    };
  },
};

function ordersOf({ count }: Faulty): string {
  return count === 1 ? "An order was" : `${count} orders were`;
}

/** One or two may be tests of the refusal. */
function severityOf({ count }: Faulty): Severity {
  return count < fewest ? "info" : "high";
}

function none(): Faulty {
  return { count: 0, first: [] };
}

const refusals: ReadonlySet<string> = new Set([
  "order.idempotency_key_missing",
  "order.idempotency_key_invalid",
  "cards.idempotency_key_invalid",
]);
