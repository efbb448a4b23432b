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

/**
 * What the sandbox alone can answer: a tester's slip, a defect, a disk that is full, what it was started without.
 * Never the contract.
 */
const sandboxSlips: readonly PointId[] = [
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

/** What decides before it is known which operation was meant. */
export const pointsOfNoOperation: readonly PointId[] = [
  ...unreadPoints,
  "gateway.not_found",
  "gateway.method_not_allowed",
];

/** The contract points that decide an operation, without the sandbox's own errors. */
export function pointsOf(id: OperationId): readonly PointId[] {
  return pointIds.filter((point) => decidingPoints(id).has(point));
}

/** The sandbox's own slips that an operation can meet. */
export function slipsOf(id: OperationId): readonly PointId[] {
  const { provenance, path } = operations[id];
  const other =
    unavailableAt(path) === "gateway.unavailable" ? "gateway.cards_unavailable" : "gateway.unavailable";
  return sandboxSlips.filter(
    (point) => point !== other && (point !== "gateway.not_specified" || provenance === "assumed"),
  );
}

/** The point of a path whose database cannot be used: the body of a 503 is the card operations' own (§7). */
export function unavailableAt(path: string): "gateway.unavailable" | "gateway.cards_unavailable" {
  return isCardPath(path) ? "gateway.cards_unavailable" : "gateway.unavailable";
}

/** Points by the status that they answer with, in the statuses' order. */
export function byStatus(points: readonly PointId[]): ReadonlyMap<number, readonly PointId[]> {
  const found = new Map<number, PointId[]>();
  const ordered = points.toSorted((a, b) => contractPoints[a].status - contractPoints[b].status);
  for (const point of ordered) {
    const { status } = contractPoints[point];
    found.set(status, [...(found.get(status) ?? []), point]);
  }
  return found;
}

/** The provenance of an answer to which several points lead: `specified` where the spec says any of it. */
export function provenanceOf(points: readonly PointId[]): Provenance {
  const provenances = new Set(points.map((point) => contractPoints[point].provenance));
  if (provenances.has("specified")) return "specified";
  return provenances.size === 1 && provenances.has("variant") ? "variant" : "assumed";
}
