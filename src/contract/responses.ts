import * as z from "zod";
import { decidingPoints } from "./decisions.ts";
import { type Contract, defaultContract } from "./dialect.ts";
import { isCardPath, type OperationId, operations } from "./operations.ts";
import { type ContractPoint, type ContractPointId, contractPoints, type Provenance } from "./points.ts";

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

/** The error body of OAuth 2.0 (RFC 6749 §5.2), which only dialects use. */
export const oauthError = z.object({ error: z.string(), error_description: z.string() });

/** Problem details (RFC 9457), which only dialects use. `code` is an extension member. */
export const problemDetails = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
});

/** The body of an error, in the envelope of its contract point. */
export function errorBody(
  { points, choices }: Pick<Contract, "points" | "choices">,
  id: ContractPointId,
  explanation: string,
): CardError | GatewayError | z.output<typeof oauthError> | z.output<typeof problemDetails> {
  const point = points[id];
  const { status, title, code = "error", envelope = point.code === undefined ? "card" : "gateway" } = point;
  const isConstant = choices["error.messages"] === "constant" && !ownErrors.has(id);
  const message = isConstant ? title : explanation;
  switch (envelope) {
    case "card":
      return { error: message };
    case "gateway":
      return { success: false, error: { code, message } };
    case "oauth":
      return { error: code, error_description: message };
    case "problem":
      return { type: "about:blank", title, status, detail: message, code };
  }
}

/** The errors of the sandbox itself, which say what to do: no dialect changes their messages. */
const ownErrors: ReadonlySet<ContractPointId> = new Set<ContractPointId>([
  "gateway.scenario_unknown",
  "gateway.internal_error",
  "gateway.unavailable",
  "gateway.cards_unavailable",
  "gateway.not_specified",
]);

const pointIds = Object.keys(contractPoints) as ContractPointId[];

/** Errors of the sandbox itself, which the service does not have. Coverage does not count them. */
export const sandboxErrors: readonly ContractPointId[] = [...ownErrors].filter(
  (point) => point !== "gateway.not_specified",
);

/** Errors of requests that cannot be read. The journal does not record them, so coverage does not count them. */
export const unreadPoints = [
  "gateway.bad_request",
  "gateway.request_timeout",
  "gateway.content_too_large",
  "gateway.expectation_failed",
  "gateway.headers_too_large",
] as const satisfies readonly ContractPointId[];

export type UnreadPointId = (typeof unreadPoints)[number];

/** The points that are raised before the operation is known. */
export const pointsOfNoOperation: readonly ContractPointId[] = [
  ...unreadPoints,
  "gateway.not_found",
  "gateway.method_not_allowed",
];

/** The contract points that requests of an operation can meet, without the errors of the sandbox itself. */
export function pointsOf(id: OperationId, { unreachable } = defaultContract): readonly ContractPointId[] {
  return pointIds.filter((point) => decidingPoints(id).has(point) && !unreachable.has(point));
}

/** The errors of the sandbox itself that an operation can return. */
export function sandboxErrorsOf(id: OperationId): readonly ContractPointId[] {
  const { provenance, path } = operations[id];
  const other =
    unavailableAt(path) === "gateway.unavailable" ? "gateway.cards_unavailable" : "gateway.unavailable";
  const errors = sandboxErrors.filter((point) => point !== other);
  return provenance === "assumed" ? [...errors, "gateway.not_specified"] : errors;
}

/** The point of a request if the database cannot be used. Card operations have their own 503 body (§7). */
export function unavailableAt(path: string): "gateway.unavailable" | "gateway.cards_unavailable" {
  return isCardPath(path) ? "gateway.cards_unavailable" : "gateway.unavailable";
}

/** Points by status, in ascending order. */
export function byStatus(
  contract: Contract,
  points: readonly ContractPointId[],
): ReadonlyMap<number, readonly ContractPointId[]> {
  const found = new Map<number, ContractPointId[]>();
  const ordered = points.toSorted((a, b) => contract.points[a].status - contract.points[b].status);
  for (const point of ordered) {
    const { status } = contract.points[point];
    found.set(status, [...(found.get(status) ?? []), point]);
  }
  return found;
}

/**
 * The provenance of a response that several points share: `specified` if one of them is, `variant` or `observed` if all
 * are. A point whose status the spec leaves open does not make the response specified.
 */
export function provenanceOf(contract: Contract, points: readonly ContractPointId[]): Provenance {
  const provenances = new Set(points.map((point) => provenanceOfStatus(contract.points[point])));
  if (provenances.has("specified")) return "specified";
  const [only] = provenances;
  return provenances.size === 1 && only !== undefined ? only : "assumed";
}

function provenanceOfStatus({ provenance, open }: ContractPoint): Provenance {
  return provenance === "specified" && open?.includes("status") ? "assumed" : provenance;
}
