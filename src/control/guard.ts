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

/** Whether a host name leads to this machine: localhost, 127.0.0.0/8, ::1. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.[0-9]{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}
