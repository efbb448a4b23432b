import type { Context } from "hono";
import { contractPoints, type PointId } from "../contract/points.ts";
import type { HttpEnv, HttpServices } from "./http-services.ts";

let latestDate: { readonly second: number; readonly text: string } | undefined;

/** The `Date` header by the sandbox's clock, so that a client may hold `expires_at` against it. */
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
  { clock, sandboxHeaders }: HttpServices,
  point: PointId,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): Response {
  const { status, provenance } = contractPoints[point];
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      "Content-Type": "application/json",
      Date: dateHeader(clock.now()),
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
  services.observe?.({
    method: c.req.method,
    path: c.req.path,
    status: contractPoints[point].status,
    point,
    caller: c.get("caller"),
    durationMs: services.clock.ticks() - c.env.startedAt,
    defect,
  });
  return respond(services, point, body, headers);
}
