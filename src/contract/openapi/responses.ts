import * as z from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import type { OperationId } from "../operations.ts";
import { type ContractPoint, type ContractPointId, contractPoints } from "../points.ts";
import { byStatus, pointsOf, provenanceOf, sandboxErrorsOf } from "../responses.ts";
import { headersOf } from "./headers.ts";
import { operationTexts } from "./operation-texts.ts";
import { type ResourceName, resources } from "./resources.ts";

/** The bodies of the responses with these points. */
function bodiesOf(points: readonly ContractPointId[], id?: OperationId): readonly ResourceName[] {
  const names = points.map((point): ResourceName => {
    const { code, status }: ContractPoint = contractPoints[point];
    if (status < 300 && id) return operationTexts[id].response;
    return code === undefined ? "CardError" : "GatewayError";
  });
  return [...new Set(names)];
}

/** The schema of a body that is one of these objects. */
export function contentOf(names: readonly ResourceName[]) {
  const schemas: z.ZodType[] = names.map((name) => resources[name].schema);
  return { schema: schemas.reduce((one, other) => z.union([one, other])) };
}

/** A contract point in `x-contract-points`. */
function shownPoint(point: ContractPointId, isSandboxError: boolean) {
  const { title, provenance, spec } = contractPoints[point];
  return { id: point, title, provenance, spec, ...(isSandboxError && { sandbox: true }) };
}

/** The sections of the specification that the points refer to, without duplicates. */
function sectionsOf(points: readonly ContractPointId[]): string {
  const sections = points.flatMap((point) => contractPoints[point].spec.split(", "));
  return [...new Set(sections)].toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })).join(", ");
}

/** The response with one status code, and all contract points that have it. */
export function responseOf(
  status: number,
  points: readonly ContractPointId[],
  sandboxErrors: readonly ContractPointId[] = [],
  id?: OperationId,
): ZodOpenApiResponseObject {
  const all = [...points, ...sandboxErrors];
  const lines = all.map((point) => {
    const { title, provenance, spec } = contractPoints[point];
    return `\`${point}\` (${sandboxErrors.includes(point) ? "sandbox" : provenance}, ${spec}): ${title}`;
  });
  const examples = all.map((point) => [point, { $ref: `#/components/examples/${point}` }]);
  return {
    description: lines.length === 1 ? (lines[0] ?? "") : lines.map((point) => `- ${point}`).join("\n"),
    headers: headersOf(all, status, id),
    content: {
      "application/json": { ...contentOf(bodiesOf(all, id)), examples: Object.fromEntries(examples) },
    },
    ...(points.length > 0
      ? { "x-provenance": provenanceOf(points), "x-spec": sectionsOf(points) }
      : { "x-sandbox": true }),
    "x-contract-points": all.map((point) => shownPoint(point, sandboxErrors.includes(point))),
  };
}

/** All responses of an operation, by status code, including the errors of the sandbox itself. */
export function responsesOf(
  id: OperationId,
): Record<`${1 | 2 | 3 | 4 | 5}${string}`, ZodOpenApiResponseObject> {
  const ofService = byStatus(pointsOf(id));
  const ofSandbox = byStatus(sandboxErrorsOf(id));
  const statuses = [...byStatus([...pointsOf(id), ...sandboxErrorsOf(id)]).keys()];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      responseOf(status, ofService.get(status) ?? [], ofSandbox.get(status) ?? [], id),
    ]),
  );
}
