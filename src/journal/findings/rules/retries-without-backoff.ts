import { cardOrderOf } from "../card-order.ts";
import type { KeyMemory } from "../key-memory.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";
import { programOf } from "../senders.ts";
import { patternOf } from "../waits-between.ts";

const shownAttempts = 5;
const keptWaits = 12;
/** So many attempts no test has that only leaves out its client's waits. */
const relentless = 12;
/** Time that the company's clock went on beyond real time: a test waits by that. */
const movedByHandMs = 1000;

/** The attempts of one order, each but the last of which failed. */
export interface Attempts {
  readonly program: string;
  readonly first: Seen[];
  readonly waitsMs: number[];
  count: number;
  last: Seen;
  isOver: boolean;
  isMovedByHand: boolean;
}

/**
 * Retries follow each other at once, or always after the same wait. A client goes by one policy, so it is a mistake
 * where most of its orders with four attempts and more show it. What looks alike and is right: waits that grow and
 * were shortened for a test; waits with jitter; waits that `Retry-After` gave; a test that moves the clock instead of
 * waiting. Where nothing is waited at all a test may have left the waits out: that is only worth knowing before the
 * twelfth attempt. Polling is not retrying: only requests with an Idempotency-Key count.
 */
export const retry1: Rule = {
  severity: "warn",
  title: "Retries without backoff",
  why: "When the issuer is down for all, clients that come back at once, or in step, keep it down.",
  mend: "Wait longer after each failure, such as 1, 2, 4, 8 s, with a random part; go by Retry-After where it is given.",
  spec: "§7 (retry later; the pace is assumed)",
  watch() {
    const orders = new Recent<KeyMemory, Attempts>(2000);
    return {
      see(request) {
        const order = request.muted ? undefined : cardOrderOf(request);
        if (!order) return;
        const known = order.memory.attempts;
        const attempts = known?.isOver === false ? known : begun(request);
        if (attempts === known) {
          if (request.startedMs < attempts.last.endedMs) return;
          follow(attempts, request);
        } else if (!isToBeRetried(request)) return;
        attempts.count++;
        attempts.last = request;
        attempts.isOver = !isToBeRetried(request);
        if (attempts.first.length < shownAttempts) attempts.first.push(request);
        order.memory.attempts = attempts;
        orders.set(order.memory, attempts);
      },
      standing(_moment, found) {
        const programs = new Map<string, Attempts[]>();
        for (const attempts of orders.values()) {
          if (attempts.waitsMs.length < 3 || attempts.isMovedByHand) continue;
          programs.set(attempts.program, [...(programs.get(attempts.program) ?? []), attempts]);
        }
        for (const judged of programs.values()) {
          const isWrong = (each: Attempts) => isSteady(each) || (isHasty(each) && each.count >= relentless);
          const isPolicy = judged.filter(isWrong).length * 2 > judged.length;
          for (const each of judged) {
            if (!isWrong(each) && !isHasty(each)) continue;
            const pace = isHasty(each) ? "without a wait" : `always after about ${mean(each.waitsMs)} ms`;
            found({
              seen: `An order was sent ${each.count} times, ${pace}`,
              requests: each.first,
              severity: isWrong(each) && isPolicy ? "warn" : "info",
            });
          }
        }
      },
    };
  },
};

function begun(request: Seen): Attempts {
  return {
    program: programOf(request),
    first: [],
    waitsMs: [],
    count: 0,
    last: request,
    isOver: false,
    isMovedByHand: false,
  };
}

function follow(attempts: Attempts, request: Seen): void {
  const { last, waitsMs } = attempts;
  const waitMs = request.startedMs - last.endedMs;
  const passedMs = request.exchange.atMs - last.exchange.atMs - request.exchange.durationMs;
  if (passedMs - waitMs > movedByHandMs) attempts.isMovedByHand = true;
  // After 401 the client exchanged its key, and is right to come back at once.
  const isItsOwnPace = last.exchange.status !== 401 && !("Retry-After" in last.exchange.responseHeaders);
  if (isItsOwnPace && waitsMs.length < keptWaits) waitsMs.push(waitMs);
}

/** 429, 502, 503, a lost answer, 409 while something is in progress; 401 is mended first. */
function isToBeRetried({ isAmbiguous, exchange: { status, point } }: Seen): boolean {
  return isAmbiguous || status === 429 || status === 401 || point?.endsWith("_in_progress") === true;
}

function isHasty({ waitsMs }: Attempts): boolean {
  return patternOf(waitsMs) === "none";
}

function isSteady({ waitsMs }: Attempts): boolean {
  return patternOf(waitsMs) === "steady";
}

function mean(values: readonly number[]): number {
  return Math.round(values.reduce((sum, value) => sum + value, 0) / values.length);
}
