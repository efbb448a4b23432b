import { type CardOrder, cardOrderOf, isRefused, keyNameOf, madeCard } from "../card-order.ts";
import { chosenScenario } from "../chosen-scenario.ts";
import type { Severity } from "../finding.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";
import { instanceOf, programOf } from "../senders.ts";

const windowMs = 10 * 60_000;

/** An order whose outcome the client does not know. */
interface Unknown {
  readonly request: Seen;
  readonly chosen: string;
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
 * A retry of an order that got 502, 503 or no whole answer carries a new key. What looks alike is the next test, which
 * orders what all tests order, and a client that orders many cards alike at once. So it is no retry at all where
 * another access token is sent (a client of another test), where the first key is sent again, before or after (the
 * client retries as it should), or where the card list was read since. It is only worth knowing where the test's
 * author had a hand in it: armed or disarmed something, or chose a scenario on one request and not on the other; and
 * where the program retries with the same key elsewhere. It is certain where both orders made a card, and where new
 * keys end in one several times, for one order or for several; a single one may still be the next test's. Time says
 * nothing here: a retry may come at once, and a test may take long.
 */
export const idem1: Rule = {
  severity: "critical",
  title: "Retry of an order with a new Idempotency-Key",
  why: "After 502, 503 or a lost answer the card may have been made: under a new key the service makes a second one.",
  mend: "Generate the key once for each order, before the first attempt, and send the same key with every retry of it.",
  spec: "§4, §7",
  watch(found) {
    const unknown = new Recent<string, Unknown>(2000);
    /** Most runs meet no unknown outcome, and are spared the look-up. */
    let isAnyUnknown = false;
    /** By instance. */
    const latest = new Recent<string, Seen>(2000);
    /** The programs that were seen to retry with the same key. */
    const careful = new Recent<string, true>();
    const listReadMs = new Recent<string, number>();
    /** By the first key. */
    const suspects = new Recent<string, readonly Suspect[]>(2000);
    const mayRetry = (request: Seen, { request: first }: Unknown): boolean =>
      request.startedMs >= first.endedMs &&
      request.startedMs - first.endedMs <= windowMs &&
      request.exchange.atMs - first.exchange.atMs <= windowMs &&
      (listReadMs.get(request.scope) ?? Number.NEGATIVE_INFINITY) < first.endedMs;
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
        const sent = latest.get(instance);
        latest.set(instance, request);
        if (sent && sent.endedMs > request.startedMs && isAlike(sent, order)) {
          const seen = "The same order was sent with a new Idempotency-Key while the first was under way";
          found({ seen, requests: [sent, request], severity: "info" });
        }
        const wasUnknown = memory.wasUnknown;
        memory.wasUnknown = wasUnknown === true || request.isAmbiguous;
        if (!isAnyUnknown && !request.isAmbiguous && !wasUnknown) return;
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
        const isRetry = first !== undefined && mayRetry(request, first);
        if (isRetry) {
          const requests = [...first.before, first.request, request];
          const suspect = {
            requests,
            program: programOf(request),
            isByHand: hasAuthorsHand(first, request),
            isChained: first.before.length > 0,
            cards: [first.request, request].filter(madeCard).length,
          };
          suspects.set(first.keyName, [...(suspects.get(first.keyName) ?? []), suspect]);
        }
        if (request.isAmbiguous) {
          const before = isRetry && !hasAuthorsHand(first, request) ? [...first.before, first.request] : [];
          unknown.set(name, { request, chosen: chosenScenario(request), keyName, before: before.slice(-4) });
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
          const seen = `An order met ${outcomeOf(first)}, and was sent again with a new Idempotency-Key`;
          found({ seen, requests, severity });
        }
      },
    };
  },
};

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
  if (cards === 2 || (cards === 1 && (isChained || others.length > 0))) return "critical";
  return cards === 1 || isChained ? "high" : "info";
}

function severityOfCareful({ isByHand, cards }: Suspect): Severity {
  return !isByHand && cards === 2 ? "critical" : "info";
}

/** Whether the test's author, and no client, did something between the two. */
function hasAuthorsHand({ request, chosen }: Unknown, retry: Seen): boolean {
  return request.armings !== retry.armings || chosen !== chosenScenario(retry);
}

function outcomeOf({ exchange: { status, fault } }: Seen): string {
  if (status === undefined) return "a lost connection";
  return fault === "response.truncated" ? "an answer that was cut off" : String(status);
}
