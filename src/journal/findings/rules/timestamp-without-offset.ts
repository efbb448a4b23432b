import QuickLRU from "quick-lru";
import { isPeriodEnd } from "../list-request.ts";
import type { ObservedRequest } from "../request.ts";
import { latestEntry, type Rule } from "../rule.ts";

const minForWarning = 3;
/** A local time, also if its `+01:00` was not encoded and arrives as ` 01:00`. A date without a time does not match. */
const withoutOffset = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?( \d\d:\d\d)?$/;

/** A program's requests with `from` or `to`. */
interface Filters {
  count: number;
  readonly wrong: ObservedRequest[];
  wrongCount: number;
}

/**
 * `from` or `to` of the transactions has a time without an offset. Only this list takes timestamps, and it refuses
 * those without an offset. A test may try that on purpose, so it is `warn` from the third request on. It is reported
 * only if most of a program's requests are like that.
 */
export const timestampWithoutOffset: Rule = {
  severity: "warn",
  title: "Timestamp without an offset",
  why: "In the UK, a time without an offset is one hour off for half of the year. The service refuses the list with 400, or the client gets the wrong transactions.",
  fix: "Send times with their offset, for example 2026-03-10T00:00:00Z. In a query, write + as %2B.",
  spec: "§4 (assumed)",
  operations: ["listTransactions"],
  watch() {
    const programs = new QuickLRU<string, Filters>({ maxSize: 500 });
    return {
      onRequest(request) {
        const { query } = request.exchange;
        if (query === "" || request.muted) return;
        const params = [...new URLSearchParams(query)];
        const instants = params.flatMap(([name, value]) => (isPeriodEnd(name) ? [value] : []));
        if (instants.length === 0) return;
        const filters = latestEntry(programs, request.program, () => ({
          count: 0,
          wrong: [],
          wrongCount: 0,
        }));
        filters.count++;
        if (!instants.some((each) => withoutOffset.test(each))) return;
        filters.wrongCount++;
        if (filters.wrong.length < minForWarning) filters.wrong.push(request);
      },
      summarise(_moment, report) {
        for (const [, { count, wrong, wrongCount }] of programs.entries()) {
          if (wrongCount * 2 <= count) continue;
          report({
            observed: `${wrongCount === 1 ? "1 list was" : `${wrongCount} lists were`} filtered by a time without an offset`,
            requests: wrong,
            severity: wrongCount < minForWarning ? "info" : "warn",
          });
        }
      },
    };
  },
};
