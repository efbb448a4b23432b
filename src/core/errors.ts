import type { ErrorPointId } from "../contract/points.ts";

/**
 * A refusal. Whoever decides it names the contract point and tells the caller what failed, why, and what to
 * do; http/on-error.ts alone turns it into a status and a body.
 */
export class SandboxError extends Error {
  readonly point: ErrorPointId;
  /** Response headers that the refusal calls for, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(point: ErrorPointId, message: string, headers?: Readonly<Record<string, string>>) {
    super(message);
    this.name = "SandboxError";
    this.point = point;
    this.headers = headers;
  }
}

/** The sandbox cannot start as it was asked to; the message says why, and what to do, in one line. */
export class SetupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SetupError";
  }
}

/** An answer, before it goes on its way. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** How a connection ends for the client in place of an answer, or in the midst of one. */
export type Loss = "reset" | "empty" | "truncated";

/**
 * The client gets no answer, or the first half of one. It is the `TypeError` with which `fetch` rejects where
 * that happens on a socket, and its cause has the code that a client sees there.
 */
export class ConnectionLost extends TypeError {
  readonly loss: Loss;
  /** The answer of which the client gets the head and half of the body. */
  readonly truncated: Answer | undefined;

  constructor(loss: Loss, truncated?: Answer) {
    const cause =
      loss === "reset" ? ["ECONNRESET", "read ECONNRESET"] : ["UND_ERR_SOCKET", "other side closed"];
    super("fetch failed", { cause: Object.assign(new Error(cause[1]), { code: cause[0] }) });
    this.loss = loss;
    this.truncated = truncated;
  }
}
