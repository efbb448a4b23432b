import { type CardOrder, cardOrderOf, isRefused, madeCard } from "../card-order.ts";
import { chosenScenario } from "../chosen-scenario.ts";
import type { Severity } from "../finding.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";
import { instanceOf } from "../senders.ts";

const windowMs = 10 * 60_000;
/** What tests that follow each other do not wait, and retries do. */
const noticeableWaitMs = 100;

/** An order whose outcome the client does not know. */
interface Unknown {
  readonly request: Seen;
  readonly keyed: string;
  /** The orders before it of which each was retried with a new key. */
  readonly before: readonly Seen[];
}

/** What is a retry with a new key as long as the first key is not sent again. */
interface Suspect {
  readonly requests: readonly Seen[];
  readonly severity: Severity;
}

/**
 * A retry of an order that got 502, 503 or no whole answer carries a new key. What looks alike is the next test, which
 * orders what all tests order, and a client that orders many cards alike at once. So it is no retry at all where
 * another access token is sent (a client of another test), where the first key is sent again, before or after (the
 * client retries as it should), or where the card list was read since. It is only worth knowing where the test's
 * author had a hand in it: armed or disarmed something, or chose a scenario on one request and not on the other. And
 * it is certain where the client waited before it sent again, where several retries end in a card, or where both
 * orders made one.
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
    const sentKeys = new Recent<string, true>();
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
        const { keyed, meaning } = order;
        const instance = instanceOf(request);
        const sent = latest.get(instance);
        latest.set(instance, request);
        if (sent && sent.endedMs > request.startedMs && isAlike(sent, order)) {
          const seen = "The same order was sent with a new Idempotency-Key while the first was under way";
          found({ seen, requests: [sent, request], severity: "info" });
        }
        const name = `${instance} ${meaning}`;
        const first = isAnyUnknown ? unknown.get(name) : undefined;
        const isResent = sentKeys.get(keyed) === true;
        sentKeys.set(keyed, true);
        if (isResent) {
          suspects.delete(keyed);
          if (first?.keyed === keyed) unknown.delete(name);
          return;
        }
        const isRetry = first !== undefined && mayRetry(request, first);
        if (isRetry) {
          const requests = [...first.before, first.request, request];
          const severity = severityOf(first, request);
          suspects.set(first.keyed, [...(suspects.get(first.keyed) ?? []), { requests, severity }]);
        }
        if (request.isAmbiguous) {
          const before = isRetry && !hasAuthorsHand(first, request) ? [...first.before, first.request] : [];
          unknown.set(name, { request, keyed, before: before.slice(-4) });
          isAnyUnknown = true;
        } else if (first && (status === 201 || isRefused(request))) unknown.delete(name);
      },
      standing(_moment, found) {
        for (const { requests, severity } of [...suspects.values()].flat()) {
          const first = requests.at(-2) as Seen;
          const seen = `An order met ${outcomeOf(first)}, and was sent again with a new Idempotency-Key`;
          found({ seen, requests, severity });
        }
      },
    };
  },
};

/** Whether a request orders the same under another key. */
function isAlike(sent: Seen, { keyed, meaning }: CardOrder): boolean {
  const other = cardOrderOf(sent);
  return other?.meaning === meaning && other.keyed !== keyed;
}

function severityOf(first: Unknown, retry: Seen): Severity {
  if (hasAuthorsHand(first, retry)) return "info";
  const waited = retry.startedMs - first.request.endedMs >= noticeableWaitMs;
  const endsInCard = first.before.length > 0 && madeCard(retry) && !retry.isAmbiguous;
  const madeTwo = madeCard(first.request) && madeCard(retry);
  return waited || endsInCard || madeTwo ? "critical" : "info";
}

/** Whether the test's author, and no client, did something between the two. */
function hasAuthorsHand({ request }: Unknown, retry: Seen): boolean {
  return request.armings !== retry.armings || chosenScenario(request) !== chosenScenario(retry);
}

function outcomeOf({ exchange: { status, fault } }: Seen): string {
  if (status === undefined) return "a lost connection";
  return fault === "response.truncated" ? "an answer that was cut off" : String(status);
}
