import type { IdempotencyKey } from "../contract/identifiers.ts";
import type { OperationId } from "../contract/operations.ts";
import type { PointId } from "../contract/points.ts";
import { DatabaseUnusable } from "../rules/errors.ts";
import type { Caller } from "../store/callers.ts";

/** The headers of a request: `Headers`, or an object that reads like it. */
export interface SentHeaders {
  /** Null if the header was not sent; the values of a repeated header are joined. */
  get(name: string): string | null;
  /** Names are in lower case. */
  forEach(each: (value: string, name: string) => void): void;
  /** The characters of all names and values; undefined if they were not counted. */
  readonly characters?: number;
}

/** One request of the service and its response. Paths may hold secrets: mask them before you show them. */
export interface Exchange {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** With its question mark; empty if there is none. */
  readonly query: string;
  /** Undefined if the path and the method belong to no operation. */
  readonly operation: OperationId | undefined;
  readonly idempotencyKey: IdempotencyKey | undefined;
  /** Undefined if the request was refused before its caller was identified. */
  readonly caller: Caller | undefined;
  /** The contract point that decided; undefined if the connection was dropped before that. */
  readonly point: PointId | undefined;
  /** The status as delivered; undefined if no response was. */
  readonly status: number | undefined;
  /** As delivered, without the headers that Node adds; empty if no response was. */
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** The scenario that fired. */
  readonly scenario: string | undefined;
  /** The fault that changed the delivered response, such as `response.reset`. */
  readonly fault: string | undefined;
  /** The time of the response by the company's clock, in milliseconds since the epoch. */
  readonly atMs: number;
  /** The time of arrival, in milliseconds of real time since an arbitrary moment: compare it with other exchanges only. */
  readonly startedMs: number;
  /** In real time. */
  readonly durationMs: number;
  /**
   * When the client closed the connection or aborted the request before the response, in milliseconds as `startedMs`;
   * undefined: it did not. A client that closes only its own side of the connection some time after the request cannot
   * be told apart.
   */
  readonly abortedMs: number | undefined;
  /** The sandbox's own error, if it answered 500 or could not use its database. */
  readonly defect: Error | undefined;
}

/**
 * The headers and bodies of an exchange. They are large and full of secrets, so they are separate from the exchange:
 * code that keeps an exchange drops them.
 */
export interface Messages {
  readonly requestHeaders: SentHeaders;
  /** Undefined if it was not read, or is not text. */
  readonly requestBody: string | undefined;
  /** As delivered, and only as far as it was. */
  readonly responseBody: string | undefined;
}

export const noMessages: Messages = {
  requestHeaders: new Headers(),
  requestBody: undefined,
  responseBody: undefined,
};

/** Called after each response. An observer decides nothing. */
export type Observe = (exchange: Exchange, messages: Messages) => void;

/** Calls both observers, the second even if the first throws. */
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

/** A defect of the sandbox's own API, as an exchange for observers; the journal holds only requests of the service. */
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
