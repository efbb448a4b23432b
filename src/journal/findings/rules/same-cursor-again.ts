import QuickLRU from "quick-lru";
import { listOperations } from "../list-request.ts";
import type { ObservedRequest } from "../request.ts";
import type { Rule } from "../rule.ts";

/** Requests for the same page with one token, without another page in between. */
interface Run {
  readonly query: string;
  readonly requests: ObservedRequest[];
}

const fewest = 3;
const kept = 50;

export const sameCursorAgain: Rule = {
  severity: "high",
  title: "Same cursor sent again and again",
  why: "The loop never ends: the client reads one page for ever, counts its rows more than once, and meets the rate limit.",
  mend: "Take next_cursor from the page just read, not from the first one, and stop where it is null.",
  spec: "§4 (the shape of lists is assumed)",
  operations: listOperations,
  watch(report) {
    const runs = new QuickLRU<string, Run>({ maxSize: 500 });
    /** The number of pages that ended with a cursor: each of them may be followed. */
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
        // If no page was delivered, the client is right to repeat the request.
        if (next === undefined || request.muted) return;
        const latest = runs.get(name);
        const run = latest?.query === query ? latest : { query, requests: [] };
        if (run !== latest) runs.set(name, run);
        if (run.requests.length === kept) return;
        run.requests.push(request);
        const enough = Math.max(fewest, (given.get(cursor) ?? 0) + fewest - 1);
        if (run.requests.length !== enough) return;
        report({
          seen: `The same cursor was sent ${enough} times in a row, though each page arrived`,
          requests: run.requests,
        });
      },
    };
  },
};
