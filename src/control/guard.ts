import type { Context, MiddlewareHandler } from "hono";
import { hashOfSecret } from "../core/random.ts";
import { ControlError } from "./control-error.ts";
import { sameBytes } from "./same-bytes.ts";
import { isSignedIn, refuseEmbedding, refuseOtherPages } from "./session.ts";

/**
 * Who may use the sandbox's own API over HTTP. `loopback`: whoever is on this machine, but no web page of
 * elsewhere, by a foreign `Origin` or by a name that was made to lead here (DNS rebinding). `token`: whoever
 * shows the admin token, or the cookie of a browser that signed in with it. `open`: whoever calls, as within a
 * process.
 */
export type Guard =
  | { readonly kind: "open" }
  | { readonly kind: "loopback" }
  | { readonly kind: "token"; readonly token: string };

/** Health is answered to everyone; everything else as the guard says. */
export function guarded(guard: Guard): MiddlewareHandler {
  if (guard.kind === "open") return (_c, next) => next();
  return (c, next) => {
    if (c.req.path === "/_sandbox/health") refuseWebhooks(c);
    else admit(guard, c);
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
  refuseEmbedding(c);
}

/** Whether a host name leads to this machine: localhost, 127.0.0.0/8, ::1. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.[0-9]{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}

/** @throws ControlError 401 without the token, 403 where a page of elsewhere uses the cookie */
function demandToken(token: string, c: Context): void {
  const shown = /^bearer +([^ ]+) *$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? "";
  if (isAdminToken(shown, token)) return;
  if (!isSignedIn(c, token)) {
    throw new ControlError(401, "send the admin token as Authorization: Bearer TOKEN");
  }
  if (c.req.method === "GET" || c.req.method === "HEAD") refuseEmbedding(c);
  else refuseOtherPages(c);
}

/** Whether what was shown is the admin token. */
export function isAdminToken(shown: string, token: string): boolean {
  return sameBytes(hashOfSecret(shown), hashOfSecret(token));
}
