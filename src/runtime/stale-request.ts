import type { OperationId } from "../contract/operations.ts";
import type { ErrorPointId } from "../contract/points.ts";
import { SandboxError } from "../rules/errors.ts";
import type { Caller } from "../store/callers.ts";
import type { Services } from "./services.ts";

/** What it meets; elsewhere its token went with the world that issued it. */
const pointOf: Readonly<Partial<Record<OperationId, ErrorPointId>>> = {
  exchangeSandboxKey: "token.unavailable",
  exchangeLiveKey: "token.unavailable",
  orderPhysicalCard: "order.change_in_progress",
  replaceCard: "cards.change_in_progress",
  orderVirtualCard: "cards.virtual_change_in_progress",
};

/**
 * Refuses a request whose world was put back while it was under way: it changes nothing in the one that came
 * after.
 * @param generation - the generation of the caller's company in which the request began
 * @throws SandboxError `order.change_in_progress`, `cards.change_in_progress`,
 *   `cards.virtual_change_in_progress`, `token.unavailable`, `auth.token_invalid`
 */
export function refuseOutlived(
  { generations }: Services,
  { companyPk }: Caller,
  generation: number,
  operation: OperationId,
): void {
  if (generations.of(companyPk) === generation) return;
  throw new SandboxError(
    pointOf[operation] ?? "auth.token_invalid",
    "The sandbox was reset while this request was in progress: it changed nothing",
  );
}
