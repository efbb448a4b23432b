import { type Contract, defaultContract } from "../contract/dialect.ts";
import type { IdempotencyKey } from "../contract/identifiers.ts";
import type { OperationId } from "../contract/operations.ts";
import type { ContractPointId } from "../contract/points.ts";
import { DatabaseUnusable } from "../rules/errors.ts";
import type { AnyScenarioName } from "../scenarios/shipped.ts";
import type { Caller } from "../store/callers.ts";

/** The headers of a request: `Headers`, or an object that reads like it. */
export interface SentHeaders {
  /** Null if the header was not sent; the values of a repeated header are joined. */
  get(name: string): string | null;
  /** Names are in lower case. */
  forEach(each: (value: string, name: string) => void): void;
  /** The number of characters in all names and values; undefined if they were not counted. */
  readonly characters?: number;
}

/** One request to the service and its response. The path may contain secrets: mask it before you show it. */
export interface Exchange {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** With the question mark; empty if the URL has no query. */
  readonly query: string;
  /** Undefined if the path and the method belong to no operation. */
  readonly operation: OperationId | undefined;
  readonly idempotencyKey: IdempotencyKey | undefined;
  /** Undefined if the request was refused before its caller was identified. */
  readonly caller: Caller | undefined;
  /** The contract point of the response; undefined if the connection was dropped before a decision. */
  readonly point: ContractPointId | undefined;
  /** The contract that was in effect, under the dialect of the caller's company. */
  readonly contract: Contract;
  /** The delivered status; undefined if no response was delivered. */
  readonly status: number | undefined;
  /** The delivered headers, without those that Node adds; empty if no response was delivered. */
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** The scenario that fired. */
  readonly scenario: AnyScenarioName | undefined;
  /** The fault that changed the delivered response, such as `response.reset`. */
  readonly fault: string | undefined;
  /** The time of the response by the company's clock, in milliseconds since the epoch. */
  readonly atMs: number;
  /** The time of arrival, in real milliseconds since an arbitrary moment: only compare it with other exchanges. */
  readonly startedMs: number;
  /** Until the response was sent or the connection was lost, in real time. */
  readonly durationMs: number;
  /**
   * When the client closed the connection or aborted the request before the response, in milliseconds as `startedMs`;
   * undefined: it did not. A client that closes only its own side of the connection some time after the request is
   * not recognized.
   */
  readonly abortedMs: number | undefined;
  /** The error if the sandbox failed with 500 or could not use its database. */
  readonly defect: Error | undefined;
}

/**
 * The headers and bodies of an exchange. They are separate from it because they are large and contain secrets: code
 * that keeps an exchange drops them.
 */
export interface Messages {
  readonly requestHeaders: SentHeaders;
  /** Undefined if the body was not read or is not text. */
  readonly requestBody: string | undefined;
  /** The part of the body that was delivered. */
  readonly responseBody: string | undefined;
  /** The body that the operation produced, if a fault delivered another one or none. */
  readonly decidedBody?: string | undefined;
}

export const noMessages: Messages = {
  // An empty `Headers` would make Node load its HTTP client, which takes 10 ms of a start.
  requestHeaders: { get: () => null, forEach() {} },
  requestBody: undefined,
  responseBody: undefined,
};

/** Called after each response; it cannot change the response. */
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

/** A failed request to the control API, as an exchange for observers: the journal only has requests to the service. */
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
    contract: defaultContract,
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
