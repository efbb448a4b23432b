import QuickLRU from "quick-lru";
import { orderOperations } from "../card-order.ts";
import type { ObservedRequest } from "../request.ts";
import type { Rule } from "../rule.ts";

/** A client that has waited this long may have given up, and then its retry is correct. */
const impatienceMs = 1000;
/** The number of keys of a program that may be sent in parallel on purpose. */
const mostOnPurpose = 2;
/** The number of requests remembered for each key: enough for several clients that send it. */
const mostLatest = 8;

/**
 * Requests with one key are in progress at the same time. Test suites try that on purpose with a key or two, so it is
 * `warn` from the third key of a program on. It is `info` if the first request was slow, or a scenario fired on it.
 */
export const parallelRequestsWithOneKey: Rule = {
  severity: "warn",
  title: "Parallel requests with one Idempotency-Key",
  why: "While the first is in progress the others meet 409: a client that takes that for a failure loses a card that is made.",
  mend: "Send one request for each key at a time: wait for its answer or a timeout, and only then retry.",
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
        if (!order || !first || request.muted) return;
        const { key, keyName } = order;
        const latest = latestOf.get(keyName) ?? (first.muted ? [] : [first]);
        latestOf.set(keyName, [...latest.slice(1 - mostLatest), request]);
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
          seen: `Idempotency-Key ${key} was sent again while its first request was under way`,
          requests: pair,
          severity: isDelayed || count <= mostOnPurpose ? "info" : "warn",
        });
      },
    };
  },
};

function overlap(one: ObservedRequest, other: ObservedRequest): boolean {
  return one.startedMs < other.endedMs && other.startedMs < one.endedMs;
}

function inOrder(one: ObservedRequest, other: ObservedRequest): [ObservedRequest, ObservedRequest] {
  return other.startedMs < one.startedMs ? [other, one] : [one, other];
}

function wasDelayed(first: ObservedRequest, second: ObservedRequest): boolean {
  return second.startedMs - first.startedMs >= impatienceMs || first.exchange.scenario !== undefined;
}
