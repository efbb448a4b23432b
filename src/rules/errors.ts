import type { ErrorPointId } from "../contract/points.ts";
import { maskSecrets } from "./api-key.ts";

/** The most bytes of the start and of the end of a message, so that no error's body exceeds 4 KB. */
const most = { start: 2000, end: 500 };

/**
 * Cuts the middle out of a message that is too long, such as one that quotes a long value. The end stays, because it
 * says what to do next.
 */
export function shortened(message: string): string {
  if (message.length * mostOfCharacter <= most.start + most.end) return message;
  let start = 0;
  for (let bytes = 0; bytes <= most.start && start < message.length; start++)
    bytes += bytesAt(message, start);
  let end = message.length;
  for (let bytes = 0; bytes <= most.end && end > start; end--) bytes += bytesAt(message, end - 1);
  return end <= start ? message : `${message.slice(0, start)} … ${message.slice(end)}`.toWellFormed();
}

/** The most bytes that a character takes in JSON or in HTML. */
const mostOfCharacter = 6;

function bytesAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  const isEscaped = code < 0x20 || (code >= 0xd800 && code < 0xe000) || "\"&'<>\\".includes(text.charAt(at));
  if (isEscaped) return mostOfCharacter;
  return code < 0x80 ? 1 : 3;
}

/** Quotes a value in a message, cut to 100 characters. Callers in a test process may pass values of other types. */
export function quoted(value: string): string {
  return JSON.stringify(typeof value === "string" && value.length > 100 ? `${value.slice(0, 100)}…` : value);
}

/**
 * An error response of the service. The message says what failed, why, and what to do. Only http/respond.ts turns the
 * contract point into a status and a body. Secrets in the message are masked, because clients log it.
 */
export class SandboxError extends Error {
  readonly point: ErrorPointId;
  /** Response headers that belong to the error, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(point: ErrorPointId, message: string, headers?: Readonly<Record<string, string>>) {
    super(shortened(maskSecrets(message)));
    this.name = "SandboxError";
    this.point = point;
    this.headers = headers;
  }
}

/** The sandbox cannot start with these options. The message says why and what to do, in one line. */
export class SetupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SetupError";
  }
}

/** A valid request to start or call a sandbox that fails because of its environment: a port is in use, nothing responds. */
export class CouldNotRun extends SetupError {}

/**
 * The database cannot be used: its disk is full, or its file may no longer be written or is damaged. The message is
 * for the operator: in one line it names the file and says what to do.
 */
export class DatabaseUnusable extends Error {
  /** For the client: whether the change was made, if that is known, and what to do. */
  readonly outcome: string;

  /** @param options - `isUnchanged`: it is certain that nothing was changed; a failed commit may still be kept */
  constructor(message: string, options: ErrorOptions & { readonly isUnchanged?: boolean } = {}) {
    super(message, options);
    this.name = "DatabaseUnusable";
    const certainty = options.isUnchanged
      ? "The request changed nothing"
      : "The outcome of this request is unknown: its change may have been saved";
    this.outcome = `${certainty}. Retry later. If the operation takes an Idempotency-Key, send the same key.`;
  }
}

/**
 * The client gets no response: its connection is reset, or closes without a byte. It is the `TypeError` with which
 * `fetch` rejects if that happens on a socket, and its cause has the same code.
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

/** A simulation that is refused: something in it does not exist, the state forbids it, or the request is invalid. */
export class SimulationRefused extends Error {
  readonly reason: "unknown" | "conflict" | "invalid";

  constructor(reason: SimulationRefused["reason"], message: string) {
    super(message);
    this.name = "SimulationRefused";
    this.reason = reason;
  }
}
