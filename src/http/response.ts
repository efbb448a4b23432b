import { type Contract, defaultContract } from "../contract/dialect.ts";
import type { ContractPoint, ContractPointId, ErrorPointId } from "../contract/points.ts";
import { presented } from "../contract/presentation.ts";
import { errorBody, type UnreadPointId, unavailableAt } from "../contract/responses.ts";
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
 * @param contract - under the dialect of the request's company
 * @param nowMs - the company's time: a client may compare the `Date` with `expires_at`
 * @param scenario - the scenario that fired
 */
export function makeParts(
  { sandboxHeaders }: Pick<HttpServices, "sandboxHeaders">,
  contract: Contract,
  nowMs: number,
  point: ContractPointId,
  body: unknown,
  headers?: HeaderFields,
  scenario?: string,
): ResponseParts {
  const shownPoint = contract.points[point];
  const { status } = shownPoint;
  const usual = usualHeaders(nowMs, point, shownPoint, sandboxHeaders);
  const shown = sandboxHeaders && scenario !== undefined ? { "Sandbox-Scenario": scenario } : undefined;
  return {
    status,
    headers: headers || shown ? { ...usual, ...shown, ...headers } : usual,
    text: status === noContent ? "" : shared(JSON.stringify(presented(contract, point, body))),
  };
}

/** The status of responses without a body (RFC 9110 §15.3.5). */
const noContent = 204;

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

const contentTypes = {
  none: {},
  json: { "Content-Type": "application/json" },
  problem: { "Content-Type": "application/problem+json" },
} as const;

/**
 * Responses of one second and one point share their headers. Observers and the journal receive the same object, so it is
 * frozen. Sharing gains 2 % of an order's throughput: the journal keeps many responses for long.
 */
function usualHeaders(
  nowMs: number,
  point: ContractPointId,
  { status, provenance, envelope }: ContractPoint,
  sandboxHeaders: boolean,
): HeaderFields {
  const second = Math.floor(nowMs / 1000);
  if (latest?.second !== second) latest = { second, headers: new Map() };
  const name = sandboxHeaders ? `${point}; provenance=${provenance}` : "";
  const type = status === noContent ? "none" : envelope === "problem" ? "problem" : "json";
  const key = type === "json" ? name : `${type} ${name}`;
  let headers = latest.headers.get(key);
  if (!headers) {
    headers = Object.freeze({
      ...contentTypes[type],
      Date: new Date(nowMs).toUTCString(),
      ...(sandboxHeaders && { "Sandbox-Contract-Point": name }),
    });
    latest.headers.set(key, headers);
  }
  return headers;
}

export function responseOf({ status, headers, text }: ResponseParts): Response {
  return new Response(status === noContent ? null : text, { status, headers });
}

/** The response to a request that cannot be read. No dialect changes it. */
export function malformedRequest(
  services: Pick<HttpServices, "clock" | "sandboxHeaders">,
  point: UnreadPointId = "gateway.bad_request",
  message: string = defaultContract.points[point].title,
): Response {
  const body = errorBody(defaultContract, point, message);
  return responseOf(makeParts(services, defaultContract, services.clock.now(), point, body));
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
export function challengeOf({ points, choices }: Contract, point: ErrorPointId): HeaderFields | undefined {
  const { status, title } = points[point];
  const challenge = choices["unauthorized.challenge"];
  if (status !== 401 || challenge === "none") return undefined;
  if (point.startsWith("token.")) return { "WWW-Authenticate": 'Bearer realm="token"' };
  const isDescribed = challenge === "described" && point !== "auth.token_missing";
  const error = isDescribed ? `, error="invalid_token", error_description="${title}"` : "";
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
