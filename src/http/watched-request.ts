import type { OperationId } from "../contract/operations.ts";
import type { StepClaim } from "../scenarios/claim.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { type HttpServices, type RequestContext, sentHeader } from "./context.ts";

/**
 * Announces a request to the observer.
 * @returns the scenario that the observer forces on it
 */
export function watchedScenario({ observer }: HttpServices, c: RequestContext): Scenario | undefined {
  if (!observer) return undefined;
  const watch = observer.begin({
    operation: c.get("operation"),
    caller: c.get("caller"),
    isForced:
      c.get("chosen") !== undefined || sentHeader(c, "Sandbox-Test")?.trim().toLowerCase() === "negative",
  });
  c.set("watch", watch);
  return watch.forced;
}

/**
 * Claims the step that an observer forces on a request that was refused before it could claim one. Only its faults of the
 * connection apply.
 */
export function claimRefused(services: HttpServices, c: RequestContext): StepClaim | undefined {
  const operation: OperationId | undefined = c.get("operation");
  if (!services.observer || operation === undefined || c.get("watch")) return undefined;
  const forced = watchedScenario(services, c);
  const world = services.baseOverlay();
  const claim =
    forced && services.scenarios.claimForced(forced, { operation, world, caller: c.get("caller") });
  c.set("claim", claim);
  return claim;
}
