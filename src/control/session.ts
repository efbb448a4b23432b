import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { hashOfSecret, opaqueTokenOf } from "../rules/random.ts";

const cookiePath = "/_sandbox";

/** Browsers send a cookie to every port of a host, so that each sandbox there needs its own name. */
function cookieName(c: Context): string {
  const { port } = new URL(c.req.url);
  return port === "" ? "card_sandbox_session" : `card_sandbox_session_${port}`;
}

/** More browsers than a team has; the oldest session ends when another one starts. */
const mostSessions = 100;

/** The browsers that signed in, in memory: when the sandbox stops, they have to sign in again. */
export class Sessions {
  readonly #drawSecret: () => Uint8Array;
  /** Ends each session when aborted, by the hash of its cookie; the oldest first. */
  readonly #live = new Map<string, AbortController>();

  constructor(drawSecret: () => Uint8Array) {
    this.#drawSecret = drawSecret;
  }

  /** Starts a session until the browser is closed or signs out. Scripts cannot read the cookie; other sites cannot send it. */
  start(c: Context): void {
    this.#end(hashOfCookie(c));
    const [oldest] = this.#live.keys();
    if (oldest !== undefined && this.#live.size >= mostSessions) this.#end(oldest);
    const session = opaqueTokenOf(this.#drawSecret());
    this.#live.set(hashOf(session), new AbortController());
    const secure = new URL(c.req.url).protocol === "https:";
    setCookie(c, cookieName(c), session, { path: cookiePath, httpOnly: true, sameSite: "Strict", secure });
  }

  /** A signal that aborts when the browser's session ends; undefined if it has none. */
  signal(c: Context): AbortSignal | undefined {
    return this.#live.get(hashOfCookie(c))?.signal;
  }

  end(c: Context): void {
    this.#end(hashOfCookie(c));
    deleteCookie(c, cookieName(c), { path: cookiePath });
  }

  #end(hash: string): void {
    this.#live.get(hash)?.abort();
    this.#live.delete(hash);
  }
}

function hashOfCookie(c: Context): string {
  return hashOf(getCookie(c, cookieName(c)) ?? "");
}

/** The time of a look-up by hash reveals nothing about the cookie. */
function hashOf(session: string): string {
  return opaqueTokenOf(hashOfSecret(session));
}
