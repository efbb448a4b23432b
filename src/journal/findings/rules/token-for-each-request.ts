import QuickLRU from "quick-lru";
import type { ObservedRequest } from "../request.ts";
import { type Report, type Rule, setLatest, type Watch } from "../rule.ts";

const minCalls = 10;
/** The number of calls about objects of earlier calls with other tokens: they show that there is only one instance. */
const minLinks = 3;
const maxShown = 6;
/** The number of tokens kept: a token with a second call is used before so many others are exchanged. */
const maxTokens = 1000;

interface Client {
  /** The number of calls, each of them the only one with its token. */
  calls: number;
  /** The number of calls about the same objects as a call with an earlier token that was still valid. */
  links: number;
  /** At least one token was used for a second call, which is correct. */
  keepsTokens: boolean;
  latest: Token | undefined;
  readonly requests: ObservedRequest[];
}

interface Token {
  readonly client: Client;
  /** Undefined if the report already has enough requests. */
  readonly exchange: ObservedRequest | undefined;
  readonly expiresAtMs: number;
  /** The token before it had expired or was refused, so the client had to exchange. */
  readonly isDue: boolean;
  isRefused: boolean;
  /** The text of the token's one call; a retry has the same. */
  call: string | undefined;
}

/** The client exchanges its key for every request. */
export const tokenForEachRequest: Rule = {
  severity: "warn",
  title: "New access token for each request",
  why: "A token is valid for about 15 minutes. A client that exchanges its API key for each request doubles its traffic and soon reaches the rate limit of the token endpoint.",
  fix: "Keep the token with its expires_at, share it between requests, and exchange the API key again shortly before it expires.",
  spec: "§5.2",
  watch: () => new TokenUse(),
};

class TokenUse implements Watch {
  readonly #clients = new QuickLRU<string, Client>({ maxSize: 500 });
  readonly #tokens = new QuickLRU<string, Token>({ maxSize: maxTokens });
  /** By client and name: when the latest token expires with which the client used the name. */
  readonly #namedUntilMs = new QuickLRU<string, number>({ maxSize: maxTokens });

  onRequest(request: ObservedRequest): void {
    if (request.isExchange) this.#exchange(request);
    else this.#call(request);
  }

  #exchange(request: ObservedRequest): void {
    const issued = request.issuedToken;
    if (!issued) return;
    this.#tokens.delete(issued.token);
    if (request.muted || request.exchange.scenario !== undefined) return;
    const client = this.#clients.get(request.client) ?? newClient();
    if (client.keepsTokens) return;
    const { latest } = client;
    client.latest = {
      client,
      exchange: client.requests.length < maxShown ? request : undefined,
      expiresAtMs: issued.expiresAtMs,
      isDue: latest !== undefined && (latest.isRefused || latest.expiresAtMs <= request.exchange.atMs),
      isRefused: false,
      call: undefined,
    };
    setLatest(this.#clients, request.client, client);
    this.#tokens.set(issued.token, client.latest);
  }

  #call(request: ObservedRequest): void {
    const token = this.#tokens.get(request.token ?? "");
    if (!token) return;
    if (request.exchange.status === 401) token.isRefused = true;
    const { client } = token;
    if (request.muted || token.isRefused || token.isDue || client.keepsTokens) return;
    const call = callOf(request);
    if (token.call !== undefined) {
      if (token.call !== call) stopWatching(client);
      return;
    }
    token.call = call;
    client.calls++;
    if (this.#isLinked(request, token)) client.links++;
    if (token.exchange && client.requests.length < maxShown) client.requests.push(token.exchange, request);
  }

  #isLinked(request: ObservedRequest, token: Token): boolean {
    let isLinked = false;
    for (const name of namesIn(request)) {
      const key = `${request.client} ${name}`;
      const untilMs = this.#namedUntilMs.get(key);
      isLinked ||= untilMs !== undefined && untilMs > request.exchange.atMs;
      this.#namedUntilMs.set(key, token.expiresAtMs);
    }
    return isLinked;
  }

  summarise(_moment: unknown, report: Report): void {
    for (const [, { calls, links, keepsTokens, requests }] of this.#clients.entries()) {
      if (keepsTokens || calls < minCalls) continue;
      const isOneInstance = links >= minLinks;
      report({
        observed: isOneInstance
          ? `${calls} requests each used a new access token`
          : `${calls} requests each used a new access token, which is normal for short-lived processes`,
        requests,
        severity: isOneInstance ? "warn" : "info",
      });
    }
  }
}

function newClient(): Client {
  return { calls: 0, links: 0, keepsTokens: false, latest: undefined, requests: [] };
}

/** Called when a client uses a token for a second call: it is correct, and its requests need not be kept. */
function stopWatching(client: Client): void {
  client.keepsTokens = true;
  client.latest = undefined;
  client.requests.length = 0;
}

/** Equal for a call and its retry: a client with this mistake may retry with the same token. */
function callOf({ exchange: { method, path, query, idempotencyKey } }: ObservedRequest): string {
  return `${method} ${path}${query} ${idempotencyKey}`;
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** The id of a created object, at the start of the response; parsing the response would take longer. */
const firstId = /^{"id":"([^"]+)"/;

/** The names of the objects of a call: its key, the ids in its path, and the id of the created object. */
function namesIn({
  exchange: { path, idempotencyKey, status },
  messages,
}: ObservedRequest): readonly string[] {
  const names: string[] = path.match(uuid) ?? [];
  if (idempotencyKey !== undefined) names.push(idempotencyKey);
  const created = status === 201 ? firstId.exec(messages.responseBody ?? "")?.[1] : undefined;
  if (created !== undefined) names.push(copyOf(created));
  return names;
}

/** A substring may keep the whole string in memory; a copy does not. */
function copyOf(text: string): string {
  return JSON.parse(JSON.stringify(text));
}
