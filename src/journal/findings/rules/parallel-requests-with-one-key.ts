import { cardOrderOf } from "../card-order.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";
import { programOf } from "../senders.ts";

/** After this long without an answer a client may well have given up, and retries as it should. */
const impatienceMs = 1000;
const racedOnPurpose = 2;
/** Of a key: enough for several clients that send it. */
const mostLatest = 8;

/**
 * Requests with one key are under way at the same time. Every suite tries that on purpose with a key or two, so it
 * is a mistake from the third key of a program on; and only worth knowing where the first took its time, or a
 * scenario made it.
 */
export const idem4: Rule = {
  severity: "warn",
  title: "Parallel requests with one Idempotency-Key",
  why: "While the first is in progress the others meet 409: a client that takes that for a failure loses a card that is made.",
  mend: "Send one request for each key at a time: wait for its answer or a timeout, and only then retry.",
  spec: "§3, §4 (assumed)",
  watch(found) {
    const told = new Recent<string, true>();
    const raced = new Recent<string, number>();
    return {
      see(request) {
        const order = request.muted ? undefined : cardOrderOf(request);
        if (!order) return;
        const { memory } = order;
        const { latest } = memory;
        if (!latest) {
          memory.latest = request;
          return;
        }
        const others = [latest].flat();
        memory.latest = [...others.slice(1 - mostLatest), request];
        const other = others.find((each) => each.client === request.client && overlap(each, request));
        if (!other) return;
        const name = `${request.client} ${request.exchange.caller?.memberPk} ${request.exchange.operation} ${order.key}`;
        if (told.get(name)) return;
        told.set(name, true);
        const pair = inOrder(other, request);
        const isMade = tookItsTime(...pair);
        const program = `${programOf(request)} ${request.exchange.operation}`;
        const count = (raced.get(program) ?? 0) + (isMade ? 0 : 1);
        raced.set(program, count);
        found({
          seen: `Idempotency-Key ${order.key} was sent again while its first request was under way`,
          requests: pair,
          severity: isMade || count <= racedOnPurpose ? "info" : "warn",
        });
      },
    };
  },
};

function overlap(one: Seen, other: Seen): boolean {
  return one.startedMs < other.endedMs && other.startedMs < one.endedMs;
}

function inOrder(one: Seen, other: Seen): [Seen, Seen] {
  return other.startedMs < one.startedMs ? [other, one] : [one, other];
}

function tookItsTime(first: Seen, second: Seen): boolean {
  return second.startedMs - first.startedMs >= impatienceMs || first.exchange.scenario !== undefined;
}
