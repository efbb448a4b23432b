import { DatabaseUnusable } from "../core/errors.ts";
import type { Exchange } from "./exchange.ts";

/** Told of each exchange; it decides nothing. */
export type Observe = (exchange: Exchange) => void;

/** Tells both, the second also where the first throws. */
export function inTurn(first: Observe, second: Observe | undefined): Observe {
  if (!second) return first;
  return (exchange) => {
    try {
      first(exchange);
    } finally {
      second(exchange);
    }
  };
}

/** A defect of the sandbox's own API, for whoever observes; the journal is the service's alone. */
export function controlDefect(defect: Error, method: string, path: string, atMs: number): Exchange {
  return {
    method,
    path,
    query: "",
    operation: undefined,
    requestHeaders: new Headers(),
    requestBody: undefined,
    idempotencyKey: undefined,
    caller: undefined,
    ...(defect instanceof DatabaseUnusable
      ? { point: "gateway.unavailable", status: 503 }
      : { point: "gateway.internal_error", status: 500 }),
    responseHeaders: {},
    responseBody: undefined,
    scenario: undefined,
    fault: undefined,
    atMs,
    startedMs: 0,
    durationMs: 0,
    defect,
  };
}
