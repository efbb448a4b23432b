import { refuseToken } from "../../access/authenticate.ts";
import { idempotencyKey } from "../../contract/identifiers.ts";
import { type OperationId, operations } from "../../contract/operations.ts";
import { ConnectionLost, SandboxError } from "../../rules/errors.ts";
import { refuseStale } from "../../runtime/generations.ts";
import type { StepClaim } from "../../scenarios/claim.ts";
import { tellLost } from "../answer.ts";
import type { HttpServices } from "../http-services.ts";
import type { Check } from "../in-order.ts";
import { sentHeader } from "../sent-header.ts";

/**
 * What is forced on the request from here on, now that its caller is known: the step of the scenario that it
 * chose, or that is armed for its company or for all. Faults of the request strike at once.
 */
export function forced(services: HttpServices, operation: OperationId): Check {
  return (c) => {
    const world = services.overlayOf();
    const caller = c.get("caller");
    const claim = services.scenarios.claimStep({
      operation,
      caller,
      chosen: c.get("chosen"),
      idempotencyKey: () => idempotencyKey.safeParse(sentHeader(c, "Idempotency-Key")).data ?? "",
      world,
    });
    c.set("overlay", claim?.overlay ?? world);
    if (!claim) return;
    c.set("claim", claim);
    const strike = () => {
      if (claim.step.request.dropped) {
        claim.fire();
        return services.groupCommit.answer(
          () => {
            tellLost(services, c, "request.dropped");
            throw new ConnectionLost("reset");
          },
          (why) => {
            throw why;
          },
        );
      }
      refuse(claim, operation);
    };
    const { latency_ms } = claim.step.request;
    if (latency_ms === undefined) return strike();
    claim.reserve();
    return claim.delay.wait(latency_ms).then(() => {
      refuseStale(services, { caller, generation: c.get("generation"), operation });
      return strike();
    });
  };
}

/** Refuses in the order of contract/decisions.ts, before the checks of the operation: 400 of an exchange, 401, 429, 503. */
function refuse({ step }: StepClaim, operation: OperationId): void {
  const isExchange = operations[operation].success === "token.issued";
  if (isExchange && step.facts.requestValid === false) {
    throw new SandboxError("token.invalid_request", "The request is invalid");
  }
  refuseToken(step.facts);
  const { rate_limited } = step.request;
  if (rate_limited) {
    throw new SandboxError(
      "gateway.rate_limited",
      `Too many requests: retry in ${rate_limited.retry_after_s} s`,
      { "Retry-After": String(rate_limited.retry_after_s) },
    );
  }
  if (step.token.unavailable) {
    throw new SandboxError("token.unavailable", "The token endpoint is unavailable: retry later");
  }
}
