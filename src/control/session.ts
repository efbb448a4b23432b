import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { hashOfSecret, opaqueTokenOf } from "../rules/random.ts";
import { ControlError } from "./control-error.ts";

/** What a browser that signed in shows in the admin token's place. */
const cookieName = "card_sandbox_session";

/** Browsers send a cookie to every port of a host, so that each sandbox there has one of its own. */
function cookieOf(c: Context): string {
  const { port } = new URL(c.req.url);
  return port === "" ? cookieName : `${cookieName}_${port}`;
}

const path = "/_sandbox";

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
    this.#end(keptOf(c));
    const [oldest] = this.#live.keys();
    if (oldest !== undefined && this.#live.size >= mostSessions) this.#end(oldest);
    const session = opaqueTokenOf(this.#drawSecret());
    this.#live.set(hashOf(session), new AbortController());
    const secure = new URL(c.req.url).protocol === "https:";
    setCookie(c, cookieOf(c), session, { path, httpOnly: true, sameSite: "Strict", secure });
  }

  /** A signal that aborts when the browser's session ends; undefined if it has none. */
  signal(c: Context): AbortSignal | undefined {
    return this.#live.get(keptOf(c))?.signal;
  }

  end(c: Context): void {
    this.#end(keptOf(c));
    deleteCookie(c, cookieOf(c), { path });
  }

  #end(kept: string): void {
    this.#live.get(kept)?.abort();
    this.#live.delete(kept);
  }
}

function keptOf(c: Context): string {
  return hashOf(getCookie(c, cookieOf(c)) ?? "");
}

/** The time of a look-up by hash reveals nothing about the cookie. */
function hashOf(session: string): string {
  return opaqueTokenOf(hashOfSecret(session));
}

/**
 * Refuses requests that another site makes a browser send. Such a request need not carry `Origin`: links, images,
 * frames and event streams do not. `same-site` counts as another site, because each port of localhost may belong to
 * another program.
 * @throws ControlError 403
 */
export function refuseOtherSites(c: Context): void {
  const origin = c.req.header("Origin");
  const site = c.req.header("Sec-Fetch-Site") ?? "none";
  const isOwnSite = site === "same-origin" || site === "none";
  if ((origin === undefined || isOwnHost(c, origin)) && (isOwnSite || isLinkToStartPage(c))) return;
  throw new ControlError(
    403,
    "the sandbox's own API and pages refuse requests from other sites: links may point to /_sandbox/ui only; type any other address into the browser's address bar",
  );
}

/** The sign-in page is included because the start page redirects there. */
function isLinkToStartPage(c: Context): boolean {
  const { pathname, search } = new URL(c.req.url);
  return (
    (c.req.method === "GET" || c.req.method === "HEAD") &&
    c.req.header("Sec-Fetch-Mode") === "navigate" &&
    c.req.header("Sec-Fetch-Dest") === "document" &&
    ((/^\/_sandbox\/ui\/?$/.test(pathname) && search === "") || pathname === "/_sandbox/ui/sign-in")
  );
}

/** By host alone: before a proxy that speaks TLS a page has another scheme. */
function isOwnHost(c: Context, origin: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === new URL(c.req.url).host;
}

/**
 * Refuses what another page has a browser send. A cookie that is SameSite still comes along from another port of
 * this host; browsers say which page it was by `Sec-Fetch-Site`, and by `Origin` where a name is served unencrypted.
 * @throws ControlError 403
 */
export function refuseOtherPages(c: Context): void {
  const site = c.req.header("Sec-Fetch-Site");
  const isOwn = site === undefined ? isOwnHost(c, c.req.header("Origin") ?? "") : site === "same-origin";
  if (isOwn) return;
  throw new ControlError(
    403,
    "only the sandbox's own pages may send this: open /_sandbox/ui, and send it there",
  );
}
