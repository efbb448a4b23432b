import QuickLRU from "quick-lru";
import { isOrderOperation, shortened } from "../card-order.ts";
import type { ObservedRequest } from "../request.ts";
import { latestEntry, type Rule } from "../rule.ts";

const statuses: ReadonlySet<number | undefined> = new Set([400, 403, 404, 422]);
/** With the first. */
const tooManyAttempts = 3;
/** A client that repeats a request later may know that the cause was fixed. */
const windowMs = 60_000;
const shown = 5;
/** One more than too many, so that each series is counted once. */
const kept = tooManyAttempts + 1;

interface Program {
  /** The number of different refused requests. */
  refused: number;
  readonly repeated: (readonly ObservedRequest[])[];
  repeatedCount: number;
}

/**
 * A refused request is sent three times without a change, each within a minute. Tests may repeat an error on purpose; a
 * client that retries every failure does so with all of its refused requests. So it is `warn` if a program repeats two
 * requests or more, and at least half of all that were refused. A retry has the same Idempotency-Key, or follows without
 * another request of that instance in between; it is refused by the same contract point, and nothing was armed or
 * disarmed in between. 409 may pass, and so may the 404 of a GET.
 */
export const refusedRequestUnchanged: Rule = {
  severity: "warn",
  title: "Refused request retried unchanged",
  why: "400, 403, 404 and 422 stay what they are until something is changed: the retries hide the error, and count as load.",
  mend: "Retry 429, 502, 503, lost connections and 409 alone; report the error of any other status at once.",
  spec: "§4, §7",
  watch() {
    const attemptsOf = new QuickLRU<string, readonly ObservedRequest[]>({ maxSize: 1000 });
    /** By instance. */
    const latest = new QuickLRU<string, ObservedRequest>({ maxSize: 500 });
    const programs = new QuickLRU<string, Program>({ maxSize: 500 });
    return {
      onRequest(request) {
        const { order, instance } = request;
        const { operation, caller } = request.exchange;
        if (!caller || request.isExchange) return;
        const previous = latest.get(instance);
        latest.set(instance, request);
        // An order without a valid key is another finding.
        if (!isFinal(request) || (isOrderOperation(operation) && !order)) return;
        const name = nameOf(request, order ? `${request.scope} ${caller.memberPk} ${order.key}` : instance);
        const before = attemptsOf.get(name) ?? [];
        const last = before.at(-1);
        const isRepeated = last !== undefined && repeats(last, request);
        const isInARow = order !== undefined || previous === last;
        const attempts = isRepeated && isInARow ? [...before, request].slice(-kept) : [request];
        attemptsOf.set(name, attempts);
        const program = latestEntry(programs, request.program, noRequests);
        if (!isRepeated) program.refused++;
        if (attempts.length !== tooManyAttempts) return;
        program.repeatedCount++;
        if (program.repeated.length < shown) program.repeated.push(attempts);
      },
      summarise(_moment, report) {
        for (const [, { refused, repeated, repeatedCount }] of programs.entries()) {
          const isPolicy = repeatedCount >= 2 && repeatedCount * 2 >= refused;
          for (const requests of repeated) {
            const status = requests[0]?.exchange.status;
            const seen = `A request that met ${status} was sent three times and more, unchanged`;
            report({ seen, requests, severity: isPolicy ? "warn" : "info" });
          }
        }
      },
    };
  },
};

function noRequests(): Program {
  return { refused: 0, repeated: [], repeatedCount: 0 };
}

function nameOf({ exchange: { method, path, query }, messages }: ObservedRequest, sender: string): string {
  return `${sender} ${method} ${path}${query} ${shortened(messages.requestBody ?? "")}`;
}

/** Whether a request follows soon, and nothing has changed. */
function repeats(before: ObservedRequest, request: ObservedRequest): boolean {
  return (
    request.startedMs >= before.endedMs &&
    request.startedMs - before.endedMs <= windowMs &&
    request.exchange.atMs - before.exchange.atMs <= windowMs &&
    request.armings === before.armings &&
    request.exchange.point === before.exchange.point
  );
}

/** Whether a retry without a change is pointless. */
function isFinal({ muted, exchange: { method, status, point } }: ObservedRequest): boolean {
  if (muted || !statuses.has(status)) return false;
  return point !== "gateway.scenario_unknown" && !(method === "GET" && status === 404);
}
