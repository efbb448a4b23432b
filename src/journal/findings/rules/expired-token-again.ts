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

/** The 401 from which the client learns that the token has expired. */
interface Refusal {
  readonly request: ObservedRequest;
  /** The number of exchanges before it that may be the client's. */
  readonly exchanges: number;
  /** The requests that were sent with the token after it. */
  readonly again: ObservedRequest[];
  isReported: boolean;
}

/** One may be a test of the 401. */
const fewest = 2;
const mostAgain = 100;
/** A request that was sent so soon after the 401 was on its way or in a queue when that came. */
const underWayMs = 50;
/** The time that a client may take for an exchange, or for the requests in its queue. */
const patienceMs = 5000;

/** The client sends a token again and again after the response that it has expired. */
export const expiredTokenAgain: Rule = {
  severity: "high",
  title: "Expired access token sent again after its 401",
  why: "It never becomes good again: from the first 401 on the client does nothing until somebody restarts it.",
  mend: "On 401 exchange the API key again, once for all who wait, and repeat the request with the new token; better, exchange before expires_at.",
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
    // A token that was refused by a scenario is still valid.
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
    if (lateMs < underWayMs || refusal.again.length === mostAgain) return;
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

/** @returns whether there was something to report */
function reportAgain({ company }: Token, { request: first, again }: Refusal, report: Report): boolean {
  // A test suite may try one expired token with one operation after another.
  const same = again
    .map((request) => again.filter((each) => isSameOperation(each, request)))
    .find((requests) => requests.length >= fewest);
  if (!same) return false;
  report({
    seen: "An access token was sent again and again after the answer that it has expired, and none was exchanged",
    requests: [first, ...same.slice(0, fewest)],
    company,
  });
  return true;
}

function isSameOperation({ exchange: a }: ObservedRequest, { exchange: b }: ObservedRequest): boolean {
  return a.method === b.method && a.path === b.path;
}
