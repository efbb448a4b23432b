import type { Context } from "hono";
import { unavailableAt } from "../contract/answers.ts";
import type { Card } from "../contract/card.ts";
import type { CardError, GatewayError } from "../contract/errors.ts";
import { type IdempotencyKey, idempotencyKey } from "../contract/identifiers.ts";
import { type OperationId, operations } from "../contract/operations.ts";
import { contractPoints, type ErrorPointId, type PointId } from "../contract/points.ts";
import type { Exchange } from "../journal/exchange.ts";
import { companyNow } from "../rules/clock.ts";
import { ConnectionLost, DatabaseUnusable } from "../rules/errors.ts";
import { issuerMessages } from "../rules/overlay.ts";
import type { ResponseFaults } from "../scenarios/step.ts";
import { type Answer, AnswerCutOff } from "./answer-cut-off.ts";
import type { HttpEnv, HttpServices } from "./http-services.ts";
import { sentHeader } from "./sent-header.ts";

type HeadersOf = Readonly<Record<string, string>> | undefined;

const pointHeaders = Object.fromEntries(
  Object.entries(contractPoints).map(([point, { provenance }]) => [
    point,
    `${point}; provenance=${provenance}`,
  ]),
) as Record<PointId, string>;

let latestDate: { readonly second: number; readonly text: string } | undefined;

/** The `Date` header by the clock that the company goes by, so that a client may hold `expires_at` against it. */
function dateHeader(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (latestDate?.second !== second) latestDate = { second, text: new Date(nowMs).toUTCString() };
  return latestDate.text;
}

/**
 * Every answer of the service is made here, with the contract point that decided it. All headers are given
 * at once with the body: one set later costs as much as the rest of the request together.
 */
export function answerOf(
  { sandboxHeaders }: HttpServices,
  nowMs: number,
  point: PointId,
  body: unknown,
  headers?: HeadersOf,
  scenario?: string,
): Answer {
  return {
    status: contractPoints[point].status,
    headers: headersOf(dateHeader(nowMs), point, sandboxHeaders, scenario, headers),
    text: JSON.stringify(body),
  };
}

let latestHeaders: {
  readonly date: string;
  readonly ofPoint: Map<string, Readonly<Record<string, string>>>;
} = { date: "", ofPoint: new Map() };

/** Answers of one second and one point have the same headers, and share them: many are kept for long, and none may change. */
function headersOf(
  date: string,
  point: PointId,
  sandboxHeaders: boolean,
  scenario: string | undefined,
  more: HeadersOf,
): Readonly<Record<string, string>> {
  if (latestHeaders.date !== date) latestHeaders = { date, ofPoint: new Map() };
  const name = sandboxHeaders ? pointHeaders[point] : "";
  const isUsual = scenario === undefined && more === undefined;
  const known = isUsual ? latestHeaders.ofPoint.get(name) : undefined;
  if (known) return known;
  const all: Record<string, string> = { "Content-Type": "application/json", Date: date };
  if (sandboxHeaders) all["Sandbox-Contract-Point"] = name;
  if (sandboxHeaders && scenario !== undefined) all["Sandbox-Scenario"] = scenario;
  if (!isUsual) return Object.assign(all, more);
  latestHeaders.ofPoint.set(name, Object.freeze(all));
  return all;
}

/** An answer as it goes out. */
export function responseOf({ status, headers, text }: Answer): Response {
  return new Response(text, { status, headers });
}

/** The body of an error: the gateway's envelope where the point has a code, the CardError elsewhere (spec §7). */
export function errorBody(point: ErrorPointId, message: string): CardError | GatewayError {
  const { code } = contractPoints[point];
  return code === undefined ? { error: message } : { success: false, error: { code, message } };
}

/** The message of a 503 for a database that cannot be used; the file and the cause are in the sandbox's log. */
export function unusableMessage({ outcome }: DatabaseUnusable): string {
  return `The sandbox cannot use its database; its log has the cause. ${outcome}`;
}

/**
 * Answers a request, takes the step of the scenario that decided it, and tells whoever observes.
 * @throws ConnectionLost where a fault takes the answer away
 */
export function answer(
  services: HttpServices,
  c: Context<HttpEnv>,
  point: PointId,
  body: unknown,
  headers?: HeadersOf,
  defect?: Error,
): Response | Promise<Response> {
  const claim = c.get("claim");
  const faults = claim?.settle(point);
  const decided = () => answerOf(services, nowMs(services, c), point, body, headers, claim?.firedScenario);
  const lost = (why: Error) => {
    const at = unavailableAt(c.req.path);
    const message = unusableMessage(
      why instanceof DatabaseUnusable ? why : new DatabaseUnusable(why.message),
    );
    return out(services, c, at, answerOf(services, nowMs(services, c), at, errorBody(at, message)), why);
  };
  if (faults && Object.keys(faults).length > 0) {
    return services.groupCommit.answer(() => deliver(services, c, point, decided, faults), lost);
  }
  const told = decided();
  return services.groupCommit.answer(() => out(services, c, point, told, defect), lost);
}

/**
 * Reports to the request's step claim whether the response shows spending: a card does if it has a spending limit, a
 * list does unless it is empty.
 */
export function reportSpending(c: Context<HttpEnv>, shown: Card | readonly Card[]): void {
  const claim = c.get("claim");
  if (!claim) return;
  claim.showsSpending = "spending_limit" in shown ? shown.spending_limit !== null : shown.length > 0;
}

function out(
  services: HttpServices,
  c: Context<HttpEnv>,
  point: PointId,
  answer: Answer,
  defect?: Error,
): Response {
  tell(services, c, { point, answer, defect });
  return responseOf(answer);
}

/** Delivers an answer as far as the faults let it; what was decided stays decided. */
async function deliver(
  services: HttpServices,
  c: Context<HttpEnv>,
  point: PointId,
  decided: () => Answer,
  { latency_ms, reset, empty, bad_gateway, truncated }: ResponseFaults,
): Promise<Response> {
  if (latency_ms !== undefined) await c.get("claim")?.delay.wait(latency_ms);
  if (reset || empty) {
    const loss = reset ? "reset" : "empty";
    tell(services, c, { point, fault: `response.${loss}` });
    throw new ConnectionLost(loss);
  }
  const delivered = bad_gateway ? badGateway(services, c) : decided();
  if (truncated) {
    const cutOff = new AnswerCutOff(delivered);
    tell(services, c, { point, answer: cutOff.sent, fault: "response.truncated" });
    throw cutOff;
  }
  tell(services, c, {
    point,
    answer: delivered,
    fault: `response.${bad_gateway ? "bad_gateway" : "latency_ms"}`,
  });
  return responseOf(delivered);
}

/** The answer of a gateway that lost the issuer's: the card is made, and the client cannot know (spec §7). */
function badGateway(services: HttpServices, c: Context<HttpEnv>): Answer {
  const ordered = c.get("operation") === "orderPhysicalCard";
  const point = ordered ? "order.issuer_bad_gateway" : "cards.issuer_bad_gateway";
  const body = errorBody(point, issuerMessages.badGateway);
  return answerOf(services, nowMs(services, c), point, body, undefined, c.get("claim")?.firedScenario);
}

/** Tells whoever observes that the connection was dropped before anything was decided. */
export function tellLost(services: HttpServices, c: Context<HttpEnv>, fault: string): void {
  tell(services, c, { fault });
}

function nowMs({ clock }: HttpServices, c: Context<HttpEnv>): number {
  return companyNow(clock, c.get("clockOffsetMs") ?? 0);
}

/** The Idempotency-Key of a request that was refused before it was looked at. */
function sentKey(c: Context<HttpEnv>): IdempotencyKey | undefined {
  const header = sentHeader(c, "Idempotency-Key");
  return header === undefined ? undefined : idempotencyKey.safeParse(header).data;
}

/** The path of most requests is their operation's: that text is kept once, where a part of the URL would keep it all. */
function pathKept(path: string, operation: OperationId | undefined): string {
  const known = operation && operations[operation].path;
  return path === known ? known : path;
}

/** Whoever observes decides nothing: one that throws changes no answer. */
function tell(
  services: HttpServices,
  c: Context<HttpEnv>,
  {
    point,
    answer,
    fault,
    defect,
  }: { point?: PointId; answer?: Answer; fault?: string; defect?: Error | undefined },
): void {
  const { observe, clock } = services;
  const { method, url } = c.req;
  const body = c.get("body");
  const operation = c.get("operation");
  const query = url.indexOf("?");
  const { startedAt, arrived } = c.env;
  const goneMs = arrived?.goneMs();
  try {
    const exchange: Exchange = {
      method,
      path: pathKept(c.req.path, operation),
      query: query < 0 ? "" : url.slice(query),
      operation,
      idempotencyKey: c.get("idempotencyKey") ?? sentKey(c),
      caller: c.get("caller"),
      point,
      status: answer?.status,
      responseHeaders: answer?.headers ?? {},
      scenario: c.get("claim")?.firedScenario,
      fault,
      atMs: nowMs(services, c),
      startedMs: startedAt,
      durationMs: clock.ticks() - startedAt,
      // Some clients end their side of the connection together with the request, and read the response all the same.
      abortedMs: goneMs !== undefined && goneMs > startedAt ? goneMs : undefined,
      defect,
    };
    observe(exchange, {
      requestHeaders: arrived?.headers ?? c.req.raw.headers,
      requestBody: body && "text" in body ? body.text : undefined,
      responseBody: answer?.text,
    });
  } catch {
    // The answer stands, and there is nobody to tell.
  }
}
