import QuickLRU from "quick-lru";
import type { ObservedRequest } from "../request.ts";
import { type Report, type Rule, setLatest, type Watch } from "../rule.ts";

const fewestCalls = 10;
/** The number of calls that continue what a call with another token began, which shows that one instance makes them. */
const fewestLinks = 3;
const shown = 6;
/** A token that is used for a second call is used before so many others are exchanged. */
const keptTokens = 1000;

interface Client {
  /** The number of calls, each of them the only one with its token. */
  calls: number;
  /** The number of calls about the same objects as a call with an earlier token that was still valid. */
  links: number;
  /** Some token was used for a second call, as it should be. */
  keepsTokens: boolean;
  latest: Token | undefined;
  readonly requests: ObservedRequest[];
}

interface Token {
  readonly client: Client;
  /** Undefined if the report shows enough of them. */
  readonly exchange: ObservedRequest | undefined;
  readonly expiresAtMs: number;
  /** The token before it had expired or was refused, so the client had to exchange. */
  readonly isDue: boolean;
  isRefused: boolean;
  /** The text of the token's one call; a retry has the same. */
  call: string | undefined;
}

/** Every request is sent with a token of its own. */
export const tokenForEachRequest: Rule = {
  severity: "warn",
  title: "Access token exchanged for each request",
  why: "A token lives about 15 minutes: exchanging for each request doubles the traffic and meets the token endpoint's rate limit first.",
  mend: "Keep the token with its expires_at, share it between requests, and exchange again shortly before it expires.",
  spec: "§5.2",
  watch: () => new TokenUse(),
};

class TokenUse implements Watch {
  readonly #clients = new QuickLRU<string, Client>({ maxSize: 500 });
  readonly #tokens = new QuickLRU<string, Token>({ maxSize: keptTokens });
  /** By client and name: when the latest token expires with which the client used the name. */
  readonly #namedUntilMs = new QuickLRU<string, number>({ maxSize: keptTokens });

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
      exchange: client.requests.length < shown ? request : undefined,
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
    if (token.exchange && client.requests.length < shown) client.requests.push(token.exchange, request);
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
      if (keepsTokens || calls < fewestCalls) continue;
      const isOneInstance = links >= fewestLinks;
      report({
        seen: isOneInstance
          ? `${calls} requests were each sent with an access token of their own`
          : `${calls} requests were each sent with an access token of their own, as short-lived processes do`,
        requests,
        severity: isOneInstance ? "warn" : "info",
      });
    }
  }
}

function newClient(): Client {
  return { calls: 0, links: 0, keepsTokens: false, latest: undefined, requests: [] };
}

/** The client used a token for a second call: it is correct, and its requests need not be kept. */
function stopWatching(client: Client): void {
  client.keepsTokens = true;
  client.latest = undefined;
  client.requests.length = 0;
}

/** A retry is no second call: a client with this mistake may retry with the same token. */
function callOf({ exchange: { method, path, query, idempotencyKey } }: ObservedRequest): string {
  return `${method} ${path}${query} ${idempotencyKey}`;
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** The id of a created object, which begins the response; parsing all of it would take longer. */
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

/** A part of a text may keep the whole text in memory; a copy does not. */
function copyOf(text: string): string {
  return JSON.parse(JSON.stringify(text));
}
