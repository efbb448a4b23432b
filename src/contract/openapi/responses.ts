import * as z from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import type { Contract } from "../dialect.ts";
import type { OperationId } from "../operations.ts";
import type { ContractPointId, Envelope } from "../points.ts";
import { byStatus, pointsOf, provenanceOf, sandboxErrorsOf } from "../responses.ts";
import { headersOf } from "./headers.ts";
import { operationTexts } from "./operation-texts.ts";
import { type ResourceName, resources } from "./resources.ts";

const bodyOfEnvelope: Readonly<Record<Envelope, ResourceName>> = {
  card: "CardError",
  gateway: "GatewayError",
  oauth: "OAuthError",
  problem: "ProblemDetails",
};

/** The bodies of the responses with these points. */
function bodiesOf(
  { points: all }: Contract,
  points: readonly ContractPointId[],
  id?: OperationId,
): readonly ResourceName[] {
  const names = points.map((point): ResourceName => {
    const { code, status, envelope } = all[point];
    if (status < 300 && id) return operationTexts[id].response;
    return bodyOfEnvelope[envelope ?? (code === undefined ? "card" : "gateway")];
  });
  return [...new Set(names)];
}

/** The schema of a body that is one of these objects. */
export function contentOf(names: readonly ResourceName[]) {
  const schemas: z.ZodType[] = names.map((name) => resources[name].schema);
  return { schema: schemas.reduce((one, other) => z.union([one, other])) };
}

/** A contract point in `x-contract-points`. */
function shownPoint({ points }: Contract, point: ContractPointId, isSandboxError: boolean) {
  const { title, provenance, spec, open } = points[point];
  return {
    id: point,
    title,
    provenance,
    spec,
    // The aspects that the specification leaves open.
    ...(open && { open }),
    ...(isSandboxError && { sandbox: true }),
  };
}

/** The sections of the specification that the points refer to, without duplicates. */
function sectionsOf(contract: Contract, points: readonly ContractPointId[]): string {
  const sections = points.flatMap((point) => contract.points[point].spec.split(", "));
  return [...new Set(sections)].toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })).join(", ");
}

/** The response with one status code, and all contract points that have it. */
export function responseOf(
  contract: Contract,
  status: number,
  points: readonly ContractPointId[],
  sandboxErrors: readonly ContractPointId[] = [],
  id?: OperationId,
): ZodOpenApiResponseObject {
  const all = [...points, ...sandboxErrors];
  const lines = all.map((point) => {
    const { title, provenance, spec } = contract.points[point];
    return `\`${point}\` (${sandboxErrors.includes(point) ? "sandbox" : provenance}, ${spec}): ${title}`;
  });
  const examples = all.map((point) => [point, { $ref: `#/components/examples/${point}` }]);
  const isProblem = ({ envelope }: { envelope?: Envelope }) => envelope === "problem";
  const type = all.every((point) => isProblem(contract.points[point]))
    ? "application/problem+json"
    : "application/json";
  const schemaAndExamples = {
    ...contentOf(bodiesOf(contract, all, id)),
    examples: Object.fromEntries(examples),
  };
  return {
    description: lines.length === 1 ? (lines[0] ?? "") : lines.map((point) => `- ${point}`).join("\n"),
    headers: headersOf(contract, all, status, id),
    ...(status !== 204 && {
      content: {
        [type]: schemaAndExamples,
        // One status can have both media types.
        ...(type === "application/json" &&
          all.some((point) => isProblem(contract.points[point])) && {
            "application/problem+json": schemaAndExamples,
          }),
      },
    }),
    ...(points.length > 0
      ? { "x-provenance": provenanceOf(contract, points), "x-spec": sectionsOf(contract, points) }
      : { "x-sandbox": true }),
    "x-contract-points": all.map((point) => shownPoint(contract, point, sandboxErrors.includes(point))),
  };
}

/** All responses of an operation, by status code, including the errors of the sandbox itself. */
export function responsesOf(
  contract: Contract,
  id: OperationId,
): Record<`${1 | 2 | 3 | 4 | 5}${string}`, ZodOpenApiResponseObject> {
  const ofOperation = pointsOf(id, contract);
  const ofService = byStatus(contract, ofOperation);
  const ofSandbox = byStatus(contract, sandboxErrorsOf(id));
  const statuses = [...byStatus(contract, [...ofOperation, ...sandboxErrorsOf(id)]).keys()];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      responseOf(contract, status, ofService.get(status) ?? [], ofSandbox.get(status) ?? [], id),
    ]),
  );
}
