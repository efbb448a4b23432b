import { type ContractPointId, contractPoints, type ErrorPointId } from "../contract/points.ts";
import type { CardError, GatewayError } from "../contract/responses.ts";
import { type UnreadPointId, unavailableAt } from "../contract/responses.ts";
import { ConnectionLost, type DatabaseUnusable } from "../rules/errors.ts";
import type { HttpServices } from "./context.ts";

export type HeaderFields = Readonly<Record<string, string>>;

/** A response before it is sent. */
export interface ResponseParts {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly text: string;
}

/**
 * Makes every response of the service, with the contract point that decided it. All headers are set at once: Node sends a
 * header that is added later more slowly.
 * @param nowMs - the company's time: a client may compare the `Date` with `expires_at`
 * @param scenario - the scenario that fired
 */
export function makeParts(
  { sandboxHeaders }: Pick<HttpServices, "sandboxHeaders">,
  nowMs: number,
  point: ContractPointId,
  body: unknown,
  headers?: HeaderFields,
  scenario?: string,
): ResponseParts {
  const usual = usualHeaders(nowMs, point, sandboxHeaders);
  const shown = sandboxHeaders && scenario !== undefined ? { "Sandbox-Scenario": scenario } : undefined;
  return {
    status: contractPoints[point].status,
    headers: headers || shown ? { ...usual, ...shown, ...headers } : usual,
    text: shared(JSON.stringify(body)),
  };
}

let latestText = "";

/**
 * Replaces a text that equals the previous one by it. A client that polls a list gets equal texts, and the journal keeps
 * many of them: keeping one string takes a tenth of the time of a page of cards off the garbage collector.
 */
function shared(text: string): string {
  if (text !== latestText) latestText = text;
  return latestText;
}

let latest: { readonly second: number; readonly headers: Map<string, HeaderFields> } | undefined;

/**
 * Responses of one second and one point share their headers. Observers and the journal receive the same object, so it is
 * frozen. Sharing gains 2 % of an order's throughput: the journal keeps many responses for long.
 */
function usualHeaders(nowMs: number, point: ContractPointId, sandboxHeaders: boolean): HeaderFields {
  const second = Math.floor(nowMs / 1000);
  if (latest?.second !== second) latest = { second, headers: new Map() };
  const name = sandboxHeaders ? `${point}; provenance=${contractPoints[point].provenance}` : "";
  let headers = latest.headers.get(name);
  if (!headers) {
    headers = Object.freeze({
      "Content-Type": "application/json",
      Date: new Date(nowMs).toUTCString(),
      ...(sandboxHeaders && { "Sandbox-Contract-Point": name }),
    });
    latest.headers.set(name, headers);
  }
  return headers;
}

export function responseOf({ status, headers, text }: ResponseParts): Response {
  return new Response(text, { status, headers });
}

/** The body of an error: the gateway's envelope if the point has a code, otherwise the CardError (spec §7). */
export function errorBody(point: ErrorPointId, message: string): CardError | GatewayError {
  const { code } = contractPoints[point];
  return code === undefined ? { error: message } : { success: false, error: { code, message } };
}

/** The response to a request that cannot be read, in the gateway's envelope. */
export function malformedRequest(
  services: Pick<HttpServices, "clock" | "sandboxHeaders">,
  point: UnreadPointId = "gateway.bad_request",
  message: string = contractPoints[point].title,
): Response {
  return responseOf(makeParts(services, services.clock.now(), point, errorBody(point, message)));
}

/** The point and the message of a 503. The file and the cause are only in the sandbox's log. */
export function unusableDatabase(path: string, { outcome }: Pick<DatabaseUnusable, "outcome">) {
  const message = `The sandbox cannot use its database. Its log shows the cause. ${outcome}`;
  return { point: unavailableAt(path), message };
}

/**
 * Each 401 has a challenge (RFC 9110 §11.6.1; assumed). That of the API has an error code if an access token was sent. That
 * of the token endpoint has its own realm and no error code: RFC 6750 §3.1 defines these codes for access tokens only, and a
 * client would refresh its token on `invalid_token`.
 */
export function challengeOf(point: ErrorPointId): HeaderFields | undefined {
  const { status, title } = contractPoints[point];
  if (status !== 401) return undefined;
  if (point.startsWith("token.")) return { "WWW-Authenticate": 'Bearer realm="token"' };
  const error = point === "auth.token_missing" ? "" : `, error="invalid_token", error_description="${title}"`;
  return { "WWW-Authenticate": `Bearer realm="developer"${error}` };
}

/** The connection is lost during a response: the client receives the head and half of the body. */
export class TruncatedResponse extends ConnectionLost {
  /** The part that is sent. `Content-Length` is that of the whole body. */
  readonly sent: ResponseParts;

  constructor({ status, headers, text }: ResponseParts) {
    super("empty");
    const length = String(new TextEncoder().encode(text).length);
    this.sent = {
      status,
      headers: { ...headers, "Content-Length": length },
      text: text.slice(0, text.length / 2),
    };
  }
}
