import { isExchange, tokenIssued, tokenSent } from "../access-token.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";

const fewestCalls = 10;
/** How many calls go on with what a call under another token began, until it is one instance that makes them. */
const fewestLinks = 3;
const shown = 6;
/** A token that serves a second call does so before so many others were exchanged. */
const tokensKept = 2000;

interface Client {
  /** Calls, each of them the only one with its token. */
  calls: number;
  /** Calls that name what an earlier call named, under another token that was still good. */
  links: number;
  /** Some token served a second call, as tokens are meant to. */
  keepsTokens: boolean;
  latest: Token | undefined;
  readonly requests: Seen[];
}

interface Token {
  readonly client: Client;
  /** Undefined where it is not to be shown. */
  readonly exchange: Seen | undefined;
  readonly expiresAtMs: number;
  /** The one before had expired or was refused: this one was due. */
  readonly isDue: boolean;
  isRefused: boolean;
  /** The one call, as text that is the same for a retry of it. */
  call: string | undefined;
}

/** Every request is sent with a token of its own. */
export const auth3: Rule = {
  severity: "warn",
  title: "Access token exchanged for each request",
  why: "A token lives about 15 minutes: exchanging for each request doubles the traffic and meets the token endpoint's rate limit first.",
  mend: "Keep the token with its expires_at, share it between requests, and exchange again shortly before it expires.",
  spec: "§5.2",
  watch() {
    const clients = new Recent<string, Client>(1000);
    const tokens = new Recent<string, Token>(tokensKept);
    /** When the latest token expires under which a client named something. */
    const namedUntilMs = new Recent<string, number>(tokensKept);

    const issue = (request: Seen) => {
      const issued = tokenIssued(request);
      if (!issued) return;
      tokens.delete(issued.token);
      if (request.muted || request.exchange.scenario !== undefined) return;
      const client = clients.get(request.client) ?? newClient();
      // It does as it should, whatever follows.
      if (client.keepsTokens) return;
      const { latest } = client;
      const isDue = latest !== undefined && (latest.isRefused || latest.expiresAtMs <= request.exchange.atMs);
      const { expiresAtMs } = issued;
      const exchange = client.requests.length < shown ? request : undefined;
      const token = { client, exchange, expiresAtMs, isDue, isRefused: false, call: undefined };
      client.latest = token;
      clients.set(request.client, client);
      tokens.set(issued.token, token);
    };

    const call = (request: Seen) => {
      const token = tokens.get(tokenSent(request) ?? "");
      if (!token) return;
      if (request.exchange.status === 401) token.isRefused = true;
      if (request.muted || token.isRefused || token.isDue) return;
      const { client } = token;
      if (client.keepsTokens) return;
      const asked = askedBy(request);
      if (token.call !== undefined) {
        if (token.call !== asked) keepsTokens(client);
        return;
      }
      token.call = asked;
      client.calls++;
      let isLinked = false;
      for (const name of namesIn(request)) {
        const key = `${request.client} ${name}`;
        const untilMs = namedUntilMs.get(key);
        isLinked ||= untilMs !== undefined && untilMs > request.exchange.atMs;
        namedUntilMs.set(key, token.expiresAtMs);
      }
      if (isLinked) client.links++;
      if (token.exchange && client.requests.length < shown) client.requests.push(token.exchange, request);
    };

    return {
      see: (request) => (isExchange(request) ? issue(request) : call(request)),
      standing(_moment, found) {
        for (const { calls, links, keepsTokens, requests } of clients.values()) {
          if (keepsTokens || calls < fewestCalls) continue;
          const isOneInstance = links >= fewestLinks;
          found({
            seen: isOneInstance
              ? `${calls} requests were each sent with an access token of their own`
              : `${calls} requests were each sent with an access token of their own, as short-lived processes do`,
            requests,
            severity: isOneInstance ? "warn" : "info",
          });
        }
      },
    };
  },
};

function newClient(): Client {
  return { calls: 0, links: 0, keepsTokens: false, latest: undefined, requests: [] };
}

/** Some token served a second call: nothing is to be told of the client, and nothing to be remembered. */
function keepsTokens(client: Client): void {
  client.keepsTokens = true;
  client.latest = undefined;
  client.requests.length = 0;
}

/** A retry is no second use: whoever exchanges for each request may well retry with the same token. */
function askedBy({ exchange: { method, path, query, idempotencyKey } }: Seen): string {
  return `${method} ${path}${query} ${idempotencyKey}`;
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Of what was made, which an answer begins with: to read it whole for that would be waste. */
const firstId = /^{"id":"([^"]+)"/;

/** What a call is about, by which it goes on with another: its key, the ids in its path, and what it made. */
function namesIn(request: Seen): readonly string[] {
  const { path, idempotencyKey, status } = request.exchange;
  const names: string[] = path.match(uuid) ?? [];
  if (idempotencyKey !== undefined) names.push(idempotencyKey);
  const made = status === 201 ? firstId.exec(request.messages.responseBody ?? "")?.[1] : undefined;
  if (made !== undefined) names.push(apart(made));
  return names;
}

/** A copy: what an engine cuts out of a text may keep all of it. */
function apart(text: string): string {
  return JSON.parse(JSON.stringify(text));
}
