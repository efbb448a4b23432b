import type { OperationId } from "../contract/operations.ts";
import type { Exchange, Messages } from "../journal/exchange.ts";
import type { Journal } from "../journal/journal.ts";
import type { Services } from "../runtime/services.ts";
import type { Scenarios } from "../scenarios/arming.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import type { Caller } from "../store/callers.ts";
import type { Outgoing } from "../store/webhook-deliveries.ts";
import type { AttemptOutcome } from "../webhooks/attempt.ts";
import type { Arrived, Body } from "./read-body.ts";

/** Responds to the requests of the service. */
export interface App {
  fetch(request: Request, env: Bindings): Response | Promise<Response>;
}

/** What is known of a request before it is decided. */
export interface Bindings {
  /** When it arrived, in milliseconds of `clock.ticks`. */
  readonly startedAt: number;
  readonly arrived: Arrived | undefined;
  /** The body, if a tap has read it. */
  readonly body?: Body | undefined;
  /** Called after the response is sent or lost; `forced` is the scenario that an observer forced on the request. */
  readonly ended?:
    | ((exchange: Exchange, messages: Messages, forced: Scenario | undefined) => void)
    | undefined;
}

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
  /** It records a request just after the observer's `ended`. */
  readonly journal: Journal;
  readonly services: Services;
  readonly scenarios: Scenarios;
}) => Observer;
