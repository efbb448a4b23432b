import type { IdempotencyKey } from "../contract/identifiers.ts";
import type { OperationId } from "../contract/operations.ts";
import type { PointId } from "../contract/points.ts";
import type { Caller } from "../store/callers.ts";

/** Headers as they were sent: `Headers`, or what reads as they do. */
export interface SentHeaders {
  /** Null where it was not sent; one that was sent several times is joined. */
  get(name: string): string | null;
  /** Names are in lower case. */
  forEach(each: (value: string, name: string) => void): void;
  /** How many characters the names and values have together; absent if they were not counted. */
  readonly characters?: number;
}

/** What one request of the service was, and what became of it. Paths hold secrets at times: mask what is shown. */
export interface Exchange {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** With its question mark; empty where there is none. */
  readonly query: string;
  /** Undefined where the path and the method are no operation's. */
  readonly operation: OperationId | undefined;
  readonly idempotencyKey: IdempotencyKey | undefined;
  /** Undefined where the request was refused before it was known who calls. */
  readonly caller: Caller | undefined;
  /** What decided; undefined where the connection was dropped before anything did. */
  readonly point: PointId | undefined;
  /** The status as delivered; undefined where no answer was. */
  readonly status: number | undefined;
  /** As delivered, but for what Node adds; empty where no answer was. */
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** The scenario that struck. */
  readonly scenario: string | undefined;
  /** The fault that struck what the transport delivered, such as `response.reset`. */
  readonly fault: string | undefined;
  /** When it was answered, by the clock that the company goes by, in milliseconds since the epoch. */
  readonly atMs: number;
  /** When it arrived, in milliseconds of real time since some moment: only to be held against other exchanges. */
  readonly startedMs: number;
  /** In real time. */
  readonly durationMs: number;
  /**
   * When the client closed the connection or aborted the request before the response, in milliseconds as `startedMs`;
   * undefined: it did not. A client that closes only its own side of the connection some time after the request cannot
   * be told apart.
   */
  readonly abortedMs: number | undefined;
  /** What the sandbox itself did wrong, where it answered 500, or what kept it from its database. */
  readonly defect: Error | undefined;
}

/**
 * What was said in an exchange. It is large and full of secrets: apart from the exchange, which many hold on to, it is
 * let go of by whoever does not show it.
 */
export interface Messages {
  readonly requestHeaders: SentHeaders;
  /** Undefined where it was not read, or is no text. */
  readonly requestBody: string | undefined;
  /** As delivered, and only as far as it was. */
  readonly responseBody: string | undefined;
}

/** What is known of an exchange of which nothing was kept that was said. */
export const noMessages: Messages = {
  requestHeaders: new Headers(),
  requestBody: undefined,
  responseBody: undefined,
};
