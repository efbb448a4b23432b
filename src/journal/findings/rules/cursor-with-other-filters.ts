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

/** A single one may be a test of the refusal. */
const minForHigh = 2;
const maxShown = 5;

export const cursorWithOtherFilters: Rule = {
  severity: "high",
  title: "Cursor sent with different filters",
  why: "A cursor belongs to the filters of its list. With different filters, the service refuses it, or the client skips some rows and reads others twice.",
  fix: "Send the filters of the first page with every cursor. If a filter depends on the current time, set it once before the first page.",
  spec: "§4 (the shape of lists is assumed)",
  operations: listOperations,
  watch() {
    /** By their `next_cursor`. */
    const pages = new QuickLRU<string, Page>({ maxSize: 500 });
    const habits = new QuickLRU<string, Habit>({ maxSize: 500 });

    const follow = (request: ObservedRequest, list: string, page: Page) => {
      const habit = latestEntry(habits, `${request.program} ${request.exchange.operation}`, noPages);
      if (page.list === list) habit.sameFilters++;
      else if (!request.muted) {
        habit.otherFilters++;
        if (habit.occurrences.length < maxShown) habit.occurrences.push([page.request, request]);
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
          const severity = otherFilters < minForHigh ? "info" : "high";
          for (const requests of occurrences) {
            report({
              observed: "A next_cursor was sent with filters that differ from those of its page",
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
