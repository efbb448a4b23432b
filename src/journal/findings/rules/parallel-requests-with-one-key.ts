import QuickLRU from "quick-lru";
import { orderOperations } from "../card-order.ts";
import type { ObservedRequest } from "../request.ts";
import type { Rule } from "../rule.ts";

/** A client that has waited this long may have given up, and then its retry is correct. */
const impatienceMs = 1000;
/** The maximum number of keys that a program may send in parallel on purpose. */
const maxOnPurpose = 2;
/** The number of requests kept for each key: enough if several clients send it. */
const maxLatest = 8;

/**
 * Requests with one key are in progress at the same time. Test suites try that on purpose with a key or two, so it is
 * `warn` from the third key of a program on. It is `info` if the first request was slow, or a scenario fired on it.
 */
export const parallelRequestsWithOneKey: Rule = {
  severity: "warn",
  title: "Parallel requests with the same Idempotency-Key",
  why: "While the first request is in progress, the others are refused. A client that treats this refusal as a failure loses track of the card that the first request creates.",
  fix: "Send one request per key at a time. Wait for its response or a timeout before you retry.",
  spec: "§3, §4 (assumed)",
  operations: orderOperations,
  watch(report) {
    /** By key, from its second request on. */
    const latestOf = new QuickLRU<string, readonly ObservedRequest[]>({ maxSize: 2500 });
    const reported = new QuickLRU<string, true>({ maxSize: 1000 });
    /** By program and operation: the number of keys. */
    const counts = new QuickLRU<string, number>({ maxSize: 1000 });
    return {
      onRequest(request) {
        const { order, firstWithOwnKey: first } = request;
        if (!order || !first || request.muted || waits(request)) return;
        const { key, keyName } = order;
        const latest = latestOf.get(keyName) ?? (first.muted ? [] : [first]);
        latestOf.set(keyName, [...latest.slice(1 - maxLatest), request]);
        const other = latest.find((each) => each.client === request.client && overlap(each, request));
        if (!other) return;
        const name = `${keyName} ${request.client}`;
        if (reported.has(name)) return;
        reported.set(name, true);
        const pair = inOrder(other, request);
        const isDelayed = wasDelayed(...pair);
        const program = `${request.program} ${request.exchange.operation}`;
        const count = (counts.get(program) ?? 0) + (isDelayed ? 0 : 1);
        counts.set(program, count);
        report({
          observed: `Idempotency-Key ${key} was sent again while the first request with it was in progress`,
          requests: pair,
          severity: isDelayed || count <= maxOnPurpose ? "info" : "warn",
        });
      },
    };
  },
};

/** Whether a second request just waits for the first, so that nothing can be lost. */
function waits({ exchange: { contract } }: ObservedRequest): boolean {
  return contract.choices["order.key_in_progress"] === "wait";
}

function overlap(one: ObservedRequest, other: ObservedRequest): boolean {
  return one.startedMs < other.endedMs && other.startedMs < one.endedMs;
}

function inOrder(one: ObservedRequest, other: ObservedRequest): [ObservedRequest, ObservedRequest] {
  return other.startedMs < one.startedMs ? [other, one] : [one, other];
}

function wasDelayed(first: ObservedRequest, second: ObservedRequest): boolean {
  return second.startedMs - first.startedMs >= impatienceMs || first.exchange.scenario !== undefined;
}
