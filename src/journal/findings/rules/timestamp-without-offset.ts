import QuickLRU from "quick-lru";
import { isPeriodEnd } from "../list-request.ts";
import type { ObservedRequest } from "../request.ts";
import { latestEntry, type Rule } from "../rule.ts";

const fewest = 3;
/** A local time; also one whose `+01:00` was not encoded, and arrives as ` 01:00`. A date has no time. */
const withoutOffset = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?( \d\d:\d\d)?$/;

/** A program's requests with `from` or `to`. */
interface Filters {
  count: number;
  readonly wrong: ObservedRequest[];
  wrongCount: number;
}

/**
 * `from` or `to` of the transactions has a time without an offset. Only this list takes instants, and refuses those
 * without an offset. A test may try that on purpose, so it is `warn` from the third request on. It is reported if most
 * of a program's requests are like that.
 */
export const timestampWithoutOffset: Rule = {
  severity: "warn",
  title: "Timestamp without an offset",
  why: "A time without its offset is an hour off for half of the year in the UK: the list is refused with 400, or shows other transactions than were meant.",
  mend: "Send instants with their offset, such as 2026-03-10T00:00:00Z; in a query a + is written %2B.",
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
        if (filters.wrong.length < fewest) filters.wrong.push(request);
      },
      summarise(_moment, report) {
        for (const [, { count, wrong, wrongCount }] of programs.entries()) {
          if (wrongCount * 2 <= count) continue;
          report({
            seen: `${wrongCount === 1 ? "One list was" : `${wrongCount} lists were`} filtered by a time without its offset`,
            requests: wrong,
            severity: wrongCount < fewest ? "info" : "warn",
          });
        }
      },
    };
  },
};
