import { hasKeyChecksum } from "../../../rules/api-key.ts";
import type { Caller } from "../../../store/callers.ts";
import { isExchange } from "../access-token.ts";
import type { KeySent } from "../keys-sent.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";

/** An API key that came in Authorization headers, and was refused each time. */
interface Refused {
  readonly holder: Caller;
  readonly succeeded: Count;
  readonly requests: Seen[];
  times: number;
  /** The same request came a third time: two may be tests. */
  isRepeated: boolean;
}

/** How many requests succeeded with a token of a key. */
interface Count {
  times: number;
}

const shown = 5;

/** An API key is sent elsewhere than in the body of a token endpoint. */
export const auth1: Rule = {
  severity: "critical",
  title: "API key sent outside the token exchange",
  why: "Whoever logs, proxies or caches requests then holds a secret that is good until it is revoked, and can order cards.",
  mend: "Send the key in the body of the token endpoint alone, as api_key, and the access_token that it answers everywhere else. Revoke the key that was shown.",
  spec: "§5.1",
  watch(found, known) {
    const refusedOf = new Recent<string, Refused>(1000);
    /** Of the keys that were used last; of those that were refused it stands there as well. */
    const succeededOf = new Recent<string, Count>(1000);
    const countOf = (apiKeyId: string): Count =>
      succeededOf.get(apiKeyId) ?? refusedOf.get(apiKeyId)?.succeeded ?? { times: 0 };
    return {
      see(request) {
        const { caller, status = 0 } = request.exchange;
        if (caller && status < 300 && status >= 200 && !isExchange(request)) {
          const count = countOf(caller.apiKeyId);
          count.times++;
          succeededOf.set(caller.apiKeyId, count);
        }
        if (request.keysSent.length === 0 || request.muted) return;
        const keys = request.keysSent.filter((key) => isMisplaced(key, request));
        const leaked = keys.filter(({ text }) => hasKeyChecksum(text) || known.holderOf(text) !== undefined);
        const [first] = leaked;
        if (!first) return;
        const holder = known.holderOf(first.text);
        const isRefused = leaked.every(({ header }) => header === "authorization") && status >= 400;
        if (holder && isRefused) {
          const refused = refusedOf.get(holder.apiKeyId) ?? {
            holder,
            succeeded: countOf(holder.apiKeyId),
            requests: [],
            times: 0,
            isRepeated: false,
          };
          refused.times++;
          refused.isRepeated ||= refused.requests.filter((each) => isSame(each, request)).length >= 2;
          if (refused.requests.length < shown) refused.requests.push(request);
          refusedOf.set(holder.apiKeyId, refused);
          return;
        }
        found({
          seen: `An API key was sent ${leaked.map(placeOf).filter(isFirst).join(", and ")}`,
          requests: [request],
          ...(holder && { company: holder }),
        });
      },
      standing(_moment, found) {
        for (const { holder, succeeded, requests, times, isRepeated } of refusedOf.values()) {
          // A suite may look at this 401 on purpose; a client that knows no better tries again, and gets nothing done.
          const isExchanged = succeeded.times >= times;
          found({
            seen:
              `An API key was sent in the Authorization header, in place of an access token, and refused: ` +
              `${times === 1 ? "once" : `${times} times`}${isExchanged ? "; otherwise it was exchanged" : ""}`,
            requests,
            company: holder,
            severity: isExchanged || !isRepeated ? "info" : "critical",
          });
        }
      },
    };
  },
};

/** A token endpoint's body is where a key may stand; that it is in the field `api_key` is the 400's to say. */
function isMisplaced({ place }: KeySent, request: Seen): boolean {
  return !(place === "body" && isExchange(request));
}

function isSame({ exchange: a }: Seen, { exchange: b }: Seen): boolean {
  return a.method === b.method && a.path === b.path;
}

function placeOf({ place, header }: KeySent): string {
  if (header !== undefined) return `in the header ${header}`;
  return {
    header: "in a header",
    path: "in the URL's path",
    query: "in the URL's query",
    body: "in the body",
  }[place];
}

function isFirst(each: string, at: number, all: readonly string[]): boolean {
  return all.indexOf(each) === at;
}
