import QuickLRU from "quick-lru";
import { isOrderOperation, shortened } from "../card-order.ts";
import type { ObservedRequest } from "../request.ts";
import { latestEntry, type Rule } from "../rule.ts";

const statuses: ReadonlySet<number | undefined> = new Set([400, 403, 404, 413, 415, 422]);
/** Including the first attempt. */
const tooManyAttempts = 3;
/** A client that repeats a request later may do so because the cause was fixed. */
const windowMs = 60_000;
const maxShown = 5;
/** One more than `tooManyAttempts`, so that each series is counted once. */
const maxKept = tooManyAttempts + 1;

interface Program {
  /** The number of different refused requests. */
  refused: number;
  readonly repeated: (readonly ObservedRequest[])[];
  repeatedCount: number;
}

/**
 * A refused request is sent three times without a change, each within a minute. Tests may repeat an error on purpose; a
 * client that retries every failure does so with all of its refused requests. So it is `warn` if a program repeats two
 * requests or more, and at least half of all that were refused. A retry has the same Idempotency-Key, or follows
 * without another request of that instance in between; it is refused by the same contract point, and nothing was armed
 * or disarmed in between. A 409 may be temporary, and so may the 404 of a GET.
 */
export const refusedRequestUnchanged: Rule = {
  severity: "warn",
  title: "Refused request retried unchanged",
  why: "A request that gets 400, 403, 404 or 422 fails again until something changes. The retries hide the error and add load.",
  fix: "Report these errors at once. Retry only 409, 429, 502, 503 and lost connections.",
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
        const attempts = isRepeated && isInARow ? [...before, request].slice(-maxKept) : [request];
        attemptsOf.set(name, attempts);
        const program = latestEntry(programs, request.program, noRequests);
        if (!isRepeated) program.refused++;
        if (attempts.length !== tooManyAttempts) return;
        program.repeatedCount++;
        if (program.repeated.length < maxShown) program.repeated.push(attempts);
      },
      summarise(_moment, report) {
        for (const [, { refused, repeated, repeatedCount }] of programs.entries()) {
          const isPolicy = repeatedCount >= 2 && repeatedCount * 2 >= refused;
          for (const requests of repeated) {
            const status = requests[0]?.exchange.status;
            const observed = `A request that got ${status} was sent at least ${tooManyAttempts} times without a change`;
            report({ observed, requests, severity: isPolicy ? "warn" : "info" });
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
