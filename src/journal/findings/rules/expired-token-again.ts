import QuickLRU from "quick-lru";
import type { CompanyNames } from "../../../store/callers.ts";
import type { ObservedRequest } from "../request.ts";
import type { Moment, Report, Rule, Watch } from "../rule.ts";

interface Token {
  /** The client that exchanged it. */
  readonly client: string;
  readonly company: CompanyNames;
  refusal: Refusal | undefined;
}

/** The first 401 for an expired token. */
interface Refusal {
  readonly request: ObservedRequest;
  /** The number of exchanges before it that may belong to the client. */
  readonly exchanges: number;
  /** Later requests with the same token. */
  readonly again: ObservedRequest[];
  isReported: boolean;
}

/** A single one may be a test of the 401. */
const minRepeats = 2;
const maxAgain = 100;
/** A request that was sent so soon after the 401 was already in flight or in a queue. */
const inFlightMs = 50;
/** The time that a client may take for an exchange, or for the requests in its queue. */
const patienceMs = 5000;

/** The client sends an expired token repeatedly after the 401, without a new exchange. */
export const expiredTokenAgain: Rule = {
  severity: "high",
  title: "Expired access token sent again after its 401",
  why: "An expired token never becomes valid again. After the first 401, every request fails until someone restarts the client.",
  fix: "After a 401, exchange the API key once for all waiting requests, then repeat them with the new token. To avoid the 401, exchange the key before expires_at.",
  spec: "§5.2",
  watch: (report) => new ExpiredTokens(report),
};

class ExpiredTokens implements Watch {
  readonly #report: Report;
  readonly #tokens = new QuickLRU<string, Token>({ maxSize: 1000 });
  /** By client; by User-Agent if an exchange failed before the caller was identified. */
  readonly #exchanges = new QuickLRU<string, number>({ maxSize: 500 });

  constructor(report: Report) {
    this.#report = report;
  }

  onRequest(request: ObservedRequest): void {
    const { point, scenario } = request.exchange;
    if (request.isExchange) this.#exchange(request);
    // A token that a scenario refused is still valid.
    else if (point === "auth.token_expired" && scenario === undefined) this.#refused(request);
  }

  #exchange(request: ObservedRequest): void {
    const { caller } = request.exchange;
    const client = `${caller?.apiKeyId} ${request.program}`;
    const name = caller ? client : request.program;
    this.#exchanges.set(name, this.#count(name) + 1);
    const issued = request.issuedToken;
    if (!issued || !caller) return;
    this.#tokens.delete(issued.token);
    this.#tokens.set(issued.token, { client, company: caller, refusal: undefined });
  }

  #refused(request: ObservedRequest): void {
    const token = this.#tokens.get(request.token ?? "");
    if (!token || request.muted) return;
    const exchanges = this.#exchangesOf(token, request);
    const { refusal } = token;
    if (refusal?.exchanges !== exchanges) {
      token.refusal = { request, exchanges, again: [], isReported: false };
      return;
    }
    const lateMs = request.startedMs - refusal.request.endedMs;
    if (lateMs < inFlightMs || refusal.again.length === maxAgain) return;
    refusal.again.push(request);
    if (lateMs > patienceMs) refusal.isReported ||= reportAgain(token, refusal, this.#report);
  }

  #count(name: string): number {
    return this.#exchanges.get(name) ?? 0;
  }

  #exchangesOf(token: Token, request: ObservedRequest): number {
    return this.#count(token.client) + this.#count(request.program);
  }

  summarise({ realMs, final }: Moment, report: Report): void {
    for (const [, token] of this.#tokens.entries()) {
      const { refusal } = token;
      const last = refusal?.again.at(-1);
      if (!refusal || !last || refusal.isReported) continue;
      if (refusal.exchanges !== this.#exchangesOf(token, last)) continue;
      if (final || realMs - last.endedMs > patienceMs) reportAgain(token, refusal, report);
    }
  }
}

/** @returns whether an occurrence was reported */
function reportAgain({ company }: Token, { request: first, again }: Refusal, report: Report): boolean {
  // A test suite may try one expired token with one operation after another.
  const same = again
    .map((request) => again.filter((each) => isSameOperation(each, request)))
    .find((requests) => requests.length >= minRepeats);
  if (!same) return false;
  report({
    observed: `An expired access token was sent ${again.length} more times after its 401, without a new exchange`,
    requests: [first, ...same.slice(0, minRepeats)],
    company,
  });
  return true;
}

function isSameOperation({ exchange: a }: ObservedRequest, { exchange: b }: ObservedRequest): boolean {
  return a.method === b.method && a.path === b.path;
}
