import QuickLRU from "quick-lru";
import { shortened } from "../card-order.ts";
import type { ObservedRequest } from "../request.ts";
import { latestEntry, type Moment, type Report, type Rule } from "../rule.ts";

/** The part of Retry-After that a client has to wait: timers may fire a little early. */
const leastPart = 0.9;
/** How long after Retry-After a retry still counts as one that waited for it. */
const graceMs = 30_000;
/** A shorter wait counts as none: a test may have left it out. */
const noWaitMs = 50;
/** A test that only shortens its client's waits has fewer attempts. */
const minAttemptsWithoutWait = 12;
/** If the company's clock advanced by more than this beyond real time, a test moved it. */
const movedByHandMs = 1000;

/** A request whose response has Retry-After. */
interface Refused {
  readonly request: ObservedRequest;
  readonly retryAfterMs: number;
  /** The scenario that the request itself chose. */
  readonly chosen: string;
  /** The same request, sent too early. */
  earlyRetry: ObservedRequest | undefined;
}

/** One request of one client instance, with its retries. */
interface Sent {
  readonly hasKey: boolean;
  /** The attempts that were refused and have not been retried in time; the oldest first. */
  refused: readonly Refused[];
}

/**
 * A request is sent again before the time that `Retry-After` gave. With an Idempotency-Key it is certainly a retry.
 * Without one, another part of the same client may send the same request for the first time: so an early request does
 * not count if another follows in time, and a single one is `info`, or not reported if it came without a wait. It is no
 * retry if the test's author armed or disarmed a scenario in between, or chose one on one request and not on the other.
 * A test may move the company's clock instead of waiting: such a retry does not count. A test may also leave out the
 * waits: retries without any wait are `info` before the twelfth attempt.
 */
export const retryBeforeRetryAfter: Rule = {
  severity: "warn",
  title: "Retry before Retry-After has passed",
  why: "The service refuses requests until the time in Retry-After has passed. An early retry fails too, adds load, and may extend the rate limit.",
  fix: "Wait until the time in Retry-After has passed before you send the request again, even if your own backoff is shorter.",
  spec: "§8 (rate limits are assumed)",
  watch() {
    const all = new QuickLRU<string, Sent>({ maxSize: 500 });
    /** Avoids look-ups in most runs, which have no Retry-After. */
    let isAnyRefused = false;
    return {
      onRequest(request) {
        const retryAfterMs = retryAfterMsOf(request);
        if (!isAnyRefused && retryAfterMs === undefined) return;
        // Clients that share an API key cannot be distinguished before they have a token.
        if (request.muted || !request.exchange.caller || request.isExchange) return;
        const name = nameOf(request);
        const existing = all.get(name);
        if (existing) follow(existing, request);
        if (retryAfterMs === undefined) return;
        isAnyRefused = true;
        const sent = latestEntry(all, name, () => ({ hasKey: request.order !== undefined, refused: [] }));
        const refused = { request, retryAfterMs, chosen: request.chosenScenario, earlyRetry: undefined };
        sent.refused = [...sent.refused, refused].slice(-minAttemptsWithoutWait);
      },
      summarise(moment, report) {
        for (const [, sent] of all.entries()) reportEarly(sent, moment, report);
      },
    };
  },
};

function reportEarly({ hasKey, refused }: Sent, moment: Moment, report: Report): void {
  const retriedEarly = refused.filter((each) => each.earlyRetry && (hasKey || isOver(each, moment)));
  const isRetried = hasKey || retriedEarly.length > 1;
  for (const { request, earlyRetry } of retriedEarly) {
    if (!earlyRetry) continue;
    const waitedMs = earlyRetry.startedMs - request.endedMs;
    const hasWaited = waitedMs >= noWaitMs || retriedEarly.length >= minAttemptsWithoutWait - 1;
    if (!isRetried && !hasWaited) continue;
    report({
      observed: `A request got ${request.exchange.status} with Retry-After: ${request.exchange.responseHeaders["Retry-After"]} and was sent again after ${Math.round(waitedMs)} ms`,
      requests: [request, earlyRetry],
      severity: isRetried && hasWaited ? "warn" : "info",
    });
  }
}

/** Undefined if the response has no Retry-After, or did not reach the client. A date is by the company's clock. */
function retryAfterMsOf({ exchange: { status, responseHeaders, abortedMs, atMs } }: ObservedRequest) {
  const { "Retry-After": value } = responseHeaders;
  if ((status !== 429 && status !== 503) || abortedMs !== undefined || value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - atMs;
  return ms > 0 ? ms : undefined;
}

/** Names the request and the client instance. It contains the access token: never show it. */
function nameOf({ exchange, order, instance, messages }: ObservedRequest): string {
  const { method, operation, path, query } = exchange;
  return order
    ? `${instance} ${operation} ${order.key}`
    : `${instance} ${method} ${path}${query} ${shortened(messages.requestBody ?? "")}`;
}

/**
 * Matches a request with an earlier refused attempt: the oldest that it retries in time, or one that it retries too
 * early.
 */
function follow(sent: Sent, request: ObservedRequest): void {
  const inTime = sent.refused.find(
    (each) => isInTime(each, request) && !(sent.hasKey && each.earlyRetry !== undefined),
  );
  if (inTime) {
    sent.refused = sent.refused.filter((each) => each !== inTime);
    return;
  }
  const refused = sent.refused.findLast((each) => each.earlyRetry === undefined && isEarly(each, request));
  if (refused) refused.earlyRetry = request;
}

function isInTime({ request: first, retryAfterMs }: Refused, request: ObservedRequest): boolean {
  const waitedMs = Math.max(request.startedMs - first.endedMs, passedMs(first, request));
  return waitedMs >= leastPart * retryAfterMs && waitedMs <= retryAfterMs + graceMs;
}

function isEarly({ request: first, retryAfterMs, chosen }: Refused, request: ObservedRequest): boolean {
  const waitedMs = request.startedMs - first.endedMs;
  return (
    waitedMs >= 0 &&
    waitedMs < leastPart * retryAfterMs &&
    passedMs(first, request) - waitedMs <= movedByHandMs &&
    request.armings === first.armings &&
    request.chosenScenario === chosen
  );
}

/** The time between a response and the next request, by the company's clock. */
function passedMs(first: ObservedRequest, request: ObservedRequest): number {
  return request.exchange.atMs - first.exchange.atMs - request.exchange.durationMs;
}

/** Whether it is too late for a retry in time. */
function isOver({ request, retryAfterMs }: Refused, { realMs, final }: Moment): boolean {
  return final || realMs - request.endedMs > retryAfterMs + graceMs;
}
