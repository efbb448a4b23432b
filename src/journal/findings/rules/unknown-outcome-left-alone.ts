import QuickLRU from "quick-lru";
import { orderOperations, showsCard } from "../card-order.ts";
import type { ObservedRequest } from "../request.ts";
import { type Moment, type Report, type Rule, setLatest, type Watch } from "../rule.ts";

const patienceMs = 15 * 60_000;

/**
 * The client ignores an order of unknown outcome: it neither retries it with its key nor reads the card list. Tests of
 * error handling do that on purpose, so it is `warn` only if the program ignores more than one such order and follows
 * up none in its whole run. It is not reported if the request itself chose its scenario, or if the order was sent with
 * a new key, which is another finding.
 */
export const unknownOutcomeLeftAlone: Rule = {
  severity: "warn",
  title: "Order with an unknown outcome not followed up",
  why: "After a 502, a 503 or a lost response, the card may or may not exist. The client either has no record of a card that is delivered, or waits for a card that was never ordered.",
  fix: "Retry with the same Idempotency-Key until you get a definite response, or look for the card with GET /developer/cards.",
  spec: "§7",
  operations: [...orderOperations, "listCards"],
  watch: () => new UnknownOutcomes(),
};

class UnknownOutcomes implements Watch {
  /** By key: the orders of unknown outcome. */
  readonly #left = new QuickLRU<string, ObservedRequest>({ maxSize: 1000 });
  /** Their keys by instance and fingerprint. */
  readonly #leftKeys = new QuickLRU<string, string>({ maxSize: 1000 });
  /** Avoids look-ups in most runs, which leave none. */
  #isAnyLeft = false;
  /** The keys of known outcome that were sent again. */
  readonly #settled = new QuickLRU<string, true>({ maxSize: 2500 });
  /** The programs that have followed up an order of unknown outcome. */
  readonly #careful = new QuickLRU<string, true>({ maxSize: 1000 });
  /** By scope, as are the times of the latest requests. */
  readonly #listReadMs = new QuickLRU<string, number>({ maxSize: 1000 });
  readonly #latestMs = new QuickLRU<string, number>({ maxSize: 1000 });

  onRequest(request: ObservedRequest): void {
    const { operation, status, atMs } = request.exchange;
    if (operation === "listCards" && status === 200 && !request.isAmbiguous) {
      this.#listReadMs.set(request.scope, request.startedMs);
      this.#latestMs.set(request.scope, atMs);
      return;
    }
    if (!request.order) return;
    this.#latestMs.set(request.scope, atMs);
    if (this.#isAnyLeft || request.isAmbiguous) this.#follow(request, request.order);
    else if (showsCard(request) && request.firstWithOwnKey) this.#settled.set(request.order.keyName, true);
  }

  #follow(request: ObservedRequest, { keyName, fingerprint }: NonNullable<ObservedRequest["order"]>): void {
    const { isAmbiguous, firstWithOwnKey: ownFirst } = request;
    const first = this.#left.get(keyName);
    const isFollowed = first !== undefined && request.startedMs >= first.endedMs;
    if (isFollowed) this.#careful.set(first.program, true);
    const isSettled =
      isFollowed ||
      isCreated(request) ||
      (ownFirst !== undefined && isCreated(ownFirst)) ||
      this.#settled.has(keyName);
    if (isSettled) {
      this.#settled.set(keyName, true);
      this.#left.delete(keyName);
    }
    const name = `${request.instance} ${fingerprint}`;
    const before = this.#leftKeys.get(name);
    if (before !== undefined && before !== keyName) this.#left.delete(before);
    if (!isAmbiguous || isSettled || request.muted || request.chosenScenario !== "") return;
    this.#isAnyLeft = true;
    setLatest(this.#left, keyName, request);
    this.#leftKeys.set(name, keyName);
  }

  summarise(moment: Moment, report: Report): void {
    const byProgram = new Map<string, ObservedRequest[]>();
    const reading = new Set<string>();
    for (const [, request] of this.#left.entries()) {
      const { program, scope, endedMs } = request;
      if ((this.#listReadMs.get(scope) ?? Number.NEGATIVE_INFINITY) >= endedMs) reading.add(program);
      else if (this.#isDue(request, moment)) {
        byProgram.set(program, [...(byProgram.get(program) ?? []), request]);
      }
    }
    for (const [program, requests] of byProgram) {
      const isCareful = this.#careful.has(program) || reading.has(program);
      for (const request of requests) {
        report({
          observed: `The client got ${request.received} for an order, but neither retried it nor read the list of cards`,
          requests: [request],
          severity: isCareful || requests.length === 1 ? "info" : "warn",
        });
      }
    }
  }

  #isDue({ scope, exchange }: ObservedRequest, { nowMs, final }: Moment): boolean {
    const companyMs = nowMs + (exchange.caller?.clockOffsetMs ?? 0);
    const latestMs = Math.max(companyMs, this.#latestMs.get(scope) ?? companyMs);
    return final || latestMs - exchange.atMs >= patienceMs;
  }
}

/** Whether the client knows that the order was accepted. */
function isCreated(request: ObservedRequest): boolean {
  return showsCard(request) && !request.isAmbiguous;
}
