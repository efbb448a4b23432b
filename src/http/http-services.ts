import type { Environment, IdempotencyKey } from "../contract/identifiers.ts";
import type { OnBehalfOfMode, OperationId } from "../contract/operations.ts";
import type { Observe, SentHeaders } from "../journal/exchange.ts";
import type { Overlay } from "../rules/overlay.ts";
import type { Services } from "../runtime/services.ts";
import type { Scenarios } from "../scenarios/arming.ts";
import type { StepClaim } from "../scenarios/claim.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import type { Caller } from "../store/callers.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Body } from "./read-body.ts";

/** What the service's HTTP face works with. */
export interface HttpServices extends Services {
  /** The environments whose base address this is. */
  readonly served: readonly Environment[];
  /** Whether operations are served that the spec does not show. */
  readonly assumed: boolean;
  readonly onBehalfOf: OnBehalfOfMode;
  /** The hosts beside this machine to which webhooks may be sent. */
  readonly webhookHosts: readonly string[];
  /** Whether answers carry `Sandbox-…` headers. */
  readonly sandboxHeaders: boolean;
  /** What can be forced on requests, and what is. */
  readonly scenarios: Scenarios;
  /** What a request believes on which nothing is forced. */
  readonly overlayOf: () => Overlay;
  /** What requests that came together share. */
  readonly groupCommit: GroupCommit;
  /** Told of each answer; it decides nothing. */
  readonly observe: Observe;
}

/** What whoever took a request off its socket has of it already; to ask the `Request` for it would cost as much anew. */
export interface Arrived {
  readonly headers: SentHeaders;
  /** The whole of it; undefined where it is still to be read. */
  readonly body: Uint8Array | undefined;
  /** When the client closed its connection or aborted the request, in real milliseconds; undefined: not yet. */
  readonly goneMs: () => number | undefined;
}

/** What Hono carries from one check of a request to the next. */
export interface HttpEnv {
  Bindings: { readonly startedAt: number; readonly arrived: Arrived | undefined };
  Variables: {
    /** Undefined where the path and the method are no operation's. */
    operation: OperationId | undefined;
    body: Body;
    /** The scenario that the request chooses itself. */
    chosen: Scenario | undefined;
    /** The request's claim of a step of a scenario. */
    claim: StepClaim | undefined;
    overlay: Overlay;
    /** The API key that is exchanged. */
    apiKey: string;
    caller: Caller;
    /** How far the time of the company that the answer is for is ahead of the sandbox's clock. */
    clockOffsetMs: number | undefined;
    /** In which generation of the caller's company the request began. */
    generation: number;
    idempotencyKey: IdempotencyKey;
  };
}
