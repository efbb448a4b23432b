import QuickLRU from "quick-lru";
import { hasKeyChecksum } from "../../../rules/api-key.ts";
import type { Caller } from "../../../store/callers.ts";
import type { ObservedRequest, PossibleKey } from "../request.ts";
import { type ApiKeys, latestEntry, type Report, type Rule, type Watch } from "../rule.ts";

/** An API key that was sent in Authorization headers and refused each time. */
interface Refused {
  readonly holder: Caller;
  readonly succeeded: Count;
  readonly requests: ObservedRequest[];
  times: number;
  /** The same request was sent three times; two may be tests. */
  isRepeated: boolean;
}

/** The number of requests that succeeded with access tokens of a key. */
interface Count {
  times: number;
}

const maxShown = 5;

export const apiKeyOutsideExchange: Rule = {
  severity: "critical",
  title: "API key sent outside the token exchange",
  why: "Logs, proxies and caches may keep the request. Anyone who reads it there can order cards with the key until it is revoked.",
  fix: "Send the API key only in the body of the token endpoint, as api_key. Send the access_token with all other requests. Revoke the exposed key.",
  spec: "§5.1",
  watch: (report, apiKeys) => new MisplacedKeys(report, apiKeys),
};

class MisplacedKeys implements Watch {
  readonly #report: Report;
  readonly #apiKeys: ApiKeys;
  readonly #refused = new QuickLRU<string, Refused>({ maxSize: 500 });
  /** For keys that are not in `#refused`. */
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
      observed: `An API key was sent ${[...new Set(keys.map(placeOf))].join(" and ")}`,
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
    if (refused.requests.length < maxShown) refused.requests.push(request);
  }

  summarise(_moment: unknown, report: Report): void {
    for (const [, { holder, succeeded, requests, times, isRepeated }] of this.#refused.entries()) {
      // A test may cause this 401 on purpose. A client with this mistake repeats it, and none of its requests succeed.
      const isExchanged = succeeded.times >= times;
      report({
        observed:
          `An API key was sent in the Authorization header instead of an access token, and the service refused it ` +
          `${times === 1 ? "once" : `${times} times`}${isExchanged ? "; other requests used its access tokens" : ""}`,
        requests,
        company: holder,
        severity: isExchanged || !isRepeated ? "info" : "critical",
      });
    }
  }
}

/** A key belongs in the body of a token endpoint; the service itself refuses a wrong field. */
function isMisplaced({ place }: PossibleKey, request: ObservedRequest): boolean {
  return !(place === "body" && request.isExchange);
}

function isSame({ exchange: a }: ObservedRequest, { exchange: b }: ObservedRequest): boolean {
  return a.method === b.method && a.path === b.path;
}

function placeOf({ place, header }: PossibleKey): string {
  if (header !== undefined) return `in the ${header} header`;
  return {
    header: "in a header",
    path: "in the path of the URL",
    query: "in the query of the URL",
    body: "in the body",
  }[place];
}
