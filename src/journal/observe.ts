import { DatabaseUnusable } from "../rules/errors.ts";
import type { Exchange, Messages } from "./exchange.ts";

/** Told of each exchange, and of what was said in it; it decides nothing. */
export type Observe = (exchange: Exchange, messages: Messages) => void;

/** Tells both, the second also where the first throws. */
export function inTurn(first: Observe, second: Observe | undefined): Observe {
  if (!second) return first;
  return (exchange, messages) => {
    try {
      first(exchange, messages);
    } finally {
      second(exchange, messages);
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
    idempotencyKey: undefined,
    caller: undefined,
    ...(defect instanceof DatabaseUnusable
      ? { point: "gateway.unavailable", status: 503 }
      : { point: "gateway.internal_error", status: 500 }),
    responseHeaders: {},
    scenario: undefined,
    fault: undefined,
    atMs,
    startedMs: 0,
    durationMs: 0,
    abortedMs: undefined,
    defect,
  };
}
