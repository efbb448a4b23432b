import type { Context, MiddlewareHandler } from "hono";
import { behaviours } from "../contract/behaviours.ts";
import type { Clock } from "../rules/clock.ts";
import { hashOfSecret } from "../rules/random.ts";
import { ControlError } from "./errors.ts";
import { Sessions } from "./session.ts";

/**
 * Who may use the control API over HTTP. `loopback`: programs on this machine, but no web page of another origin, even
 * if its host name resolves to this machine (DNS rebinding). `token`: clients that send the admin token, and browsers
 * that signed in with it. `open`: everyone; for use within a process.
 */
export type Guard =
  | { readonly kind: "open" }
  | { readonly kind: "loopback" }
  | { readonly kind: "token"; readonly token: string };

/** Whether a host name is localhost, 127.0.0.0/8 or ::1. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.[0-9]{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}

/** They need no admin token, and show nothing that is secret. */
const openPaths = ["/_sandbox/health", "/_sandbox/openapi.json"];

/**
 * Admits requests to the control API and its dashboard, by the rules of the guard.
 * @internal
 */
export class Gate {
  readonly guard: Guard;
  readonly #sessions: Sessions;
  readonly #wrongTokens: WrongTokens;

  /**
   * @param clock - real time
   * @param drawSecret - draws 32 bytes that nobody can predict
   */
  constructor(guard: Guard, clock: Clock, drawSecret: () => Uint8Array) {
    this.guard = guard;
    this.#sessions = new Sessions(drawSecret);
    this.#wrongTokens = new WrongTokens(clock);
  }

  /** The guard decides about every path but the open ones, which refuse only pages of other sites. */
  readonly guarded: MiddlewareHandler = async (c, next) => {
    if (!openPaths.includes(c.req.path)) await this.admit(c);
    else if (this.guard.kind !== "open") {
      refuseWebhooks(c);
      refuseOtherSites(c);
    }
    await next();
  };

  /**
   * Returns if the guard admits the request.
   * @throws ControlError 401 if the admin token is missing or wrong, 403 if the request is refused with any token
   */
  async admit(c: Context): Promise<void> {
    const { guard } = this;
    if (guard.kind === "open") return;
    refuseWebhooks(c);
    if (guard.kind === "loopback") refuseForeign(c);
    else await this.#requireToken(c, guard.token);
  }

  /** Whether the guard admits the request. */
  async isAdmitted(c: Context): Promise<boolean> {
    try {
      await this.admit(c);
      return true;
    } catch (error) {
      if (error instanceof ControlError) return false;
      throw error;
    }
  }

  /**
   * Starts a session for a browser that sent the admin token.
   * @returns whether the token was right
   */
  async signIn(c: Context, token: string): Promise<boolean> {
    if (this.guard.kind !== "token") return false;
    if (!isSameSecret(token, this.guard.token)) {
      await this.#wrongTokens.delay(c.req.raw.signal);
      return false;
    }
    this.#sessions.start(c);
    return true;
  }

  /** Ends the browser's session; its cookie is invalid from then on. */
  signOut(c: Context): void {
    this.#sessions.end(c);
  }

  /** A signal that aborts with the request, or when the session that admitted it ends. */
  signalOf(c: Context): AbortSignal {
    const session = this.#sessions.signal(c);
    return session ? AbortSignal.any([c.req.raw.signal, session]) : c.req.raw.signal;
  }

  /** @throws ControlError 401 without the token, 403 if another site uses the cookie */
  async #requireToken(c: Context, token: string): Promise<void> {
    const sent = /^bearer +([^ ]+) *$/i.exec(c.req.header("Authorization") ?? "")?.[1];
    if (sent !== undefined && isSameSecret(sent, token)) return;
    const isSignedIn = this.#sessions.signal(c) !== undefined;
    // Before any other refusal: a quick one of another kind would reveal that the token is wrong.
    if (sent !== undefined && !isSignedIn) await this.#wrongTokens.delay(c.req.raw.signal);
    refuseOtherSites(c);
    if (!isSignedIn) {
      throw new ControlError(
        401,
        'Authorization: must be "Bearer ADMIN_TOKEN" with the admin token of the sandbox',
      );
    }
    if (c.req.method !== "GET" && c.req.method !== "HEAD") refuseOtherPages(c);
  }
}

function isSameSecret(sent: string, token: string): boolean {
  return sameBytes(hashOfSecret(sent), hashOfSecret(token));
}

/** Compares in a time that does not depend on where the bytes differ. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (const [i, byte] of a.entries()) difference |= byte ^ (b[i] ?? 0);
  return difference === 0;
}

/** How many wrong tokens in a row are refused without delay. */
const freeTries = 5;
/** The interval after which one more is refused without delay. */
const intervalMs = 1000;
/** Below the five seconds that the command line waits for a response. */
const longestDelayMs = 3000;

/**
 * Slows down guessing of the admin token: after five wrong ones each further one is refused a second later than the one
 * before, but at most three seconds after it arrived. All clients count together, since an attacker can have many
 * addresses. The right token is never delayed.
 */
class WrongTokens {
  readonly #clock: Clock;
  /** When the latest refusal is due, by the clock's ticks. */
  #dueMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param signal - the request's; once it is aborted, the delay ends */
  async delay(signal: AbortSignal): Promise<void> {
    const now = this.#clock.ticks();
    const earliest = Math.max(this.#dueMs, now - freeTries * intervalMs) + intervalMs;
    this.#dueMs = Math.min(earliest, now + longestDelayMs);
    const ms = this.#dueMs - now;
    if (ms <= 0) return;
    await new Promise<void>((over) => {
      const cancel = this.#clock.after(ms, over);
      signal.addEventListener("abort", () => {
        cancel();
        over();
      });
    });
  }
}

/** The sandbox itself sends webhooks: a client that may subscribe must not reach the control API through one. */
function refuseWebhooks(c: Context): void {
  const prefixes = behaviours["webhooks.header_names"].alternatives;
  if (prefixes.every(({ id }) => c.req.header(`${id}-signature`) === undefined)) return;
  throw new ControlError(
    403,
    "the control API refuses webhook deliveries. Use a webhook URL that does not point to /_sandbox.",
  );
}

/** @throws ControlError 403 for a foreign host or a page of another origin */
function refuseForeign(c: Context): void {
  const { hostname, origin: own } = new URL(c.req.url);
  if (!isLoopback(hostname)) {
    throw new ControlError(
      403,
      `the control API accepts requests to localhost only, not to ${hostname}. Use http://localhost, or start the sandbox with an admin token.`,
    );
  }
  const origin = c.req.header("Origin");
  if (origin !== undefined && (!URL.canParse(origin) || new URL(origin).origin !== own)) {
    throw new ControlError(403, `the control API does not accept requests from web pages of ${origin}`);
  }
  refuseOtherSites(c);
}

/**
 * Refuses requests that another site makes a browser send. Such a request need not carry `Origin`: links, images,
 * frames and event streams do not. `same-site` counts as another site, because each port of localhost may belong to
 * another program. Hono's `csrf` does not fit: it lets all GET requests and JSON bodies pass.
 * @throws ControlError 403
 * @internal
 */
export function refuseOtherSites(c: Context): void {
  const origin = c.req.header("Origin");
  const site = c.req.header("Sec-Fetch-Site") ?? "none";
  const isOwnSite = site === "same-origin" || site === "none";
  if ((origin === undefined || isOwnHost(c, origin)) && (isOwnSite || isLinkToStartPage(c))) return;
  throw new ControlError(
    403,
    "the control API and the dashboard refuse requests from other sites. Other sites can link only to /_sandbox/ui. To open another URL, type it into the address bar of the browser.",
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

/** Compares hosts only: behind a proxy that terminates TLS, the page has another scheme. */
function isOwnHost(c: Context, origin: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === new URL(c.req.url).host;
}

/**
 * Refuses forms of other pages. Browsers send a SameSite cookie also from other ports of this host; they name the page
 * in `Sec-Fetch-Site`, or in `Origin` on unencrypted connections.
 * @throws ControlError 403
 * @internal
 */
export function refuseOtherPages(c: Context): void {
  const site = c.req.header("Sec-Fetch-Site");
  const isOwn = site === undefined ? isOwnHost(c, c.req.header("Origin") ?? "") : site === "same-origin";
  if (isOwn) return;
  throw new ControlError(
    403,
    "only pages of the dashboard can send this request. Open /_sandbox/ui and send it there.",
  );
}
