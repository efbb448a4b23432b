import { isExchange, tokenIssued, tokenSent } from "../access-token.ts";
import { Recent } from "../recent.ts";
import type { Rule } from "../rule.ts";
import type { Seen } from "../seen.ts";

const fewest = 3;
const windowMs = 2000;
/** How long before its expiry a client may exchange a token already. */
const earlyMs = 60_000;
/** A token that was kept while the others of its rush were dropped has served so many calls. */
const survivorsCalls = 5;

interface Token {
  readonly client: Client;
  readonly expiresAtMs: number;
  readonly rush: Rush;
  calls: number;
  /** When the requests were answered that it was refused on. */
  readonly refusedMs: number[];
}

/** As much of a token as is told by it once it is past; the whole would keep all that came before it. */
type Before = Pick<Token, "expiresAtMs" | "calls" | "refusedMs">;

/** Exchanges of one client in quick succession, with no call by what they brought in between. */
interface Rush {
  readonly exchanges: Seen[];
  readonly tokens: Token[];
  firstMs: number;
  /** When the first call with one of the tokens was sent. */
  firstCallMs: number;
  /** What the client used before. */
  before: readonly Before[];
}

interface Client {
  rush: Rush | undefined;
  /** Those of three and more. */
  readonly rushes: Rush[];
  /** The tokens that calls were made with since the latest rush began. */
  readonly used: Set<Token>;
}

/** Requests that find no good token exchange one each, all at once. */
export const auth5: Rule = {
  severity: "warn",
  title: "Rush of exchanges for one client",
  why: "Each time that a token expires, every request under way exchanges for itself: under load the token endpoint is flooded and refuses.",
  mend: "Let one exchange be under way at a time: keep its promise, or a lock, and let all others wait for it.",
  spec: "§5.2",
  watch() {
    const clients = new Recent<string, Client>(1000);
    const tokens = new Recent<string, Token>(tokensKept);

    const issue = (request: Seen) => {
      const issued = tokenIssued(request);
      if (!issued) return;
      tokens.delete(issued.token);
      if (request.muted) return;
      const client = clients.get(request.client) ?? { rush: undefined, rushes: [], used: new Set() };
      clients.set(request.client, client);
      const rush = isOf(client.rush, request) ? client.rush : begin(client, request);
      rush.firstMs = Math.min(rush.firstMs, request.startedMs);
      const { expiresAtMs } = issued;
      const token = { client, expiresAtMs, rush, calls: 0, refusedMs: [] };
      if (rush.exchanges.push(request) === fewest) client.rushes.push(rush);
      rush.tokens.push(token);
      tokens.set(issued.token, token);
    };

    const call = (request: Seen) => {
      const token = tokens.get(tokenSent(request) ?? "");
      if (!token) return;
      if (request.exchange.status === 401) {
        if (token.refusedMs.length < kept) token.refusedMs.push(request.endedMs);
        return;
      }
      token.calls++;
      token.rush.firstCallMs = Math.min(token.rush.firstCallMs, request.startedMs);
      if (token.client.used.size < kept) token.client.used.add(token);
    };

    return {
      see: (request) => (isExchange(request) ? issue(request) : call(request)),
      standing(_moment, found) {
        for (const { rushes } of clients.values()) {
          for (const rush of rushes) {
            const severity = judged(rush);
            if (!severity) continue;
            found({
              seen: `${rush.exchanges.length} access tokens were exchanged within ${windowMs / 1000} s, and all but one were used once or not at all`,
              requests: rush.exchanges.slice(0, shown),
              severity,
            });
          }
        }
      },
    };
  },
};

const kept = 50;
const shown = 5;
const tokensKept = 2000;
const nothing: readonly Before[] = [];

function isOf(rush: Rush | undefined, { startedMs }: Seen): rush is Rush {
  return (
    rush !== undefined &&
    startedMs - rush.firstMs <= windowMs &&
    startedMs < rush.firstCallMs &&
    rush.exchanges.length < kept
  );
}

function begin(client: Client, { startedMs }: Seen): Rush {
  if (client.rush) letGo(client.rush);
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

/** One that ended with too few exchanges is never told of: its tokens are remembered alone, for what is used before the next. */
function letGo(rush: Rush): void {
  if (rush.exchanges.length >= fewest) return;
  rush.exchanges.length = 0;
  rush.tokens.length = 0;
  rush.before = nothing;
}

/**
 * Several instances with one API key exchange at once as well, and each keeps its own token. So one instance shows by
 * what came before, one token that all of them used and that expired, and by what came after, one token alone that
 * is used on.
 */
function judged({ exchanges, tokens, before, firstMs }: Rush): "warn" | "info" | undefined {
  const calls = tokens.map((token) => token.calls).sort((a, b) => b - a);
  const [most = 0, next = 0] = calls;
  if (next > 1) return undefined;
  const [shared, ...others] = before;
  const inTime = shared?.refusedMs.filter((ms) => ms >= firstMs - windowMs && ms <= firstMs + windowMs) ?? [];
  if (others.length === 0 && inTime.length >= fewest) return "warn";
  if (most < survivorsCalls || most < 2 * tokens.length) return undefined;
  const [exchange] = exchanges;
  const isSpent =
    shared !== undefined && exchange !== undefined && shared.expiresAtMs - earlyMs <= exchange.exchange.atMs;
  return isSpent && others.length === 0 && shared.calls > 1 ? "warn" : "info";
}
