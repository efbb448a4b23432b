import type { Context } from "hono";
import { contractPoints, type PointId } from "../contract/points.ts";
import type { HttpEnv, HttpServices } from "./http-services.ts";

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
export function respond(
  { sandboxHeaders }: HttpServices,
  nowMs: number,
  point: PointId,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): Response {
  const { status, provenance } = contractPoints[point];
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      "Content-Type": "application/json",
      Date: dateHeader(nowMs),
      ...(sandboxHeaders && { "Sandbox-Contract-Point": `${point}; provenance=${provenance}` }),
      ...headers,
    },
  });
}

/** Answers a request, and tells whoever observes. */
export function answer(
  services: HttpServices,
  c: Context<HttpEnv>,
  point: PointId,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
  defect?: Error,
): Response {
  if (services.observe) tell(services.observe, services, c, point, defect);
  const nowMs = services.clock.now() + (c.get("clockOffsetMs") ?? 0);
  return respond(services, nowMs, point, body, headers);
}

/** Whoever observes decides nothing: one that throws changes no answer. */
function tell(
  observe: NonNullable<HttpServices["observe"]>,
  { clock }: HttpServices,
  c: Context<HttpEnv>,
  point: PointId,
  defect: Error | undefined,
): void {
  try {
    observe({
      method: c.req.method,
      path: c.req.path,
      status: contractPoints[point].status,
      point,
      caller: c.get("caller"),
      durationMs: clock.ticks() - c.env.startedAt,
      defect,
    });
  } catch {
    // The answer stands, and there is nobody to tell.
  }
}
