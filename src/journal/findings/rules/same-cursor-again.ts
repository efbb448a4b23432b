import QuickLRU from "quick-lru";
import { listOperations } from "../list-request.ts";
import type { ObservedRequest } from "../request.ts";
import type { Rule } from "../rule.ts";

/** Consecutive requests for the same page with one token. */
interface Run {
  readonly query: string;
  readonly requests: ObservedRequest[];
}

const minRepeats = 3;
const maxKept = 50;

export const sameCursorAgain: Rule = {
  severity: "high",
  title: "Same cursor sent repeatedly",
  why: "The client never reaches the end of the list: it reads the same page again and again, counts its rows several times, and reaches the rate limit.",
  fix: "Use the next_cursor of the latest page, not of the first one. Stop when it is null.",
  spec: "§4 (the shape of lists is assumed)",
  operations: listOperations,
  watch(report) {
    const runs = new QuickLRU<string, Run>({ maxSize: 500 });
    /** By cursor: the number of pages that returned it. Each of them may be followed. */
    const given = new QuickLRU<string, number>({ maxSize: 1000 });
    return {
      onRequest(request) {
        if (!request.list) return;
        const { cursor, next } = request.list;
        if (typeof next === "string") given.set(next, (given.get(next) ?? 0) + 1);
        const { path, query } = request.exchange;
        const name = `${request.client} ${request.token} ${path}`;
        if (cursor === undefined) {
          runs.delete(name);
          return;
        }
        // If the page was not delivered, it is correct to repeat the request.
        if (next === undefined || request.muted) return;
        const latest = runs.get(name);
        const run = latest?.query === query ? latest : { query, requests: [] };
        if (run !== latest) runs.set(name, run);
        if (run.requests.length === maxKept) return;
        run.requests.push(request);
        const threshold = Math.max(minRepeats, (given.get(cursor) ?? 0) + minRepeats - 1);
        if (run.requests.length !== threshold) return;
        report({
          observed: `The same cursor was sent ${threshold} times in a row, although the service returned the page each time`,
          requests: run.requests,
        });
      },
    };
  },
};
