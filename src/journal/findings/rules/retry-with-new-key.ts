import { type CardOrder, cardOrderOf, isRefused, keyNameOf, madeCard } from "../card-order.ts";
import { chosenScenario } from "../chosen-scenario.ts";
import type { Severity } from "../finding.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";
import { instanceOf, programOf } from "../senders.ts";

const windowMs = 10 * 60_000;

/** The number of orders remembered for each instance, because an order may be answered after later ones. */
const mostLatest = 8;
/** A client may close the connection a moment after it has sent the next order. */
const closingMs = 100;

/** A past order, and the scenario that it chose itself. */
interface Sent {
  readonly request: Seen;
  readonly chosen: string;
}

/** An order whose outcome the client does not know. */
interface Unknown extends Sent {
  readonly keyName: string;
  /** The orders before it of which each was retried with a new key. */
  readonly before: readonly Seen[];
}

/** What is a retry with a new key as long as the first key is not sent again. */
interface Suspect {
  readonly requests: readonly Seen[];
  readonly program: string;
  /** The test's author did something between the two. */
  readonly isByHand: boolean;
  /** It follows another retry with a new key. */
  readonly isChained: boolean;
  /** How many cards the last two of the orders made. */
  readonly cards: number;
}

/**
 * The client retries an order with a new key after 502, 503, an incomplete response, or a timeout of its own. What looks alike is the next test, which
 * orders what all tests order, and a client that orders many cards alike at once. So it is no retry at all where
 * another access token is sent (a client of another test), where the first key is sent again, before or after (the
 * client retries as it should), or where the card list was read since. It is only worth knowing where the test's
 * author had a hand in it: armed or disarmed something, or chose a scenario on one request and not on the other; and
 * where the program retries with the same key elsewhere. It is certain where both orders made a card, and where new
 * keys end in one several times, for one order or for several; a single one may still be the next test's. If the
 * client closed the connection, it gave up by itself, so the retry counts even if it made no card. Time says nothing
 * here: a retry may come at once, and a test may take long.
 */
export const idem1: Rule = {
  severity: "critical",
  title: "Retry of an order with a new Idempotency-Key",
  why: "After 502, 503, a lost response or a timeout the card may have been made: under a new key the service makes a second one.",
  mend: "Generate the key once for each order, before the first attempt, and send the same key with every retry of it.",
  spec: "§4, §7",
  watch(found) {
    const unknown = new Recent<string, Unknown>(2000);
    /** Most runs meet no unknown outcome, and are spared the look-up. */
    let isAnyUnknown = false;
    /** By instance. */
    const latest = new Recent<string, readonly Sent[]>(2000);
    /** The programs that were seen to retry with the same key. */
    const careful = new Recent<string, true>();
    const listReadMs = new Recent<string, number>();
    /** By the first key. */
    const suspects = new Recent<string, readonly Suspect[]>(2000);
    const isReadSince = (scope: string, ms: number) =>
      (listReadMs.get(scope) ?? Number.NEGATIVE_INFINITY) >= ms;
    const mayRetry = (request: Seen, first: Seen): boolean =>
      follows(request, first) &&
      request.startedMs - first.awaitedMs <= windowMs &&
      request.exchange.atMs - first.exchange.atMs <= windowMs &&
      !isReadSince(request.scope, first.awaitedMs);
    const suspect = ({ keyName, before, ...first }: Unknown, retry: Sent): void => {
      const retried = {
        requests: [...before, first.request, retry.request],
        program: programOf(retry.request),
        isByHand: hasAuthorsHand(first, retry),
        isChained: before.length > 0,
        cards: [first, retry].filter(({ request }) => madeCard(request)).length,
      };
      suspects.set(keyName, [...(suspects.get(keyName) ?? []), retried]);
    };
    return {
      see(request) {
        const { operation, status } = request.exchange;
        if (operation === "listCards" && status === 200 && !request.isAmbiguous) {
          listReadMs.set(request.scope, request.startedMs);
        }
        const order = cardOrderOf(request);
        if (!order) return;
        const { memory, meaning } = order;
        const instance = instanceOf(request);
        const sent = { request, chosen: request.exchange.scenario ? chosenScenario(request) : "" };
        const others = latest.get(instance) ?? [];
        latest.set(instance, [...others.slice(1 - mostLatest), sent]);
        const other = others.at(-1)?.request;
        if (other && isParallel(other, request) && isAlike(other, order)) {
          const seen = "The same order was sent with a new Idempotency-Key while the first was under way";
          found({ seen, requests: [other, request], severity: "info" });
        }
        const isAborted = request.exchange.abortedMs !== undefined;
        const isUnknown = isAborted || request.isAmbiguous;
        const wasUnknown = memory.wasUnknown;
        memory.wasUnknown = wasUnknown === true || isUnknown;
        if (!isAnyUnknown && !isUnknown && !wasUnknown) return;
        const name = `${instance} ${meaning}`;
        const keyName = keyNameOf(request);
        const first = unknown.get(name);
        const isSentAgain = first?.keyName === keyName;
        if (wasUnknown !== undefined || isSentAgain) {
          if (wasUnknown || isSentAgain) careful.set(programOf(request), true);
          suspects.delete(keyName);
          if (isSentAgain) unknown.delete(name);
          return;
        }
        const isRetry = first !== undefined && mayRetry(request, first.request);
        if (isRetry) suspect(first, sent);
        if (isUnknown) {
          const before = isRetry && !hasAuthorsHand(first, sent) ? [...first.before, first.request] : [];
          const left = { ...sent, keyName, before: before.slice(-4) };
          // It may be answered after its retry if the client did not wait for it.
          const retry =
            isAborted &&
            others.find((each) => mayRetry(each.request, request) && isAlike(each.request, order));
          if (retry) suspect(left, retry);
          else unknown.set(name, left);
          isAnyUnknown = true;
        } else if (first && (status === 201 || isRefused(request))) unknown.delete(name);
      },
      standing(_moment, found) {
        const told = [...suspects.values()].flat();
        // Of retries that follow each other the last tells of all.
        const followed = new Set(told.flatMap(({ requests }) => requests.slice(0, -1)));
        const all = told.filter(({ requests }) => !followed.has(requests.at(-1) as Seen));
        for (const suspect of all) {
          const { requests, program } = suspect;
          const others = all.filter(
            (each) => each !== suspect && each.program === program && isTelling(each),
          );
          const severity = careful.get(program) ? severityOfCareful(suspect) : severityOf(suspect, others);
          const first = requests.at(-2) as Seen;
          const seen = `${outcomeOf(first)}, and it was sent again with a new Idempotency-Key`;
          found({ seen, requests, severity });
        }
      },
    };
  },
};

/** Whether a request was sent after the client stopped waiting for another. */
function follows(request: Seen, first: Seen): boolean {
  const toleranceMs = first.exchange.abortedMs === undefined ? 0 : closingMs;
  return request !== first && request.startedMs >= first.awaitedMs - toleranceMs;
}

/** Whether the client waited for both at the same time. */
function isParallel(one: Seen, other: Seen): boolean {
  const overlap = one.awaitedMs > other.startedMs && other.awaitedMs > one.startedMs;
  return overlap && !follows(one, other) && !follows(other, one);
}

/** Whether a request orders the same under another key. */
function isAlike(sent: Seen, { memory, meaning }: CardOrder): boolean {
  const other = cardOrderOf(sent);
  return other?.meaning === meaning && other.memory !== memory;
}

/** It ended in a card, by nobody's hand but the client's. */
function isTelling({ isByHand, cards }: Suspect): boolean {
  return !isByHand && cards > 0;
}

function severityOf(suspect: Suspect, others: readonly Suspect[]): Severity {
  const { isByHand, isChained, cards } = suspect;
  if (isByHand) return "info";
  if (isGivenUp(suspect)) return cards === 2 ? "critical" : "high";
  if (cards === 2 || (cards === 1 && (isChained || others.length > 0))) return "critical";
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

/** Whether the test's author, and no client, did something between the two. */
function hasAuthorsHand(first: Sent, retry: Sent): boolean {
  return first.request.armings !== retry.request.armings || first.chosen !== retry.chosen;
}

function outcomeOf({ exchange: { status, fault, abortedMs } }: Seen): string {
  if (abortedMs !== undefined) return "The client closed the connection before an order was answered";
  if (status === undefined) return "An order met a lost connection";
  return `An order met ${fault === "response.truncated" ? "an answer that was cut off" : status}`;
}
