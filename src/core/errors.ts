import type { ErrorPointId } from "../contract/points.ts";
import { maskSecrets } from "./api-key.ts";

/**
 * A refusal. Whoever decides it names the contract point and tells the caller what failed, why, and what to
 * do; http/on-error.ts alone turns it into a status and a body. Clients log it, so that secrets are masked in it.
 */
export class SandboxError extends Error {
  readonly point: ErrorPointId;
  /** Response headers that the refusal calls for, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(point: ErrorPointId, message: string, headers?: Readonly<Record<string, string>>) {
    super(maskSecrets(message));
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

/**
 * The database cannot be used: its disk is full, its file may no longer be written or is damaged. What was to be
 * changed is not; the message names the file and says what to do, in one line, and is the operator's to read.
 */
export class DatabaseUnusable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DatabaseUnusable";
  }
}

/**
 * The client gets no answer: its connection is reset, or closes without a byte. It is the `TypeError` with which
 * `fetch` rejects where that happens on a socket, and its cause has the code that a client sees there.
 */
export class ConnectionLost extends TypeError {
  readonly loss: "reset" | "empty";

  constructor(loss: "reset" | "empty") {
    const [code, message] =
      loss === "reset" ? ["ECONNRESET", "read ECONNRESET"] : ["UND_ERR_SOCKET", "other side closed"];
    super("fetch failed", { cause: Object.assign(new Error(message), { code }) });
    this.loss = loss;
  }
}

/** What a tester asked to happen cannot: it names nothing, the state forbids it, or the request does not fit. */
export class SimulationRefused extends Error {
  readonly reason: "unknown" | "conflict" | "invalid";

  constructor(reason: SimulationRefused["reason"], message: string) {
    super(message);
    this.name = "SimulationRefused";
    this.reason = reason;
  }
}
