import type { Context, MiddlewareHandler } from "hono";
import { hashOfSecret } from "../core/random.ts";
import { ControlError } from "./control-error.ts";
import { type Guard, isLoopback } from "./guard.ts";
import { sameBytes } from "./same-bytes.ts";
import { isSignedIn, refuseOtherPages, refuseOtherSites } from "./session.ts";

/** Health is for everyone but the pages of other sites; the guard decides about everything else. */
export function guarded(guard: Guard): MiddlewareHandler {
  if (guard.kind === "open") return (_c, next) => next();
  return (c, next) => {
    if (c.req.path === "/_sandbox/health") {
      refuseWebhooks(c);
      refuseOtherSites(c);
    } else admit(guard, c);
    return next();
  };
}

/**
 * Lets a request on that the guard admits.
 * @throws ControlError 401 where the admin token is missing, 403 where nothing would help
 */
export function admit(guard: Guard, c: Context): void {
  if (guard.kind === "open") return;
  refuseWebhooks(c);
  if (guard.kind === "loopback") refuseForeign(c);
  else demandToken(guard.token, c);
}

/** A webhook is no tester: whoever may subscribe is not to reach this API by one. */
function refuseWebhooks(c: Context): void {
  if (c.req.header("webhook-signature") === undefined) return;
  throw new ControlError(403, "the sandbox's own API takes no webhooks");
}

/** @throws ControlError 403 for a host of elsewhere, or a page of another origin */
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

/** @throws ControlError 401 without the token, 403 where a page of elsewhere uses the cookie */
function demandToken(token: string, c: Context): void {
  const shown = /^bearer +([^ ]+) *$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? "";
  if (isAdminToken(shown, token)) return;
  refuseOtherSites(c);
  if (!isSignedIn(c, token)) {
    throw new ControlError(401, "send the admin token as Authorization: Bearer TOKEN");
  }
  if (c.req.method !== "GET" && c.req.method !== "HEAD") refuseOtherPages(c);
}

/** Whether what was shown is the admin token. */
export function isAdminToken(shown: string, token: string): boolean {
  return sameBytes(hashOfSecret(shown), hashOfSecret(token));
}
