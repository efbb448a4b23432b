import { listAsked } from "../list-asked.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";
import { programOf } from "../senders.ts";

interface Page {
  readonly list: string;
  readonly request: Seen;
}

/** How a program follows the cursors of one operation. */
interface Habit {
  kept: number;
  changed: number;
  readonly occurrences: (readonly Seen[])[];
}

/** One may be a test of the refusal. */
const fewest = 2;
const shown = 5;

/** A cursor is sent with other filters than those of the page that it came with. */
export const page2: Rule = {
  severity: "high",
  title: "Cursor sent with other filters",
  why: "A cursor goes on with its own list: with other filters it is refused, or rows are skipped and read twice.",
  mend: "Repeat the first page's filters with each cursor; fix an end such as now before the first page, and keep it.",
  spec: "§4 (the shape of lists is assumed)",
  watch() {
    const pages = new Recent<string, Page>(1000);
    const habits = new Recent<string, Habit>(1000);

    const follow = (request: Seen, list: string, page: Page) => {
      const name = `${programOf(request)} ${request.exchange.operation}`;
      const habit = habits.get(name) ?? { kept: 0, changed: 0, occurrences: [] };
      habits.set(name, habit);
      if (page.list === list) habit.kept++;
      else if (!request.muted) {
        habit.changed++;
        if (habit.occurrences.length < shown) habit.occurrences.push([page.request, request]);
      }
    };

    return {
      see(request) {
        const asked = listAsked(request);
        if (!asked) return;
        const { cursor, list, next } = asked;
        const page = cursor === undefined ? undefined : pages.get(cursor);
        if (page) follow(request, list, page);
        if (typeof next === "string") pages.set(next, { list, request });
      },
      standing(_moment, found) {
        for (const { kept, changed, occurrences } of habits.values()) {
          if (changed <= kept) continue;
          const severity = changed < fewest ? "info" : "high";
          for (const requests of occurrences) {
            found({
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
