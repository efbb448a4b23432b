import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";
import { programOf } from "../senders.ts";

const fewest = 3;
const bound = /^(from|to)$/;
/** A local time; also one whose `+01:00` was not encoded, and arrives as ` 01:00`. A date alone is none. */
const withoutOffset = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?( \d\d:\d\d)?$/;

interface Filters {
  count: number;
  readonly wrong: Seen[];
  wrongCount: number;
}

/**
 * `from` or `to` of the transactions says a time and not whose: only these take an instant, and refuse it without
 * its offset. A suite may try that on purpose, so it is a mistake from the third request on, where most of a
 * program's are so.
 */
export const time2: Rule = {
  severity: "warn",
  title: "Timestamp without an offset",
  why: "A time without its offset is an hour off for half of the year in the UK: the list is refused with 400, or shows other transactions than were meant.",
  mend: "Send instants with their offset, such as 2026-03-10T00:00:00Z; in a query a + is written %2B.",
  spec: "§4 (assumed)",
  watch() {
    const programs = new Recent<string, Filters>(1000);
    return {
      see(request) {
        const { operation, query } = request.exchange;
        if (operation !== "listTransactions" || query === "" || request.muted) return;
        const asked = new URLSearchParams(query);
        const instants = [...asked].flatMap(([name, value]) => (bound.test(name) ? [value] : []));
        if (instants.length === 0) return;
        const program = programOf(request);
        const filters = programs.get(program) ?? { count: 0, wrong: [], wrongCount: 0 };
        programs.set(program, filters);
        filters.count++;
        if (!instants.some((each) => withoutOffset.test(each))) return;
        filters.wrongCount++;
        if (filters.wrong.length < fewest) filters.wrong.push(request);
      },
      standing(_moment, found) {
        for (const { count, wrong, wrongCount } of programs.values()) {
          if (wrongCount * 2 <= count) continue;
          found({
            seen: `${wrongCount === 1 ? "One list was" : `${wrongCount} lists were`} filtered by a time without its offset`,
            requests: wrong,
            severity: wrongCount < fewest ? "info" : "warn",
          });
        }
      },
    };
  },
};
