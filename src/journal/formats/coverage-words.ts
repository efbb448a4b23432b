import { type OperationId, operationIds, operations } from "../../contract/operations.ts";
import type { CoverageReport, CoverageTotal, PointCoverage } from "../coverage.ts";

/** Rounded down: 100 % says that nothing is left. */
function percent({ points, met }: CoverageTotal): string {
  return points === 0 ? "–" : `${Math.floor((met * 100) / points)} %`;
}

export function share(total: CoverageTotal): string {
  return `${total.met} of ${total.points} (${percent(total)})`;
}

/** What an operation is called by. */
export function pathOf(id: OperationId): string {
  return `${operations[id].method} ${operations[id].path.replace(/:([a-z]+)/g, "{$1}")}`;
}

export function stateOf({ times, excluded }: PointCoverage): "met" | "not met" | "excluded" {
  if (excluded) return "excluded";
  return times > 0 ? "met" : "not met";
}

/** What the specification says, and no request met. */
export function specifiedNotMet({ points }: CoverageReport): PointCoverage[] {
  return points.filter((point) => point.provenance === "specified" && stateOf(point) === "not met");
}

/** The operations whose requests met a point. */
export function operationsTouched({ by_operation }: CoverageReport): OperationId[] {
  return operationIds.filter((id) => by_operation[id].met > 0);
}
