import { tokenSent } from "../access-token.ts";
import { listAsked } from "../list-asked.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";

/** The same page, asked for again and again with one token and no other page in between. */
interface Run {
  readonly query: string;
  readonly requests: Seen[];
}

const fewest = 3;

/** The same page is read again and again. */
export const page3: Rule = {
  severity: "high",
  title: "Same cursor sent again and again",
  why: "The loop never ends: the client reads one page for ever, counts its rows more than once, and meets the rate limit.",
  mend: "Take next_cursor from the page just read, not from the first one, and stop where it is null.",
  spec: "§4 (the shape of lists is assumed)",
  watch(found) {
    const runs = new Recent<string, Run>(1000);
    /** How often a page ended with the cursor: whoever is given it may follow it. */
    const given = new Recent<string, number>(2000);

    return {
      see(request) {
        const asked = listAsked(request);
        if (!asked) return;
        const { cursor, next } = asked;
        if (typeof next === "string") given.set(next, (given.get(next) ?? 0) + 1);
        const { path, query } = request.exchange;
        const name = `${request.client} ${tokenSent(request)} ${path}`;
        if (cursor === undefined) {
          runs.delete(name);
          return;
        }
        // Where no page arrived, the same is asked for again with good reason.
        if (next === undefined || request.muted) return;
        const same = query;
        let run = runs.get(name);
        if (run?.query !== same) {
          run = { query: same, requests: [] };
          runs.set(name, run);
        }
        if (run.requests.length === kept) return;
        run.requests.push(request);
        const enough = Math.max(fewest, (given.get(cursor) ?? 0) + fewest - 1);
        if (run.requests.length !== enough) return;
        found({
          seen: `The same cursor was sent ${enough} times in a row, though each page arrived`,
          requests: run.requests,
        });
      },
    };
  },
};

const kept = 50;
