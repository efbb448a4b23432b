import type { Context } from "hono";
import type { Contract } from "../contract/dialect.ts";
import type { Environment, IdempotencyKey } from "../contract/identifiers.ts";
import type { OperationId } from "../contract/operations.ts";
import type { Observe } from "../journal/exchange.ts";
import type { Overlay } from "../rules/overlay.ts";
import type { Services } from "../runtime/services.ts";
import type { Scenarios } from "../scenarios/arming.ts";
import type { StepClaim } from "../scenarios/claim.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import type { Caller } from "../store/callers.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Bindings, Observer, Watch } from "./observer.ts";
import type { Body } from "./read-body.ts";

/** The services that the HTTP layer works with. */
export interface HttpServices extends Services {
  /** The environments that this base URL serves. */
  readonly served: readonly Environment[];
  /** Whether the operations that the spec does not show are served. */
  readonly assumed: boolean;
  /** External hosts that may receive webhooks, in lower case. */
  readonly webhookHosts: readonly string[];
  /** Whether responses have `Sandbox-…` headers. */
  readonly sandboxHeaders: boolean;
  readonly scenarios: Scenarios;
  /** The overlay of a request without a scenario. */
  readonly baseOverlay: () => Overlay;
  readonly groupCommit: GroupCommit;
  /** Called after each response. */
  readonly observe: Observe;
  readonly observer: Observer | undefined;
}

/** The state that a request carries through its checks. */
export interface HttpEnv {
  Bindings: Bindings;
  Variables: {
    /** Unset if no operation has this path and method. */
    operation: OperationId;
    body: Body;
    /** The scenario that the request selects by a header or by its body. */
    chosen: Scenario | undefined;
    claim: StepClaim | undefined;
    /** Unset unless the sandbox has an observer and the request has begun for it. */
    watch: Watch | undefined;
    /** When a fault reset the connection, in milliseconds of `clock.ticks`, although the issuer still works. */
    lostMs: number;
    /** Unset until the request has claimed its step. */
    overlay: Overlay;
    /** The API key to exchange. */
    apiKey: string;
    /** Unset until the credentials are checked. */
    caller: Caller;
    /** The generation of the caller's company in which the request began. */
    generation: number;
    idempotencyKey: IdempotencyKey;
  };
}

export type RequestContext = Context<HttpEnv>;

/** A header of the request; undefined if it was not sent. */
export function sentHeader(c: RequestContext, name: string): string | undefined {
  return (c.env.arrived?.headers ?? c.req.raw.headers).get(name) ?? undefined;
}

/** Sets the member for whom the request acts, in the company that it acts for. */
export function setCaller({ generations }: HttpServices, c: RequestContext, caller: Caller): void {
  c.set("caller", caller);
  c.set("generation", generations.of(caller.companyPk));
}

/** The contract under the dialect of the request's company, or of the sandbox if the caller is not known. */
export function contractOf({ dialects }: HttpServices, c: RequestContext): Contract {
  const caller: Caller | undefined = c.get("caller");
  return dialects.of(caller?.companyPk);
}

/** Throws a SandboxError to refuse the request. Returns a promise only if it waits. */
export type Check = (services: HttpServices, c: RequestContext) => Promise<void> | void;

/** Responds to a request that has passed its checks. */
export type Route = (services: HttpServices, c: RequestContext) => Promise<Response> | Response;
