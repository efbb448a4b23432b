import QuickLRU from "quick-lru";
import { listOperations } from "../list-request.ts";
import type { ObservedRequest } from "../request.ts";
import { latestEntry, type Rule } from "../rule.ts";

interface Page {
  readonly list: string;
  readonly request: ObservedRequest;
}

/** How a program follows the cursors of one operation. */
interface Habit {
  sameFilters: number;
  otherFilters: number;
  readonly occurrences: (readonly ObservedRequest[])[];
}

/** One may be a test of the refusal. */
const fewest = 2;
const shown = 5;

export const cursorWithOtherFilters: Rule = {
  severity: "high",
  title: "Cursor sent with other filters",
  why: "A cursor goes on with its own list: with other filters it is refused, or rows are skipped and read twice.",
  mend: "Repeat the first page's filters with each cursor; fix an end such as now before the first page, and keep it.",
  spec: "§4 (the shape of lists is assumed)",
  operations: listOperations,
  watch() {
    /** By the cursor that they end with. */
    const pages = new QuickLRU<string, Page>({ maxSize: 500 });
    const habits = new QuickLRU<string, Habit>({ maxSize: 500 });

    const follow = (request: ObservedRequest, list: string, page: Page) => {
      const habit = latestEntry(habits, `${request.program} ${request.exchange.operation}`, noPages);
      if (page.list === list) habit.sameFilters++;
      else if (!request.muted) {
        habit.otherFilters++;
        if (habit.occurrences.length < shown) habit.occurrences.push([page.request, request]);
      }
    };

    return {
      onRequest(request) {
        if (!request.list) return;
        const { cursor, list, next } = request.list;
        const page = cursor === undefined ? undefined : pages.get(cursor);
        if (page) follow(request, list, page);
        if (typeof next === "string") pages.set(next, { list, request });
      },
      summarise(_moment, report) {
        for (const [, { sameFilters, otherFilters, occurrences }] of habits.entries()) {
          if (otherFilters <= sameFilters) continue;
          const severity = otherFilters < fewest ? "info" : "high";
          for (const requests of occurrences) {
            report({
              seen: "A next_cursor was sent with other filters than its list had",
              requests,
              severity,
            });
          }
        }
      },
    };
  },
};

function noPages(): Habit {
  return { sameFilters: 0, otherFilters: 0, occurrences: [] };
}
