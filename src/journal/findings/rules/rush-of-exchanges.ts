import QuickLRU from "quick-lru";
import type { ObservedRequest } from "../request.ts";
import { latestEntry, type Report, type Rule, type Watch } from "../rule.ts";

const minExchanges = 3;
const windowMs = 2000;
/** How long before expiry a client may exchange its key again. */
const earlyMs = 60_000;
/** The minimum number of calls with the one token of a rush that the client kept. */
const minCallsOfKeptToken = 5;
/** The maximum number of exchanges of a rush, rushes of a client, refusals, and tokens in use that are kept. */
const maxKept = 50;
const maxShown = 5;

interface Token {
  readonly client: Client;
  readonly expiresAtMs: number;
  readonly rush: Rush;
  calls: number;
  /** The times of the responses that refused it. */
  readonly refusedMs: number[];
}

/** An earlier token, without references to its rush and to earlier rushes. */
type PastToken = Pick<Token, "expiresAtMs" | "calls" | "refusedMs">;

/** Exchanges of one client in quick succession, without a call with one of their tokens in between. */
interface Rush {
  readonly exchanges: ObservedRequest[];
  readonly tokens: Token[];
  firstMs: number;
  /** When the first call with one of the tokens was sent. */
  firstCallMs: number;
  /** The tokens that the client used before. */
  before: readonly PastToken[];
}

interface Client {
  rush: Rush | undefined;
  /** The rushes with at least three exchanges. */
  readonly rushes: Rush[];
  /** The tokens used since the latest rush began. */
  readonly used: Set<Token>;
}

/** Several requests need a token, and each exchanges the key at the same time. */
export const rushOfExchanges: Rule = {
  severity: "warn",
  title: "Parallel token exchanges by one client",
  why: "Each time the token expires, every waiting request exchanges the API key for itself. Under load, the token endpoint receives more exchanges than it allows and refuses them.",
  fix: "Allow one exchange at a time: share its promise or use a lock, and let all other requests wait for the new token.",
  spec: "§5.2",
  watch: () => new Rushes(),
};

class Rushes implements Watch {
  readonly #clients = new QuickLRU<string, Client>({ maxSize: 500 });
  readonly #tokens = new QuickLRU<string, Token>({ maxSize: 1000 });

  onRequest(request: ObservedRequest): void {
    if (request.isExchange) this.#exchange(request);
    else this.#call(request);
  }

  #exchange(request: ObservedRequest): void {
    const issued = request.issuedToken;
    if (!issued) return;
    this.#tokens.delete(issued.token);
    if (request.muted) return;
    const client = latestEntry(this.#clients, request.client, newClient);
    const rush = client.rush && belongsTo(client.rush, request) ? client.rush : begin(client, request);
    rush.firstMs = Math.min(rush.firstMs, request.startedMs);
    if (rush.exchanges.push(request) === minExchanges) client.rushes.push(rush);
    const token = { client, expiresAtMs: issued.expiresAtMs, rush, calls: 0, refusedMs: [] };
    rush.tokens.push(token);
    this.#tokens.set(issued.token, token);
  }

  #call(request: ObservedRequest): void {
    const token = this.#tokens.get(request.token ?? "");
    if (!token) return;
    if (request.exchange.status === 401) {
      if (token.refusedMs.length < maxKept) token.refusedMs.push(request.endedMs);
      return;
    }
    token.calls++;
    token.rush.firstCallMs = Math.min(token.rush.firstCallMs, request.startedMs);
    if (token.client.used.size < maxKept) token.client.used.add(token);
  }

  summarise(_moment: unknown, report: Report): void {
    for (const [, { rushes }] of this.#clients.entries()) {
      for (const rush of rushes) {
        const severity = severityOf(rush);
        if (!severity) continue;
        report({
          observed: observationOf(rush),
          requests: rush.exchanges.slice(0, maxShown),
          severity,
        });
      }
    }
  }
}

function observationOf({ exchanges, tokens }: Rush): string {
  const hardlyUsed = tokens.filter(({ calls }) => calls <= 1).length;
  const times = `${exchanges.length} times within ${windowMs / 1000} s`;
  return `The client exchanged its API key ${times}, but used ${hardlyUsed} of the ${tokens.length} tokens once or never`;
}

function newClient(): Client {
  return { rush: undefined, rushes: [], used: new Set() };
}

function belongsTo(rush: Rush, { startedMs }: ObservedRequest): boolean {
  return (
    startedMs - rush.firstMs <= windowMs && startedMs < rush.firstCallMs && rush.exchanges.length < maxKept
  );
}

function begin(client: Client, { startedMs }: ObservedRequest): Rush {
  if (client.rush) dropIfSmall(client.rush);
  const before = [...client.used].map(({ expiresAtMs, calls, refusedMs }) => ({
    expiresAtMs,
    calls,
    refusedMs,
  }));
  client.used.clear();
  client.rush = {
    exchanges: [],
    tokens: [],
    firstMs: startedMs,
    firstCallMs: Number.POSITIVE_INFINITY,
    before,
  };
  if (client.rushes.length > maxKept) client.rushes.shift();
  return client.rush;
}

/** A rush with too few exchanges is never reported; only its tokens are still needed for the next one. */
function dropIfSmall(rush: Rush): void {
  if (rush.exchanges.length >= minExchanges) return;
  rush.exchanges.length = 0;
  rush.tokens.length = 0;
  rush.before = [];
}

/**
 * Several instances with one API key also exchange at once, but each keeps its own token. One instance is recognised by
 * the one expired token that all its requests used before the rush, and by the one token that it uses after the rush.
 */
function severityOf({ exchanges, tokens, before, firstMs }: Rush): "warn" | "info" | undefined {
  const calls = tokens.map((token) => token.calls).sort((a, b) => b - a);
  const [most = 0, next = 0] = calls;
  if (next > 1) return undefined;
  const [shared, ...others] = before;
  const inTime = shared?.refusedMs.filter((ms) => ms >= firstMs - windowMs && ms <= firstMs + windowMs) ?? [];
  if (others.length === 0 && inTime.length >= minExchanges) return "warn";
  if (most < minCallsOfKeptToken || most < 2 * tokens.length) return undefined;
  const [exchange] = exchanges;
  const isSpent =
    shared !== undefined && exchange !== undefined && shared.expiresAtMs - earlyMs <= exchange.exchange.atMs;
  return isSpent && others.length === 0 && shared.calls > 1 ? "warn" : "info";
}
