import { type ListAsked, listAsked } from "../list-asked.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";
import { programOf } from "../sent-body.ts";

/** A page that was left, where more followed. */
interface Left extends ListAsked {
  readonly request: Seen;
}

const patienceMs = 15 * 60 * 1000;
/** A view of the latest asks for no more. */
const mostOfView = 25;

/** A period is read, and only its first page is. */
export const page1: Rule = {
  severity: "warn",
  title: "Period read without its further pages",
  why: "A page holds 50 rows unless asked for more, and never over 100: what lies beyond is missing from the books, and nobody is told.",
  mend: "Follow next_cursor, with the same filters, until it is null.",
  spec: "§4 (the shape of lists is assumed)",
  watch() {
    const left = new Recent<string, Left>(1000);
    /** The programs that know how to go on, by operation. */
    const pagers = new Recent<string, true>(1000);
    const pagerOf = (request: Seen) => `${programOf(request)} ${request.exchange.operation}`;

    return {
      see(request) {
        const asked = listAsked(request);
        if (!asked) return;
        if (asked.cursor !== undefined) {
          pagers.set(pagerOf(request), true);
          return;
        }
        const { from, to, next, limit, list } = asked;
        if (from === undefined || to === undefined || next === undefined) return;
        const key = `${request.client} ${list}`;
        // It reads the whole in one page, or goes on by shorter periods in place of a cursor.
        if (next === null) left.delete(key);
        for (const other of left.values()) {
          if (other.request.client === request.client && isPartOf(asked, other)) {
            left.delete(`${request.client} ${other.list}`);
          }
        }
        if (next !== null && limit > mostOfView && !request.muted) left.set(key, { ...asked, request });
      },
      standing({ realMs, final }, found) {
        for (const { request } of left.values()) {
          if (pagers.get(pagerOf(request)) || !(final || realMs - request.endedMs >= patienceMs)) continue;
          found({
            seen: "A list from one instant to another had a next_cursor, and it was never followed",
            requests: [request],
          });
        }
      },
    };
  },
};

/** Whether a period lies within another of the same list, and is shorter. */
function isPartOf(part: ListAsked, whole: ListAsked): boolean {
  if (part.filters !== whole.filters || part.list === whole.list) return false;
  const [from = 0, to = 0, wholeFrom = 0, wholeTo = 0] = [part.from, part.to, whole.from, whole.to];
  return from >= wholeFrom && to <= wholeTo;
}
