import { cardOrderOf, keyNameOf } from "../card-order.ts";
import { chosenScenario } from "../chosen-scenario.ts";
import { Recent } from "../recent.ts";
import type { Moment, Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";
import { instanceOf, programOf } from "../senders.ts";

const patienceMs = 15 * 60_000;

/**
 * An order whose outcome is unknown is left alone: neither sent again with its key, nor is the card list read. A
 * suite holds a failure against its client's error on purpose, so it is a mistake only where the program leaves more
 * than one, and none in its whole run is seen to; and none at all where the request itself chose its scenario, or
 * the order was sent with a new key, of which IDEM-1 tells.
 */
export const idem5: Rule = {
  severity: "warn",
  title: "Order of unknown outcome left alone",
  why: "After 502, 503 or a lost answer a card may be on its way that the client knows nothing of, or none that it waits for.",
  mend: "Retry with the same Idempotency-Key until the outcome is known; or look for the card with GET /developer/cards.",
  spec: "§7",
  watch() {
    /** By key. */
    const left = new Recent<string, Seen>(2000);
    /** Their keys by instance and what was ordered. */
    const leftOrders = new Recent<string, string>(2000);
    /** Most runs leave none, and are spared the look-up. */
    let isAnyLeft = false;
    const careful = new Recent<string, true>();
    const listReadMs = new Recent<string, number>();
    const latestMs = new Recent<string, number>();
    const isRead = ({ scope, endedMs }: Seen) =>
      (listReadMs.get(scope) ?? Number.NEGATIVE_INFINITY) >= endedMs;
    const isDue = ({ scope, exchange }: Seen, { nowMs, final }: Moment): boolean => {
      const ownMs = nowMs + (exchange.caller?.clockOffsetMs ?? 0);
      return final || Math.max(ownMs, latestMs.get(scope) ?? ownMs) - exchange.atMs >= patienceMs;
    };
    return {
      see(request) {
        const { operation, status, atMs } = request.exchange;
        if (operation === "listCards" && status === 200 && !request.isAmbiguous) {
          listReadMs.set(request.scope, request.startedMs);
          latestMs.set(request.scope, atMs);
          return;
        }
        const order = cardOrderOf(request);
        if (!order) return;
        const { memory, meaning } = order;
        latestMs.set(request.scope, atMs);
        if (!isAnyLeft && !request.isAmbiguous) {
          memory.isSettled ||= status === 201;
          return;
        }
        const keyName = keyNameOf(request);
        const first = left.get(keyName);
        const isFollowed = first !== undefined && request.startedMs >= first.endedMs;
        if (isFollowed) careful.set(programOf(first), true);
        const isSettled = isFollowed || (status === 201 && !request.isAmbiguous) || memory.isSettled;
        memory.isSettled = isSettled;
        if (isSettled) left.delete(keyName);
        const mayBeLeft = request.isAmbiguous && !isSettled && !request.muted;
        const name = `${instanceOf(request)} ${meaning}`;
        const before = leftOrders.get(name);
        if (before !== undefined && before !== keyName) left.delete(before);
        if (!mayBeLeft || chosenScenario(request) !== "") return;
        isAnyLeft = true;
        left.set(keyName, request);
        leftOrders.set(name, keyName);
      },
      standing(moment, found) {
        const byProgram = new Map<string, Seen[]>();
        const reading = new Set<string>();
        for (const request of left.values()) {
          const program = programOf(request);
          if (isRead(request)) reading.add(program);
          else if (isDue(request, moment)) {
            byProgram.set(program, [...(byProgram.get(program) ?? []), request]);
          }
        }
        for (const [program, requests] of byProgram) {
          const isCareful = careful.get(program) === true || reading.has(program);
          const severity = isCareful || requests.length === 1 ? "info" : "warn";
          for (const request of requests) {
            const seen = "The outcome of an order was unknown, and nobody retried it or read the card list";
            found({ seen, requests: [request], severity });
          }
        }
      },
    };
  },
};
