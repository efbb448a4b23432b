import type { Context, MiddlewareHandler } from "hono";
import type { Clock } from "../rules/clock.ts";
import { hashOfSecret } from "../rules/random.ts";
import { ControlError } from "./control-error.ts";
import { type Guard, isLoopback } from "./guard.ts";
import { sameBytes } from "./same-bytes.ts";
import { refuseOtherPages, refuseOtherSites, Sessions } from "./session.ts";

/** Lets requests through to the sandbox's own API and its dashboard, as the guard says. */
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

  /** Health is open to everyone but the pages of other sites; the guard decides about every other path. */
  readonly guarded: MiddlewareHandler = async (c, next) => {
    if (c.req.path !== "/_sandbox/health") await this.admit(c);
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
    else await this.#demandToken(c, guard.token);
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

  /** @throws ControlError 401 without the token, 403 where another site uses the cookie */
  async #demandToken(c: Context, token: string): Promise<void> {
    const shown = /^bearer +([^ ]+) *$/i.exec(c.req.header("Authorization") ?? "")?.[1];
    if (shown !== undefined && isSameSecret(shown, token)) return;
    const isSignedIn = this.#sessions.signal(c) !== undefined;
    // Before any other refusal: a quick one of another kind would reveal that the token is wrong.
    if (shown !== undefined && !isSignedIn) await this.#wrongTokens.delay(c.req.raw.signal);
    refuseOtherSites(c);
    if (!isSignedIn) {
      throw new ControlError(401, "send the admin token as Authorization: Bearer TOKEN");
    }
    if (c.req.method !== "GET" && c.req.method !== "HEAD") refuseOtherPages(c);
  }
}

function isSameSecret(shown: string, token: string): boolean {
  return sameBytes(hashOfSecret(shown), hashOfSecret(token));
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

/** The sandbox itself sends webhooks: a client that may subscribe must not reach this API through one. */
function refuseWebhooks(c: Context): void {
  if (c.req.header("webhook-signature") === undefined) return;
  throw new ControlError(403, "the sandbox's own API takes no webhooks");
}

/** @throws ControlError 403 for a foreign host or a page of another origin */
function refuseForeign(c: Context): void {
  const { hostname, origin: own } = new URL(c.req.url);
  if (!isLoopback(hostname)) {
    throw new ControlError(403, `the sandbox's own API answers to localhost, not to the host ${hostname}`);
  }
  const origin = c.req.header("Origin");
  if (origin !== undefined && (!URL.canParse(origin) || new URL(origin).origin !== own)) {
    throw new ControlError(403, `the sandbox's own API does not answer to pages of ${origin}`);
  }
  refuseOtherSites(c);
}
