import QuickLRU from "quick-lru";
import { type CardOrder, createdCard, isOrderRefused, orderOperations, showsCard } from "../card-order.ts";
import type { Severity } from "../finding.ts";
import type { ObservedRequest } from "../request.ts";
import { type Moment, type Report, type Rule, setLatest, type Watch } from "../rule.ts";

const windowMs = 10 * 60_000;

/** The number of orders kept for each instance, because the response to an order may come after later orders. */
const maxLatest = 8;
/** A client may close the connection shortly after it has sent the next order. */
const closingMs = 100;

interface SentOrder {
  readonly request: ObservedRequest;
  readonly order: CardOrder;
  /** The scenario that the request itself chose. */
  readonly chosen: string;
}

/** An order whose outcome the client does not know. */
interface UnknownOrder extends SentOrder {
  /** The earlier orders, each of which was retried with a new key. */
  readonly before: readonly ObservedRequest[];
}

/** A retry with a new key, unless the first key is sent again. */
interface Suspect {
  readonly requests: readonly ObservedRequest[];
  readonly program: string;
  /** The test armed or chose a scenario between the two. */
  readonly isByHand: boolean;
  /** It follows another retry with a new key. */
  readonly isChained: boolean;
  /** The number of cards that the last two of the orders created. */
  readonly cards: number;
}

/**
 * The client retries an order with a new key after 502, 503, an incomplete response, or a timeout of its own. A test
 * that orders the same card as the test before it looks the same, and so does a client that orders many equal cards.
 * Therefore it does not count as a retry if
 * - it has another access token: the client of another test,
 * - the first key is sent again, before or after: the client retries correctly,
 * - the card list was read since.
 * It is `info` if the test armed or disarmed a scenario in between, or chose a scenario on one request and not on
 * the other; and if the program retries with the same key elsewhere. It is certain if both orders created a card, and
 * if new keys created a card several times, for one order or for several; a single time may still be the next test.
 * If the client closed the connection, it gave up by itself, so the retry counts even if it created no card. The time
 * between the two does not matter: a retry may come at once, and a test may take long.
 */
export const retryWithNewKey: Rule = {
  severity: "critical",
  title: "Order retried with a new Idempotency-Key",
  why: "After a 502, a 503, a lost response or a timeout, the card may already exist. A retry with a new key orders a second card, which is delivered and counts against the company's quota.",
  fix: "Generate the key once per order, before the first attempt, and send the same key with every retry of that order.",
  spec: "§4, §7",
  operations: [...orderOperations, "listCards"],
  watch: (report) => new RetriesWithNewKey(report),
};

class RetriesWithNewKey implements Watch {
  readonly #report: Report;
  /** The keys of orders whose outcome was unknown. */
  readonly #unknownKeys = new QuickLRU<string, true>({ maxSize: 1000 });
  /** By instance and fingerprint. */
  readonly #unknown = new QuickLRU<string, UnknownOrder>({ maxSize: 1000 });
  /** Avoids look-ups in most runs, which have no unknown outcome. */
  #isAnyUnknown = false;
  /** By instance. */
  readonly #latest = new QuickLRU<string, readonly SentOrder[]>({ maxSize: 1000 });
  /** The programs that have retried with the same key. */
  readonly #careful = new QuickLRU<string, true>({ maxSize: 1000 });
  readonly #listReadMs = new QuickLRU<string, number>({ maxSize: 1000 });
  /** By the first key. */
  readonly #suspects = new QuickLRU<string, readonly Suspect[]>({ maxSize: 1000 });

  constructor(report: Report) {
    this.#report = report;
  }

  onRequest(request: ObservedRequest): void {
    const { operation, status, scenario } = request.exchange;
    if (operation === "listCards" && status === 200 && !request.isAmbiguous) {
      this.#listReadMs.set(request.scope, request.startedMs);
    }
    const { order, instance } = request;
    if (!order) return;
    const sent = { request, order, chosen: scenario ? request.chosenScenario : "" };
    const earlier = this.#latest.get(instance) ?? [];
    this.#latest.set(instance, [...earlier.slice(1 - maxLatest), sent]);
    this.#reportParallel(earlier.at(-1), sent);
    const isUnknown = request.exchange.abortedMs !== undefined || request.isAmbiguous;
    if (!this.#isAnyUnknown && !isUnknown) return;
    this.#isAnyUnknown = true;
    this.#follow(sent, isUnknown, earlier);
  }

  #reportParallel(other: SentOrder | undefined, sent: SentOrder): void {
    if (!other || !isParallel(other.request, sent.request) || !isSameOrderWithOtherKey(other, sent)) return;
    this.#report({
      observed:
        "The same order was sent with a second Idempotency-Key while the first request was in progress",
      requests: [other.request, sent.request],
      severity: "info",
    });
  }

  #follow(sent: SentOrder, isUnknown: boolean, earlier: readonly SentOrder[]): void {
    const { request, order } = sent;
    const { keyName } = order;
    const name = `${request.instance} ${order.fingerprint}`;
    const wasUnknown = this.#unknownKeys.has(keyName);
    if (isUnknown) this.#unknownKeys.set(keyName, true);
    const first = this.#unknown.get(name);
    const isSentAgain = first?.order.keyName === keyName;
    if (wasUnknown || request.firstWithOwnKey || isSentAgain) {
      if (wasUnknown || isSentAgain) this.#careful.set(request.program, true);
      this.#suspects.delete(keyName);
      if (isSentAgain) this.#unknown.delete(name);
      return;
    }
    const retried = first && this.#mayRetry(request, first.request) ? first : undefined;
    if (retried) this.#suspect(retried, sent);
    if (isUnknown) {
      const before = retried && !isChangedByHand(retried, sent) ? [...retried.before, retried.request] : [];
      const unknown = { ...sent, before: before.slice(-4) };
      const retry = isRecordedLate(request)
        ? earlier.find((each) => this.#mayRetry(each.request, request) && isSameOrderWithOtherKey(each, sent))
        : undefined;
      if (retry) this.#suspect(unknown, retry);
      else this.#unknown.set(name, unknown);
    } else if (first && (showsCard(request) || isOrderRefused(request))) {
      this.#unknown.delete(name);
    }
  }

  #mayRetry(request: ObservedRequest, first: ObservedRequest): boolean {
    const listReadMs = this.#listReadMs.get(request.scope) ?? Number.NEGATIVE_INFINITY;
    return (
      follows(request, first) &&
      request.startedMs - first.awaitedMs <= windowMs &&
      request.exchange.atMs - first.exchange.atMs <= windowMs &&
      listReadMs < first.awaitedMs
    );
  }

  #suspect(first: UnknownOrder, retry: SentOrder): void {
    const suspect = {
      requests: [...first.before, first.request, retry.request],
      program: retry.request.program,
      isByHand: isChangedByHand(first, retry),
      isChained: first.before.length > 0,
      cards: [first.request, retry.request].filter(createdCard).length,
    };
    const { keyName } = first.order;
    setLatest(this.#suspects, keyName, [...(this.#suspects.get(keyName) ?? []), suspect]);
  }

  summarise(_moment: Moment, report: Report): void {
    const suspects = [...this.#suspects.entries()].flatMap(([, each]) => each);
    // The last of a chain of retries reports the whole chain.
    const followed = new Set(suspects.flatMap(({ requests }) => requests.slice(0, -1)));
    const last = suspects.filter(({ requests }) => !followed.has(requests.at(-1) as ObservedRequest));
    for (const suspect of last) {
      const { requests, program } = suspect;
      const isRepeated = last.some(
        (each) => each !== suspect && each.program === program && !each.isByHand && each.cards > 0,
      );
      report({
        observed: `${outcomeOf(requests.at(-2) as ObservedRequest)}, then sent the order again with a new Idempotency-Key`,
        requests,
        severity: this.#careful.has(program) ? severityOfCareful(suspect) : severityOf(suspect, isRepeated),
      });
    }
  }
}

/** Whether a request was sent after the client stopped waiting for another. */
function follows(request: ObservedRequest, first: ObservedRequest): boolean {
  const toleranceMs = first.exchange.abortedMs === undefined ? 0 : closingMs;
  return request !== first && request.startedMs >= first.awaitedMs - toleranceMs;
}

/** Whether a request may be recorded after its retry, because the client knew before that no response would come. */
function isRecordedLate({ exchange: { abortedMs, fault } }: ObservedRequest): boolean {
  return abortedMs !== undefined || fault === "issuer.disconnect";
}

/** Whether the client waited for both at the same time. */
function isParallel(one: ObservedRequest, other: ObservedRequest): boolean {
  const overlap = one.awaitedMs > other.startedMs && other.awaitedMs > one.startedMs;
  return overlap && !follows(one, other) && !follows(other, one);
}

/** Whether both order the same card with different keys. */
function isSameOrderWithOtherKey(one: SentOrder, other: SentOrder): boolean {
  return one.order.keyName !== other.order.keyName && one.order.isSameAs(other.order);
}

/** @param isRepeated - whether the program made the mistake elsewhere, and created a card */
function severityOf(suspect: Suspect, isRepeated: boolean): Severity {
  const { isByHand, isChained, cards } = suspect;
  if (isByHand) return "info";
  if (isGivenUp(suspect)) return cards === 2 ? "critical" : "high";
  if (cards === 2 || (cards === 1 && (isChained || isRepeated))) return "critical";
  return cards === 1 || isChained ? "high" : "info";
}

function severityOfCareful(suspect: Suspect): Severity {
  const { isByHand, cards } = suspect;
  if (isByHand) return "info";
  if (cards === 2) return "critical";
  return isGivenUp(suspect) ? "high" : "info";
}

/** Whether the client closed the connection before the response to the order that it then retried. */
function isGivenUp({ requests }: Suspect): boolean {
  return requests.at(-2)?.exchange.abortedMs !== undefined;
}

/** Whether the test, not the client, changed the scenario between the two. */
function isChangedByHand(first: SentOrder, retry: SentOrder): boolean {
  return first.request.armings !== retry.request.armings || first.chosen !== retry.chosen;
}

function outcomeOf(order: ObservedRequest): string {
  return order.exchange.abortedMs === undefined
    ? `The client got ${order.received} for an order`
    : "The client closed the connection before the response to an order";
}
