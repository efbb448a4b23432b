import type { OperationId } from "../contract/operations.ts";
import type { Exchange, Messages } from "../journal/exchange.ts";
import type { Services } from "../runtime/services.ts";
import type { Scenarios } from "../scenarios/arming.ts";
import type { StepClaim } from "../scenarios/claim.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import type { Caller } from "../store/callers.ts";
import type { Outgoing } from "../store/webhook-deliveries.ts";
import type { AttemptOutcome } from "../webhooks/attempt.ts";
import { type HttpServices, type RequestContext, sentHeader } from "./context.ts";

/** A request to an operation of the service, once its caller is identified or it is refused before that. */
export interface Call {
  readonly operation: OperationId;
  /** Undefined if the request is refused before its caller is identified. */
  readonly caller: Caller | undefined;
  /** The request selects a scenario itself, or has the header `Sandbox-Test: negative`. */
  readonly isForced: boolean;
}

/** An observer's view of one request. */
export interface Watch {
  /**
   * A scenario whose first step acts on the request if it can, on any operation. It takes precedence over scenarios that
   * the request selects and that are armed.
   */
  readonly forced?: Scenario | undefined;
  /** Called once, after the response is sent or lost. */
  ended(exchange: Exchange, messages: Messages): void;
}

/** Watches the requests of a sandbox from outside. It must not throw. */
export interface Observer {
  /** Called once for each request to an operation, in the order in which the sandbox decides them. */
  begin(call: Call): Watch;
  /** Called after each attempt to deliver a webhook event. */
  delivered(outgoing: Outgoing, outcome: AttemptOutcome): void;
}

/** Creates the observer of a new sandbox, which can read its world. */
export type MakeObserver = (parts: {
  readonly services: Services;
  readonly scenarios: Scenarios;
}) => Observer;

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
