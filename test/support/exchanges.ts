import type { Exchange } from "../../src/report/exchange.ts";

let latest: Exchange | undefined;

/** Every exchange of a test's sandboxes comes by here. */
export function cameBy(exchange: Exchange): void {
  latest = exchange;
}

/** What a test's sandbox answered last. */
export function latestExchange(): Exchange | undefined {
  return latest;
}
