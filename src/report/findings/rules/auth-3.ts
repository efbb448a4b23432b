import { isExchange, tokenIssued, tokenSent } from "../access-token.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";

const fewestCalls = 10;
/** How many calls go on with what a call under another token began, until it is one instance that makes them. */
const fewestLinks = 3;

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
  readonly exchange: Seen;
  readonly expiresAtMs: number;
  /** The one before had expired or was refused: this one was due. */
  readonly isDue: boolean;
  isRefused: boolean;
  call: Seen | undefined;
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
    const tokens = new Recent<string, Token>();
    const namedUnder = new Recent<string, Token>();

    const issue = (request: Seen) => {
      const issued = tokenIssued(request);
      if (!issued) return;
      tokens.delete(issued.token);
      if (request.muted || request.exchange.scenario !== undefined) return;
      const client = clients.get(request.client) ?? newClient();
      const { latest } = client;
      const isDue = latest !== undefined && (latest.isRefused || latest.expiresAtMs <= request.exchange.atMs);
      const { expiresAtMs } = issued;
      const token = { client, exchange: request, expiresAtMs, isDue, isRefused: false, call: undefined };
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
      if (token.call) {
        client.keepsTokens ||= !isSameAgain(token.call, request);
        return;
      }
      token.call = request;
      client.calls++;
      let isLinked = false;
      for (const name of namesIn(request)) {
        const key = `${request.client} ${name}`;
        const before = namedUnder.get(key);
        isLinked ||= before !== undefined && before.expiresAtMs > request.exchange.atMs;
        namedUnder.set(key, token);
      }
      if (isLinked) client.links++;
      if (client.requests.length < 6) client.requests.push(token.exchange, request);
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

/** A retry is no second use: whoever exchanges for each request may well retry with the same token. */
function isSameAgain({ exchange: before }: Seen, { exchange: now }: Seen): boolean {
  return (
    before.method === now.method &&
    before.path === now.path &&
    before.query === now.query &&
    before.idempotencyKey === now.idempotencyKey
  );
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Of what was made, which an answer begins with: to read it whole for that would be waste. */
const firstId = /^{"id":"([^"]+)"/;

/** What a call is about, by which it goes on with another: its key, the ids in its path, and what it made. */
function namesIn(request: Seen): readonly string[] {
  const { path, idempotencyKey, status, responseBody } = request.exchange;
  const names: string[] = path.match(uuid) ?? [];
  if (idempotencyKey !== undefined) names.push(idempotencyKey);
  const made = status === 201 ? firstId.exec(responseBody ?? "")?.[1] : undefined;
  return made === undefined ? names : [...names, made];
}
