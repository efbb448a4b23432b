import QuickLRU from "quick-lru";
import { hasKeyChecksum } from "../../../rules/api-key.ts";
import type { Caller } from "../../../store/callers.ts";
import type { ObservedRequest, PossibleKey } from "../request.ts";
import { type ApiKeys, latestEntry, type Report, type Rule, type Watch } from "../rule.ts";

/** An API key that came in Authorization headers, and was refused each time. */
interface Refused {
  readonly holder: Caller;
  readonly succeeded: Count;
  readonly requests: ObservedRequest[];
  times: number;
  /** The same request came a third time; two may be tests. */
  isRepeated: boolean;
}

/** The number of requests that succeeded with a token of a key. */
interface Count {
  times: number;
}

const shown = 5;

export const apiKeyOutsideExchange: Rule = {
  severity: "critical",
  title: "API key sent outside the token exchange",
  why: "Whoever logs, proxies or caches requests then holds a secret that is good until it is revoked, and can order cards.",
  mend: "Send the key in the body of the token endpoint alone, as api_key, and the access_token that it answers everywhere else. Revoke the key that was shown.",
  spec: "§5.1",
  watch: (report, apiKeys) => new MisplacedKeys(report, apiKeys),
};

class MisplacedKeys implements Watch {
  readonly #report: Report;
  readonly #apiKeys: ApiKeys;
  readonly #refused = new QuickLRU<string, Refused>({ maxSize: 500 });
  /** `#refused` has the count of a refused key, too. */
  readonly #succeeded = new QuickLRU<string, Count>({ maxSize: 500 });

  constructor(report: Report, apiKeys: ApiKeys) {
    this.#report = report;
    this.#apiKeys = apiKeys;
  }

  onRequest(request: ObservedRequest): void {
    const { caller, status = 0 } = request.exchange;
    if (caller && status < 300 && status >= 200 && !request.isExchange) {
      const count = this.#countOf(caller.apiKeyId);
      count.times++;
      this.#succeeded.set(caller.apiKeyId, count);
    }
    if (request.possibleKeys.length === 0 || request.muted) return;
    const keys = request.possibleKeys.filter(
      (key) => isMisplaced(key, request) && (hasKeyChecksum(key.text) || this.#apiKeys.holderOf(key.text)),
    );
    const [first] = keys;
    if (!first) return;
    const holder = this.#apiKeys.holderOf(first.text);
    const isRefused = keys.every(({ header }) => header === "authorization") && status >= 400;
    if (holder && isRefused) {
      this.#countRefused(holder, request);
      return;
    }
    this.#report({
      seen: `An API key was sent ${[...new Set(keys.map(placeOf))].join(", and ")}`,
      requests: [request],
      ...(holder && { company: holder }),
    });
  }

  #countOf(apiKeyId: string): Count {
    return this.#succeeded.get(apiKeyId) ?? this.#refused.get(apiKeyId)?.succeeded ?? { times: 0 };
  }

  #countRefused(holder: Caller, request: ObservedRequest): void {
    const refused = latestEntry(this.#refused, holder.apiKeyId, () => ({
      holder,
      succeeded: this.#countOf(holder.apiKeyId),
      requests: [],
      times: 0,
      isRepeated: false,
    }));
    refused.times++;
    refused.isRepeated ||= refused.requests.filter((each) => isSame(each, request)).length >= 2;
    if (refused.requests.length < shown) refused.requests.push(request);
  }

  summarise(_moment: unknown, report: Report): void {
    for (const [, { holder, succeeded, requests, times, isRepeated }] of this.#refused.entries()) {
      // A test may provoke this 401; a client with this mistake tries again, and succeeds with nothing.
      const isExchanged = succeeded.times >= times;
      report({
        seen:
          `An API key was sent in the Authorization header, in place of an access token, and refused: ` +
          `${times === 1 ? "once" : `${times} times`}${isExchanged ? "; otherwise it was exchanged" : ""}`,
        requests,
        company: holder,
        severity: isExchanged || !isRepeated ? "info" : "critical",
      });
    }
  }
}

/** The body of a token endpoint may contain a key; the service itself refuses a wrong field. */
function isMisplaced({ place }: PossibleKey, request: ObservedRequest): boolean {
  return !(place === "body" && request.isExchange);
}

function isSame({ exchange: a }: ObservedRequest, { exchange: b }: ObservedRequest): boolean {
  return a.method === b.method && a.path === b.path;
}

function placeOf({ place, header }: PossibleKey): string {
  if (header !== undefined) return `in the header ${header}`;
  return {
    header: "in a header",
    path: "in the URL's path",
    query: "in the URL's query",
    body: "in the body",
  }[place];
}
