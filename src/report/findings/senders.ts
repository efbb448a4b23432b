import type { Seen } from "./seen.ts";

/**
 * One object of a client, more narrowly than `Seen.client`: whatever shares an access token. A test that makes a
 * client of its own exchanges the key anew, and has another. It holds the token: never show it.
 */
export function instanceOf({ client, exchange }: Seen): string {
  return `${client} ${exchange.requestHeaders.get("Authorization") ?? ""}`;
}

/**
 * A client over its whole run, more widely than `Seen.client`: resets and another member's key make no other program
 * of it; another company does, since it may be another tester's. For what only shows over many requests, such as
 * whether it ever retries.
 */
export function programOf({ exchange }: Seen): string {
  return `${exchange.caller?.companyId ?? ""} ${exchange.requestHeaders.get("User-Agent") ?? ""}`;
}
