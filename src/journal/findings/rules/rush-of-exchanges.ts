import QuickLRU from "quick-lru";
import type { ObservedRequest } from "../request.ts";
import { latestEntry, type Report, type Rule, type Watch } from "../rule.ts";

const fewest = 3;
const windowMs = 2000;
/** How long before its expiry a client may already exchange a token. */
const earlyMs = 60_000;
/** The calls with the one token of a rush that the client kept. */
const fewestCallsOfKept = 5;
/** The most exchanges of a rush, rushes of a client, and refusals and tokens in use that are kept. */
const kept = 50;
const shown = 5;

interface Token {
  readonly client: Client;
  readonly expiresAtMs: number;
  readonly rush: Rush;
  calls: number;
  /** The times of the responses that refused it. */
  readonly refusedMs: number[];
}

/** A token of the past, without its rush and all that came before it. */
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

/** Requests without a valid token exchange one each, all at once. */
export const rushOfExchanges: Rule = {
  severity: "warn",
  title: "Rush of exchanges for one client",
  why: "Each time that a token expires, every request under way exchanges for itself: under load the token endpoint is flooded and refuses.",
  mend: "Let one exchange be under way at a time: keep its promise, or a lock, and let all others wait for it.",
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
    if (rush.exchanges.push(request) === fewest) client.rushes.push(rush);
    const token = { client, expiresAtMs: issued.expiresAtMs, rush, calls: 0, refusedMs: [] };
    rush.tokens.push(token);
    this.#tokens.set(issued.token, token);
  }

  #call(request: ObservedRequest): void {
    const token = this.#tokens.get(request.token ?? "");
    if (!token) return;
    if (request.exchange.status === 401) {
      if (token.refusedMs.length < kept) token.refusedMs.push(request.endedMs);
      return;
    }
    token.calls++;
    token.rush.firstCallMs = Math.min(token.rush.firstCallMs, request.startedMs);
    if (token.client.used.size < kept) token.client.used.add(token);
  }

  summarise(_moment: unknown, report: Report): void {
    for (const [, { rushes }] of this.#clients.entries()) {
      for (const rush of rushes) {
        const severity = severityOf(rush);
        if (!severity) continue;
        report({
          seen: `${rush.exchanges.length} access tokens were exchanged within ${windowMs / 1000} s, and all but one were used once or not at all`,
          requests: rush.exchanges.slice(0, shown),
          severity,
        });
      }
    }
  }
}

function newClient(): Client {
  return { rush: undefined, rushes: [], used: new Set() };
}

function belongsTo(rush: Rush, { startedMs }: ObservedRequest): boolean {
  return startedMs - rush.firstMs <= windowMs && startedMs < rush.firstCallMs && rush.exchanges.length < kept;
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
  if (client.rushes.length > kept) client.rushes.shift();
  return client.rush;
}

/** A rush with too few exchanges is never reported; only its tokens are still needed, for the next one. */
function dropIfSmall(rush: Rush): void {
  if (rush.exchanges.length >= fewest) return;
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
  if (others.length === 0 && inTime.length >= fewest) return "warn";
  if (most < fewestCallsOfKept || most < 2 * tokens.length) return undefined;
  const [exchange] = exchanges;
  const isSpent =
    shared !== undefined && exchange !== undefined && shared.expiresAtMs - earlyMs <= exchange.exchange.atMs;
  return isSpent && others.length === 0 && shared.calls > 1 ? "warn" : "info";
}
