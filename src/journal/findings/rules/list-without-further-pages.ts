import QuickLRU from "quick-lru";
import { createdCard, isOrderOperation } from "../card-order.ts";
import type { ListRequest } from "../list-request.ts";
import type { ObservedRequest } from "../request.ts";
import { type Moment, type Report, type Rule, setLatest, type Watch } from "../rule.ts";

/** A first page with a `next_cursor` that the client has not followed. */
interface UnfollowedPage extends ListRequest {
  readonly request: ObservedRequest;
  /** The client had just ordered cards: they are on the first page, which has the newest cards. */
  readonly isForNewest: boolean;
  /** The ids of the cards that the client used right after it read the page. */
  readonly used: Set<string>;
}

const patienceMs = 15 * 60 * 1000;
/** The maximum number of rows in a view of the latest transactions. */
const maxViewRows = 25;
/** A client that uses this many cards of a page processes all of them. */
const manyCards = 3;

/**
 * A client reads the first page of a list of which it needs every row, and never follows `next_cursor`. A period of
 * transactions needs every row. A list of cards does when its `limit` is the default or more. A program that follows a
 * cursor of the same list anywhere in its run is correct. A client that reads the cards for one of them may stop where
 * it finds it, so the finding is `info` if the client has just ordered some cards, or if its next requests are for one
 * or two cards.
 */
export const listWithoutFurtherPages: Rule = {
  severity: "warn",
  title: "Only the first page of a list read",
  why: "A page has only a part of the rows, by default 50. The client misses the rows of all later pages, without any error.",
  fix: "Read all pages, with the same filters: follow next_cursor until it is null, or what a dialect has in its place.",
  spec: "§4 (the shape of lists is assumed)",
  watch: () => new FirstPages(),
};

class FirstPages implements Watch {
  /** By client and list. */
  readonly #unfollowed = new QuickLRU<string, UnfollowedPage>({ maxSize: 500 });
  /** Avoids look-ups in most runs, which leave no page of cards unfollowed. */
  #isAnyOfCards = false;
  /** The programs that follow cursors, by operation. */
  readonly #pagers = new QuickLRU<string, true>({ maxSize: 500 });
  /** By client: its latest unfollowed page of cards, while it has only used cards since. */
  readonly #latest = new QuickLRU<string, UnfollowedPage>({ maxSize: 500 });
  /** By scope: the number of cards that were ordered, or may have been. */
  readonly #ordered = new QuickLRU<string, number>({ maxSize: 500 });
  /** By client: that number when it last read the list of cards. */
  readonly #orderedBefore = new QuickLRU<string, number>({ maxSize: 500 });

  onRequest(request: ObservedRequest): void {
    const { scope, list, exchange } = request;
    const { operation } = exchange;
    if (isOrderOperation(operation) && (createdCard(request) || request.isAmbiguous)) {
      this.#ordered.set(scope, (this.#ordered.get(scope) ?? 0) + 1);
    }
    if (!list) {
      if (this.#isAnyOfCards && !request.isExchange) this.#useCard(request);
    } else if (!list.isFirst) this.#pagers.set(pagerName(request), true);
    else if (list.next === undefined) return;
    else if (operation === "listCards") this.#readCards(list, request);
    else if (list.from !== undefined && list.to !== undefined) this.#readPeriod(list, request);
  }

  #readCards(list: ListRequest, request: ObservedRequest): void {
    const ordered = this.#orderedSince(request);
    this.#latest.delete(request.client);
    const name = `${request.client} ${list.list}`;
    if (list.next === null) this.#unfollowed.delete(name);
    else if (list.isOfDefaultLimit && !request.muted) {
      const before = this.#unfollowed.get(name);
      const isForNewest =
        (ordered > 0 && ordered <= list.limit) || (before !== undefined && isLookUp(before));
      const page = { ...list, request, isForNewest, used: new Set<string>() };
      setLatest(this.#unfollowed, name, page);
      this.#latest.set(request.client, page);
      this.#isAnyOfCards = true;
    }
  }

  /** The number of cards that were ordered since the client last read the list of cards. */
  #orderedSince({ scope, client }: ObservedRequest): number {
    const ordered = this.#ordered.get(scope) ?? 0;
    const before = this.#orderedBefore.get(client) ?? 0;
    this.#orderedBefore.set(client, ordered);
    return ordered - before;
  }

  #useCard({ client, exchange: { path } }: ObservedRequest): void {
    const used = this.#latest.get(client)?.used;
    const card = cardPath.exec(path)?.[1];
    if (used && card !== undefined && used.size < manyCards) used.add(card);
    else if (used) this.#latest.delete(client);
  }

  #readPeriod(list: ListRequest, request: ObservedRequest): void {
    const { client } = request;
    const name = `${client} ${list.list}`;
    if (list.next === null) this.#unfollowed.delete(name);
    // A client may continue with shorter periods instead of a cursor.
    for (const [otherName, other] of [...this.#unfollowed.entries()]) {
      if (other.request.client === client && isPartOf(list, other)) this.#unfollowed.delete(otherName);
    }
    if (list.next !== null && list.limit > maxViewRows && !request.muted) {
      setLatest(this.#unfollowed, name, { ...list, request, isForNewest: false, used: new Set() });
    }
  }

  summarise({ realMs, final }: Moment, report: Report): void {
    for (const [, page] of this.#unfollowed.entries()) {
      const { request } = page;
      if (this.#pagers.has(pagerName(request))) continue;
      if (!final && realMs - request.endedMs < patienceMs) continue;
      const isOfCards = request.exchange.operation === "listCards";
      const list = isOfCards ? "the list of cards" : "a list with from and to";
      report({
        observed: `The client read the first page of ${list} and did not ${furtherPages(request)}`,
        requests: [request],
        severity: isLookUp(page) ? "info" : "warn",
      });
    }
  }
}

/** What a client does to read further pages. */
function furtherPages({ exchange: { contract } }: ObservedRequest): string {
  if (contract.choices["lists.envelope"] === "array") return "follow its header Link";
  return contract.choices["lists.paging"] === "cursor" ? "follow its next_cursor" : "ask for the next page";
}

function pagerName({ program, exchange }: ObservedRequest): string {
  return `${program} ${exchange.operation}`;
}

const cardPath = /^\/developer\/cards\/([0-9a-f-]{36})(?:\/|$)/i;

/** Whether the client may have read the page for the newest cards, or for a card that it found there. */
function isLookUp({ isForNewest, used }: UnfollowedPage): boolean {
  return isForNewest || (used.size > 0 && used.size < manyCards);
}

/** Whether a period lies within another of the same list, and is shorter. */
function isPartOf(part: ListRequest, whole: ListRequest): boolean {
  if (part.filters !== whole.filters || part.list === whole.list) return false;
  const [from = 0, to = 0, wholeFrom = 0, wholeTo = 0] = [part.from, part.to, whole.from, whole.to];
  return from >= wholeFrom && to <= wholeTo;
}
