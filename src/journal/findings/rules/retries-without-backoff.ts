import QuickLRU from "quick-lru";
import { orderOperations } from "../card-order.ts";
import type { ObservedRequest } from "../request.ts";
import { type Report, type Rule, setLatest } from "../rule.ts";

const maxShown = 5;
const maxWaits = 12;
/** A test that only shortens its client's waits has fewer attempts. */
const minAttemptsWithoutWait = 12;
/** If the company's clock advanced by more than this beyond real time, a test moved it instead of waiting. */
const movedByHandMs = 1000;

/** The attempts of one order; all but the last failed. */
interface Attempts {
  readonly program: string;
  readonly first: ObservedRequest[];
  readonly waitsMs: number[];
  count: number;
  last: ObservedRequest;
  isOver: boolean;
  isMovedByHand: boolean;
}

/**
 * Retries follow each other at once, or always after the same wait. A client has one policy, so it is `warn` if most of
 * a program's orders with at least four attempts show it. Similar, but correct: waits that grow and were shortened for
 * a test, waits with jitter, waits that `Retry-After` gave, and a test that moves the clock instead of waiting. A test
 * may also leave out the waits: retries without any wait are `info` before the twelfth attempt. Polling is not a retry:
 * only requests with an Idempotency-Key count.
 */
export const retriesWithoutBackoff: Rule = {
  severity: "warn",
  title: "Retries without backoff",
  why: "When the card issuer is down for everyone, clients that retry at once or at a fixed interval keep it overloaded and delay its recovery.",
  fix: "Wait longer after each failure, for example 1, 2, 4 and 8 s, and add a random part. If the response has Retry-After, wait at least that long.",
  spec: "§7 (the interval between retries is assumed)",
  operations: orderOperations,
  watch() {
    /** By key. */
    const orders = new QuickLRU<string, Attempts>({ maxSize: 1000 });
    return {
      onRequest(request) {
        const order = request.muted ? undefined : request.order;
        if (!order) return;
        const latest = orders.get(order.keyName);
        const isRetry = latest !== undefined && !latest.isOver;
        if (isRetry ? request.startedMs < latest.last.endedMs : !isToBeRetried(request)) return;
        const attempts = isRetry ? latest : firstAttempt(request);
        if (isRetry) addWait(attempts, request);
        attempts.count++;
        attempts.last = request;
        attempts.isOver = !isToBeRetried(request);
        if (attempts.first.length < maxShown) attempts.first.push(request);
        setLatest(orders, order.keyName, attempts);
      },
      summarise: (_moment, report) =>
        reportPolicies(
          [...orders.entries()].map(([, attempts]) => attempts),
          report,
        ),
    };
  },
};

function reportPolicies(orders: readonly Attempts[], report: Report): void {
  const programs = new Map<string, Attempts[]>();
  for (const attempts of orders) {
    if (attempts.waitsMs.length < 3 || attempts.isMovedByHand) continue;
    programs.set(attempts.program, [...(programs.get(attempts.program) ?? []), attempts]);
  }
  for (const ofProgram of programs.values()) {
    const isPolicy = ofProgram.filter(isWrong).length * 2 > ofProgram.length;
    for (const attempts of ofProgram) {
      const pattern = patternOf(attempts.waitsMs);
      if (pattern === "varied") continue;
      const pace =
        pattern === "none" ? "without a wait" : `about ${mean(attempts.waitsMs)} ms apart each time`;
      report({
        observed: `An order was sent ${attempts.count} times, ${pace}`,
        requests: attempts.first,
        severity: isPolicy && isWrong(attempts) ? "warn" : "info",
      });
    }
  }
}

function firstAttempt(request: ObservedRequest): Attempts {
  return {
    program: request.program,
    first: [],
    waitsMs: [],
    count: 0,
    last: request,
    isOver: false,
    isMovedByHand: false,
  };
}

function addWait(attempts: Attempts, request: ObservedRequest): void {
  const { last, waitsMs } = attempts;
  const waitMs = request.startedMs - last.endedMs;
  const passedMs = request.exchange.atMs - last.exchange.atMs - request.exchange.durationMs;
  if (passedMs - waitMs > movedByHandMs) attempts.isMovedByHand = true;
  // After a 401 the client exchanges its key, then it may retry at once.
  const isItsOwnPace = last.exchange.status !== 401 && !("Retry-After" in last.exchange.responseHeaders);
  if (isItsOwnPace && waitsMs.length < maxWaits) waitsMs.push(waitMs);
}

/** 429, 502, 503, a lost response, 409 for a key in progress; and 401, after a new exchange. */
function isToBeRetried({ isAmbiguous, exchange: { status, point } }: ObservedRequest): boolean {
  return isAmbiguous || status === 429 || status === 401 || point?.endsWith("_in_progress") === true;
}

function isWrong({ waitsMs, count }: Attempts): boolean {
  const pattern = patternOf(waitsMs);
  return pattern === "steady" || (pattern === "none" && count >= minAttemptsWithoutWait);
}

/** A shorter wait counts as none: sending takes time, and a test may have shortened the backoff. */
const noWaitMs = 50;
/** A longer wait comes from a queue and adds no load. */
const longWaitMs = 30_000;
/** The maximum difference between equal waits: a part of the wait, and the inaccuracy of timers. */
const tolerance = 0.05;
const timerSlackMs = 2;

/** Whether the waits are equal, absent, or vary as with backoff or jitter. */
function patternOf(waitsMs: readonly number[]): "steady" | "none" | "varied" {
  if (grow(waitsMs)) return "varied";
  const longest = Math.max(...waitsMs);
  if (longest < noWaitMs) return "none";
  const average = waitsMs.reduce((sum, each) => sum + each, 0) / waitsMs.length;
  const isAverage = (each: number) => Math.abs(each - average) <= average * tolerance + timerSlackMs;
  return longest < longWaitMs && average >= noWaitMs && waitsMs.every(isAverage) ? "steady" : "varied";
}

/** Whether each wait is at least 1.5 times as long as the one before. */
function grow(waitsMs: readonly number[]): boolean {
  return waitsMs.every((each, i) => i === 0 || (each > 0 && each >= 1.5 * (waitsMs[i - 1] ?? 0)));
}

function mean(values: readonly number[]): number {
  return Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
}
