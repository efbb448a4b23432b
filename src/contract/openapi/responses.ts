import * as z from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import type { OperationId } from "../operations.ts";
import { type ContractPoint, contractPoints, type PointId } from "../points.ts";
import { byStatus, pointsOf, provenanceOf, slipsOf } from "../responses.ts";
import { headersOf } from "./headers.ts";
import { operationTexts } from "./operation-texts.ts";
import { type ResourceName, resources } from "./resources.ts";

/** The bodies of the answers to which these points lead. */
function bodiesOf(points: readonly PointId[], id?: OperationId): readonly ResourceName[] {
  const names = points.map((point): ResourceName => {
    const { code, status }: ContractPoint = contractPoints[point];
    if (status < 300 && id) return operationTexts[id].answers;
    return code === undefined ? "CardError" : "GatewayError";
  });
  return [...new Set(names)];
}

/** A body of one of these objects. */
export function contentOf(names: readonly ResourceName[]) {
  const schemas: z.ZodType[] = names.map((name) => resources[name].schema);
  return { schema: schemas.reduce((one, other) => z.union([one, other])) };
}

/** One contract point as an answer tells of it. */
function shown(point: PointId, isSlip: boolean) {
  const { title, provenance, spec } = contractPoints[point];
  return { id: point, title, provenance, spec, ...(isSlip && { sandbox: true }) };
}

/** The sections of the specification that points stand in, each once. */
function sectionsOf(points: readonly PointId[]): string {
  const sections = points.flatMap((point) => contractPoints[point].spec.split(", "));
  return [...new Set(sections)].toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })).join(", ");
}

/** The answer with one status, and every contract point that leads to it. */
export function responseOf(
  status: number,
  points: readonly PointId[],
  slips: readonly PointId[] = [],
  id?: OperationId,
): ZodOpenApiResponseObject {
  const all = [...points, ...slips];
  const said = all.map((point) => {
    const { title, provenance, spec } = contractPoints[point];
    return `\`${point}\` (${slips.includes(point) ? "sandbox" : provenance}, ${spec}): ${title}`;
  });
  const examples = all.map((point) => [point, { $ref: `#/components/examples/${point}` }]);
  return {
    description: said.length === 1 ? (said[0] ?? "") : said.map((point) => `- ${point}`).join("\n"),
    headers: headersOf(all, status, id),
    content: {
      "application/json": { ...contentOf(bodiesOf(all, id)), examples: Object.fromEntries(examples) },
    },
    ...(points.length > 0
      ? { "x-provenance": provenanceOf(points), "x-spec": sectionsOf(points) }
      : { "x-sandbox": true }),
    "x-contract-points": all.map((point) => shown(point, slips.includes(point))),
  };
}

/** Every answer of an operation by its status: the contract's, and the sandbox's own slips. */
export function responsesOf(
  id: OperationId,
): Record<`${1 | 2 | 3 | 4 | 5}${string}`, ZodOpenApiResponseObject> {
  const slips = byStatus(slipsOf(id));
  const answers = [...byStatus([...pointsOf(id), ...slipsOf(id)])].map(([status, points]) => {
    const own = slips.get(status) ?? [];
    const contract = points.filter((point) => !own.includes(point));
    return [status, responseOf(status, contract, own, id)];
  });
  return Object.fromEntries(answers);
}
