import type { MiddlewareHandler } from "hono";
import { hashOfSecret } from "../core/random.ts";
import { ControlError } from "./control-error.ts";

/**
 * Who may use the sandbox's own API over HTTP. `loopback`: whoever is on this machine, but no web page of
 * elsewhere, by a foreign `Origin` or by a name that was made to lead here (DNS rebinding). `token`: whoever
 * shows the admin token. `open`: whoever calls, as within a process.
 */
export type Guard =
  | { readonly kind: "open" }
  | { readonly kind: "loopback" }
  | { readonly kind: "token"; readonly token: string };

/** Health is answered to everyone; everything else as the guard says. */
export function guarded(guard: Guard): MiddlewareHandler {
  if (guard.kind === "open") return (_c, next) => next();
  const admit = guard.kind === "loopback" ? refuseForeign : demandToken(guard.token);
  return (c, next) => {
    // A webhook is no tester: whoever may subscribe is not to reach this API by one.
    if (c.req.header("webhook-signature") !== undefined) {
      throw new ControlError(403, "the sandbox's own API takes no webhooks");
    }
    if (c.req.path !== "/_sandbox/health") admit((name) => c.req.header(name), new URL(c.req.url));
    return next();
  };
}

type HeaderOf = (name: string) => string | undefined;

function refuseForeign(header: HeaderOf, { hostname, host }: URL): void {
  if (!isLoopback(hostname)) {
    throw new ControlError(403, `the sandbox's own API answers to localhost, not to the host ${hostname}`);
  }
  const origin = header("Origin");
  if (origin === undefined) return;
  if (!URL.canParse(origin) || new URL(origin).host !== host) {
    throw new ControlError(403, `the sandbox's own API does not answer to pages of ${origin}`);
  }
}

/** Whether a host name leads to this machine: localhost, 127.0.0.0/8, ::1. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.[0-9]{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}

function demandToken(token: string): (header: HeaderOf) => void {
  const expected = hashOfSecret(token);
  return (header) => {
    const shown = /^bearer +([^ ]+) *$/i.exec(header("Authorization") ?? "")?.[1] ?? "";
    if (!sameBytes(hashOfSecret(shown), expected)) {
      throw new ControlError(401, "send the admin token as Authorization: Bearer TOKEN");
    }
  };
}

/** Compares in a time that does not tell where they differ. */
function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (const [i, byte] of a.entries()) difference |= byte ^ (b[i] ?? 0);
  return difference === 0;
}
