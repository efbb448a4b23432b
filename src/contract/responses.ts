import * as z from "zod";
import { decidingPoints } from "./decisions.ts";
import { isCardPath, type OperationId, operations } from "./operations.ts";
import { contractPoints, type PointId, type Provenance } from "./points.ts";

/** The card operations' error body (spec §2, CardError). */
export const cardError = z.object({ error: z.string() });
export type CardError = z.output<typeof cardError>;

/**
 * The gateway's error body: specified for 403 (spec §2, Forbidden error body); assumed for 401, for the
 * token endpoints, for unknown routes and for every operation outside `/developer/cards`.
 */
export const gatewayError = z.object({
  success: z.literal(false),
  error: z.object({ code: z.string(), message: z.string() }),
});
export type GatewayError = z.output<typeof gatewayError>;

const pointIds = Object.keys(contractPoints) as PointId[];

/** Errors of the sandbox itself, which the service does not have: an unknown scenario, a defect, a full disk. */
const sandboxErrors: readonly PointId[] = [
  "gateway.scenario_unknown",
  "gateway.internal_error",
  "gateway.unavailable",
  "gateway.cards_unavailable",
  "gateway.not_specified",
];

/** The errors for requests that cannot be read: the journal does not record them, so coverage does not count them. */
export const unreadPoints = [
  "gateway.bad_request",
  "gateway.request_timeout",
  "gateway.content_too_large",
  "gateway.expectation_failed",
  "gateway.headers_too_large",
] as const satisfies readonly PointId[];

export type UnreadPointId = (typeof unreadPoints)[number];

/** Points that decide before the operation is known. */
export const pointsOfNoOperation: readonly PointId[] = [
  ...unreadPoints,
  "gateway.not_found",
  "gateway.method_not_allowed",
];

/** The contract points that decide an operation, without the sandbox's own errors. */
export function pointsOf(id: OperationId): readonly PointId[] {
  return pointIds.filter((point) => decidingPoints(id).has(point));
}

/** The sandbox's own errors that an operation can return. */
export function slipsOf(id: OperationId): readonly PointId[] {
  const { provenance, path } = operations[id];
  const other =
    unavailableAt(path) === "gateway.unavailable" ? "gateway.cards_unavailable" : "gateway.unavailable";
  return sandboxErrors.filter(
    (point) => point !== other && (point !== "gateway.not_specified" || provenance === "assumed"),
  );
}

/** The point of a request if the database cannot be used. Card operations have a 503 body of their own (§7). */
export function unavailableAt(path: string): "gateway.unavailable" | "gateway.cards_unavailable" {
  return isCardPath(path) ? "gateway.cards_unavailable" : "gateway.unavailable";
}

/** Points by status, in ascending order. */
export function byStatus(points: readonly PointId[]): ReadonlyMap<number, readonly PointId[]> {
  const found = new Map<number, PointId[]>();
  const ordered = points.toSorted((a, b) => contractPoints[a].status - contractPoints[b].status);
  for (const point of ordered) {
    const { status } = contractPoints[point];
    found.set(status, [...(found.get(status) ?? []), point]);
  }
  return found;
}

/** The provenance of a response that several points share: `specified` if one of them is. */
export function provenanceOf(points: readonly PointId[]): Provenance {
  const provenances = new Set(points.map((point) => contractPoints[point].provenance));
  if (provenances.has("specified")) return "specified";
  return provenances.size === 1 && provenances.has("variant") ? "variant" : "assumed";
}
