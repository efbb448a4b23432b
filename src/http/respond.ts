import type { Card } from "../contract/card.ts";
import { type IdempotencyKey, idempotencyKey } from "../contract/identifiers.ts";
import type { OperationId } from "../contract/operations.ts";
import type { ContractPointId } from "../contract/points.ts";
import { errorBody } from "../contract/responses.ts";
import type { Exchange, Messages } from "../journal/exchange.ts";
import { companyNow } from "../rules/clock.ts";
import { ConnectionLost, DatabaseUnusable, SandboxError } from "../rules/errors.ts";
import { issuerMessages } from "../rules/overlay.ts";
import type { StepClaim } from "../scenarios/claim.ts";
import type { ResponseFaults } from "../scenarios/step.ts";
import type { Caller } from "../store/callers.ts";
import { contractOf, type HttpServices, type RequestContext, sentHeader } from "./context.ts";
import {
  challengeOf,
  type HeaderFields,
  makeParts,
  type ResponseParts,
  responseOf,
  TruncatedResponse,
  unusableDatabase,
} from "./response.ts";
import { claimRefused } from "./watched-request.ts";

/**
 * Responds to a request once its changes are committed, uses the step of the scenario that decided it, and records both.
 * @param defect - the error of the sandbox itself that led to this response
 * @throws ConnectionLost if a fault takes the response away
 */
export function respond(
  services: HttpServices,
  c: RequestContext,
  point: ContractPointId,
  body: unknown,
  headers?: HeaderFields,
  defect?: Error,
): Response | Promise<Response> {
  if (c.get("lostMs") !== undefined) {
    const decidedBody = partsOf(services, c, point, body, headers).text;
    record(services, c, { point, fault: "issuer.disconnect", decidedBody, defect });
    throw new ConnectionLost("reset");
  }
  const refused = claimRefused(services, c);
  if (refused?.step.request.dropped) return dropConnection(services, c, refused);
  const faults = c.get("claim")?.settle(point);
  const onLost = (why: Error) => respondUncommitted(services, c, why);
  if (faults && Object.keys(faults).length > 0) {
    const parts = () => partsOf(services, c, point, body, headers);
    return services.groupCommit.whenCommitted(() => sendFaulty(services, c, point, parts, faults), onLost);
  }
  const parts = partsOf(services, c, point, body, headers);
  return services.groupCommit.whenCommitted(() => send(services, c, { point, parts, defect }), onLost);
}

/** Responds to the error of a check or a route. A lost connection gets no response. */
export function refuse(
  services: HttpServices,
  c: RequestContext,
  thrown: Error,
): Response | Promise<Response> {
  try {
    return respondToError(services, c, thrown);
  } catch (error) {
    // A refusal that a scenario forces uses a step, and storing the step can fail.
    if (error instanceof DatabaseUnusable) return respondToError(services, c, error);
    throw error;
  }
}

function respondToError(
  services: HttpServices,
  c: RequestContext,
  thrown: Error,
): Response | Promise<Response> {
  if (thrown instanceof ConnectionLost) throw thrown;
  if (thrown instanceof SandboxError) {
    const contract = contractOf(services, c);
    const headers = { ...challengeOf(contract, thrown.point), ...thrown.headers };
    const body = errorBody(contract, thrown.point, thrown.message);
    return respond(services, c, thrown.point, body, headers);
  }
  const { point, message } =
    thrown instanceof DatabaseUnusable
      ? unusableDatabase(c.req.path, thrown)
      : ({
          point: "gateway.internal_error",
          message: "The sandbox failed with an internal error. Its log shows the cause.",
        } as const);
  const body = errorBody(contractOf(services, c), point, message);
  return respond(services, c, point, body, undefined, thrown);
}

/** The response if the changes of the request could not be committed: 503. */
function respondUncommitted(services: HttpServices, c: RequestContext, why: Error): Response {
  const unusable = why instanceof DatabaseUnusable ? why : new DatabaseUnusable(why.message);
  const { point, message } = unusableDatabase(c.req.path, unusable);
  const contract = contractOf(services, c);
  const body = errorBody(contract, point, message);
  const parts = makeParts(services, contract, nowMs(services, c), point, body);
  return send(services, c, { point, parts, defect: why });
}

/** Sends a response with its faults. The outcome of the request itself stays the same. */
async function sendFaulty(
  services: HttpServices,
  c: RequestContext,
  point: ContractPointId,
  parts: () => ResponseParts,
  { latency_ms, silent_ms, reset, empty, bad_gateway, truncated }: ResponseFaults,
): Promise<Response> {
  const delay = c.get("claim")?.delay;
  if (latency_ms !== undefined) await delay?.wait(latency_ms);
  const decided = parts();
  const decidedBody = decided.text;
  if (silent_ms !== undefined) {
    if (abortedMs(c) === undefined) await delay?.silence(silent_ms, (end) => c.env.arrived?.onGone(end));
    record(services, c, { point, fault: "response.silent", decidedBody });
    throw new ConnectionLost("reset");
  }
  if (reset || empty) {
    const loss = reset ? "reset" : "empty";
    record(services, c, { point, fault: `response.${loss}`, decidedBody });
    throw new ConnectionLost(loss);
  }
  if (truncated) {
    const response = new TruncatedResponse(bad_gateway ? badGateway(services, c) : decided);
    record(services, c, { point, parts: response.sent, fault: "response.truncated", decidedBody });
    throw response;
  }
  if (!bad_gateway) return send(services, c, { point, parts: decided, fault: "response.latency_ms" });
  return send(services, c, {
    point,
    parts: badGateway(services, c),
    fault: "response.bad_gateway",
    decidedBody,
  });
}

/** The response of a gateway that lost the issuer's response. The card exists, but the client cannot know (spec §7). */
function badGateway(services: HttpServices, c: RequestContext): ResponseParts {
  const isOrder = c.get("operation") === "orderPhysicalCard";
  const point = isOrder ? "order.issuer_bad_gateway" : "cards.issuer_bad_gateway";
  const body = errorBody(contractOf(services, c), point, issuerMessages.badGateway);
  return partsOf(services, c, point, body);
}

function partsOf(
  services: HttpServices,
  c: RequestContext,
  point: ContractPointId,
  body: unknown,
  headers?: HeaderFields,
): ResponseParts {
  const scenario = c.get("claim")?.firedScenario;
  return makeParts(services, contractOf(services, c), nowMs(services, c), point, body, headers, scenario);
}

function nowMs({ clock }: HttpServices, c: RequestContext): number {
  const caller: Caller | undefined = c.get("caller");
  return companyNow(clock, caller?.clockOffsetMs ?? 0);
}

/** Resets the connection, as if the request had never arrived. */
export function dropConnection(
  services: HttpServices,
  c: RequestContext,
  claim: StepClaim,
): Promise<never> | never {
  return resetConnection(services, claim, () => record(services, c, { fault: "request.dropped" }));
}

/**
 * Resets the connection while the issuer works. The request is recorded when its order ends.
 * @param end - waits for the issuer, and responds
 */
export function loseConnection(
  services: HttpServices,
  c: RequestContext,
  claim: StepClaim,
  end: () => Promise<Response>,
): Promise<never> | never {
  return resetConnection(services, claim, () => {
    c.set("lostMs", services.clock.ticks());
    end()
      .catch((error) => refuse(services, c, error))
      // The client is gone.
      .catch(() => {});
  });
}

/** Uses the step of a scenario that resets the connection. */
function resetConnection(
  { groupCommit }: HttpServices,
  claim: StepClaim,
  whenUsed: () => void,
): Promise<never> | never {
  claim.fire();
  return groupCommit.whenCommitted(
    () => {
      whenUsed();
      throw new ConnectionLost("reset");
    },
    (why) => {
      throw why;
    },
  );
}

/** The outcome of a request. */
interface Outcome {
  /** Absent if the connection was dropped before anything was decided. */
  readonly point?: ContractPointId;
  /** The response as it was sent; absent if none was. */
  readonly parts?: ResponseParts;
  /** The fault of the response. */
  readonly fault?: string;
  /** The body that the operation produced, if a fault delivers another one or none. */
  readonly decidedBody?: string | undefined;
  readonly defect?: Error | undefined;
}

function send(
  services: HttpServices,
  c: RequestContext,
  outcome: Outcome & { readonly parts: ResponseParts },
): Response {
  record(services, c, outcome);
  return responseOf(outcome.parts);
}

/** Records a request and its outcome. An observer that throws does not change the response. */
function record(
  services: HttpServices,
  c: RequestContext,
  { point, parts, fault, decidedBody, defect }: Outcome,
): void {
  const { observe, clock } = services;
  const { method, url, path } = c.req;
  const { startedAt, arrived } = c.env;
  const body = c.get("body");
  const operation: OperationId | undefined = c.get("operation");
  const query = url.indexOf("?");
  const exchange: Exchange = {
    method,
    path,
    query: query < 0 ? "" : url.slice(query),
    operation,
    idempotencyKey: c.get("idempotencyKey") ?? sentKey(c),
    caller: c.get("caller"),
    point,
    contract: contractOf(services, c),
    status: parts?.status,
    responseHeaders: parts?.headers ?? {},
    scenario: c.get("claim")?.firedScenario,
    fault,
    atMs: nowMs(services, c),
    startedMs: startedAt,
    durationMs: (c.get("lostMs") ?? clock.ticks()) - startedAt,
    abortedMs: abortedMs(c),
    defect,
  };
  const messages: Messages = {
    requestHeaders: arrived?.headers ?? c.req.raw.headers,
    requestBody: body && "text" in body ? body.text : undefined,
    responseBody: parts?.text,
    decidedBody,
  };
  try {
    c.get("watch")?.ended(exchange, messages);
    observe(exchange, messages);
    c.env.ended?.(exchange, messages, c.get("watch")?.forced);
  } catch {
    // An error of the observer must not change the response.
  }
}

/** When the client closed the connection or aborted the request before the response; undefined: it did not. */
function abortedMs(c: RequestContext): number | undefined {
  const { startedAt, arrived } = c.env;
  const goneMs = arrived?.goneMs();
  const lostMs: number | undefined = c.get("lostMs");
  // Some clients close their side of the connection with the request, and still read the response.
  if (goneMs === undefined || goneMs <= startedAt) return undefined;
  return lostMs !== undefined && goneMs >= lostMs ? undefined : goneMs;
}

/** The Idempotency-Key of a request that was refused before its key was checked. */
function sentKey(c: RequestContext): IdempotencyKey | undefined {
  const header = sentHeader(c, "Idempotency-Key");
  return header === undefined ? undefined : idempotencyKey.safeParse(header).data;
}

/**
 * Reports to the request's step claim whether the response shows spending: a card does if it has a spending limit, a
 * list does unless it is empty.
 */
export function reportSpending(c: RequestContext, shown: Card | readonly Card[]): void {
  const claim = c.get("claim");
  if (!claim) return;
  claim.showsSpending = "spending_limit" in shown ? shown.spending_limit !== null : shown.length > 0;
}
