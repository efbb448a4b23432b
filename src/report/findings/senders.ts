import type { Seen } from "./seen.ts";

/**
 * One object of a client, more narrowly than `Seen.client`: whatever shares an access token. A test that makes a
 * client of its own exchanges the key anew, and has another. It holds the token: never show it.
 */
export function instanceOf({ client, authorization }: Seen): string {
  return `${client} ${authorization}`;
}

/**
 * A client over its whole run, more widely than `Seen.client`: neither a reset, nor another key, nor a company of each
 * test's own makes another program of it. For what only shows over many requests, such as whether it ever retries.
 */
export function programOf({ userAgent }: Seen): string {
  return userAgent;
}
