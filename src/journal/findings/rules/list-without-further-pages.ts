import { isExchange } from "../access-token.ts";
import { isKeyed, madeCard } from "../card-order.ts";
import { type ListAsked, listAsked, usualLimit } from "../list-asked.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";
import { programOf } from "../senders.ts";

/** A first page with a `next_cursor` that the client has not followed. */
interface Left extends ListAsked {
  readonly request: Seen;
  /** The client had ordered cards just before: they are on the first page, which has the newest. */
  readonly isForNewest: boolean;
  /** The ids of the cards that the client used right after it read the page. */
  readonly used: Set<string>;
}

const patienceMs = 15 * 60 * 1000;
/** A view of the latest transactions asks for no more. */
const mostOfView = 25;
/** A client that uses so many cards of a page works through all of them. */
const several = 3;

/**
 * A client reads the first page of a list of which it needs every row, and never follows `next_cursor`. A period of
 * transactions needs every row. A list of cards does when its `limit` is the default or more. A program that follows a
 * cursor of the same list anywhere in its run is correct. A client that reads the cards for one of them may stop where
 * it finds it, so the finding is `info` if the client has just ordered some cards, or if its next requests are for one
 * or two cards.
 */
export const page1: Rule = {
  severity: "warn",
  title: "List read without its further pages",
  why: "A page holds 50 rows by default and 100 at most. The client misses the rows of all later pages, and no error shows it.",
  mend: "Follow next_cursor, with the same filters, until it is null.",
  spec: "§4 (the shape of lists is assumed)",
  watch() {
    const left = new Recent<string, Left>(1000);
    /** Saves the look-up in runs that leave no page of cards, which are most. */
    let isAnyLeft = false;
    /** The programs that know how to go on, by operation. */
    const pagers = new Recent<string, true>(1000);
    const pagerOf = (request: Seen) => `${programOf(request)} ${request.exchange.operation}`;
    /** The latest page of cards that a client left, as long as it has used only cards since. */
    const latest = new Recent<string, Left>(1000);
    const orders = new OrdersSince();

    const readCards = (asked: ListAsked, request: Seen) => {
      const { list, limit, next } = asked;
      const recent = orders.read(request);
      latest.delete(request.client);
      const key = `${request.client} ${list}`;
      if (next === null) left.delete(key);
      else if (limit >= usualLimit && !request.muted) {
        const before = left.get(key);
        const isForNewest = (recent > 0 && recent <= limit) || (before !== undefined && isLookUp(before));
        const page = { ...asked, request, isForNewest, used: new Set<string>() };
        left.set(key, page);
        latest.set(request.client, page);
        isAnyLeft = true;
      }
    };

    const useCard = ({ client, exchange: { path } }: Seen) => {
      const used = latest.get(client)?.used;
      const card = cardPath.exec(path)?.[1];
      if (used && card !== undefined && used.size < several) used.add(card);
      else if (used) latest.delete(client);
    };

    const readPeriod = (asked: ListAsked, request: Seen) => {
      const { next, limit, list } = asked;
      const key = `${request.client} ${list}`;
      // It reads the whole in one page, or goes on by shorter periods in place of a cursor.
      if (next === null) left.delete(key);
      for (const other of left.values()) {
        if (other.request.client === request.client && isPartOf(asked, other)) {
          left.delete(`${request.client} ${other.list}`);
        }
      }
      if (next !== null && limit > mostOfView && !request.muted) {
        left.set(key, { ...asked, request, isForNewest: false, used: new Set() });
      }
    };

    return {
      see(request) {
        const { operation } = request.exchange;
        if (isKeyed(operation)) orders.count(request);
        const asked = listAsked(request);
        if (!asked) {
          if (isAnyLeft && !isExchange(request)) useCard(request);
        } else if (asked.cursor !== undefined) pagers.set(pagerOf(request), true);
        else if (asked.next === undefined) return;
        else if (operation === "listCards") readCards(asked, request);
        else if (asked.from !== undefined && asked.to !== undefined) readPeriod(asked, request);
      },
      standing({ realMs, final }, found) {
        for (const page of left.values()) {
          const { request } = page;
          if (pagers.get(pagerOf(request)) || !(final || realMs - request.endedMs >= patienceMs)) continue;
          const isOfCards = request.exchange.operation === "listCards";
          const list = isOfCards ? "A list of cards" : "A list from one instant to another";
          found({
            seen: `${list} had a next_cursor, and it was never followed`,
            requests: [request],
            severity: isLookUp(page) ? "info" : "warn",
          });
        }
      },
    };
  },
};

/** How many cards were ordered, or may have been, since a client last read the list of cards. */
class OrdersSince {
  /** By scope. */
  readonly #ordered = new Recent<string, number>(1000);
  /** By client: how many there were when it last read the list. */
  readonly #before = new Recent<string, number>(1000);

  count(order: Seen): void {
    const { scope } = order;
    if (madeCard(order) || order.isAmbiguous) this.#ordered.set(scope, (this.#ordered.get(scope) ?? 0) + 1);
  }

  /** The client reads the list. */
  read({ scope, client }: Seen): number {
    const ordered = this.#ordered.get(scope) ?? 0;
    const before = this.#before.get(client) ?? 0;
    this.#before.set(client, ordered);
    return ordered - before;
  }
}

const cardPath = /^\/developer\/cards\/([0-9a-f-]{36})(?:\/|$)/i;

/** Whether the client may have read the page for the newest cards, or for a card that it found there. */
function isLookUp({ isForNewest, used }: Left): boolean {
  return isForNewest || (used.size > 0 && used.size < several);
}

/** Whether a period lies within another of the same list, and is shorter. */
function isPartOf(part: ListAsked, whole: ListAsked): boolean {
  if (part.filters !== whole.filters || part.list === whole.list) return false;
  const [from = 0, to = 0, wholeFrom = 0, wholeTo = 0] = [part.from, part.to, whole.from, whole.to];
  return from >= wholeFrom && to <= wholeTo;
}
