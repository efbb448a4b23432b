import type { Exchange, Messages } from "../../src/journal/exchange.ts";

/** An exchange with what was said in it. */
export type Observed = Exchange & Messages;

let latest: Observed | undefined;

/** Every exchange of a test's sandboxes comes by here. */
export function cameBy(exchange: Observed): void {
  latest = exchange;
}

/** What a test's sandbox answered last. */
export function latestExchange(): Observed | undefined {
  return latest;
}
