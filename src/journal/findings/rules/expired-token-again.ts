import type { CompanyNames } from "../../../store/callers.ts";
import { isExchange, tokenIssued, tokenSent } from "../access-token.ts";
import { Recent } from "../recent.ts";
import type { Found, Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";
import { programOf } from "../senders.ts";

interface Token {
  /** Whose exchange brought it. */
  readonly client: string;
  readonly company: CompanyNames;
  refusal: Refusal | undefined;
}

/** The 401 by which the client knows that the token has expired. */
interface Refusal {
  readonly request: Seen;
  /** How many exchanges had been seen by then that may be the client's. */
  readonly exchanges: number;
  /** The requests that were sent with it after. */
  readonly again: Seen[];
  isTold: boolean;
}

/** One may be a test of the 401. */
const fewest = 2;
const kept = 100;
/** What is sent so soon after a 401 was on its way, or in a queue, when that came. */
const underWayMs = 50;
/** So long a client may take to exchange, or to work off a queue. */
const patienceMs = 5000;
const tokensKept = 2000;

/** A token is sent again and again after the answer that it has expired. */
export const auth4: Rule = {
  severity: "high",
  title: "Expired access token sent again after its 401",
  why: "It never becomes good again: from the first 401 on the client does nothing until somebody restarts it.",
  mend: "On 401 exchange the API key again, once for all who wait, and repeat the request with the new token; better, exchange before expires_at.",
  spec: "§5.2",
  watch(found) {
    const tokens = new Recent<string, Token>(tokensKept);
    /** By client, and by User-Agent where an exchange failed before it was known whose it was. */
    const exchanges = new Recent<string, number>(1000);
    const count = (name: string) => exchanges.get(name) ?? 0;

    const exchangesOf = (token: Token, request: Seen) => count(token.client) + count(programOf(request));

    const exchange = (request: Seen) => {
      const { caller } = request.exchange;
      const client = `${caller?.apiKeyId} ${programOf(request)}`;
      const name = caller ? client : programOf(request);
      exchanges.set(name, count(name) + 1);
      const issued = tokenIssued(request);
      if (issued && caller) tokens.set(issued.token, { client, company: caller, refusal: undefined });
    };

    const refused = (request: Seen) => {
      const token = tokens.get(tokenSent(request) ?? "");
      if (!token || request.muted) return;
      const exchangesNow = exchangesOf(token, request);
      const { refusal } = token;
      if (refusal?.exchanges !== exchangesNow) {
        token.refusal = { request, exchanges: exchangesNow, again: [], isTold: false };
        return;
      }
      const lateMs = request.startedMs - refusal.request.endedMs;
      if (lateMs < underWayMs || refusal.again.length === kept) return;
      refusal.again.push(request);
      if (lateMs > patienceMs) tell(token, refusal, found);
    };

    return {
      see(request) {
        if (isExchange(request)) exchange(request);
        // One that a scenario refused is still good: whoever goes on with it is answered.
        else if (request.exchange.point === "auth.token_expired" && request.exchange.scenario === undefined) {
          refused(request);
        }
      },
      standing({ realMs, final }, found) {
        for (const token of tokens.values()) {
          const { refusal } = token;
          const last = refusal?.again.at(-1);
          if (!refusal || !last || refusal.isTold) continue;
          if (refusal.exchanges !== exchangesOf(token, last)) continue;
          if (final || realMs - last.endedMs > patienceMs) tell(token, { ...refusal }, found);
        }
      },
    };
  },
};

function tell({ company }: Token, refusal: Refusal, found: Found): void {
  const { request: first, again, isTold } = refusal;
  if (isTold) return;
  for (const request of again) {
    const same = again.filter((each) => isSameOperation(each, request));
    if (same.length < fewest) continue;
    refusal.isTold = true;
    found({
      seen: "An access token was sent again and again after the answer that it has expired, and none was exchanged",
      requests: [first, ...same.slice(0, fewest)],
      company,
    });
    return;
  }
}

/** A suite may try one expired token on one operation after another. */
function isSameOperation({ exchange: a }: Seen, { exchange: b }: Seen): boolean {
  return a.method === b.method && a.path === b.path;
}
