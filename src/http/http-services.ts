import type { Environment, IdempotencyKey } from "../contract/identifiers.ts";
import type { PointId } from "../contract/points.ts";
import type { Overlay } from "../core/facts.ts";
import type { Caller } from "../core/ports.ts";
import type { Services } from "../core/services.ts";

/** Spec §5.7 describes the header as a variant: ignored, judged where it is sent, or demanded. */
export type OnBehalfOfMode = "off" | "optional" | "required";

/** One request and the answer that it got. */
export interface Exchange {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly point: PointId;
  readonly caller: Caller | undefined;
  readonly durationMs: number;
  /** What the sandbox itself did wrong, where it answered 500. */
  readonly defect: Error | undefined;
}

/** What the service's HTTP face works with. */
export interface HttpServices extends Services {
  /** The environments whose base address this is. */
  readonly served: readonly Environment[];
  readonly onBehalfOf: OnBehalfOfMode;
  /** Whether answers carry `Sandbox-…` headers. */
  readonly sandboxHeaders: boolean;
  /** What is forced on a request. */
  readonly overlayOf: (request: Request) => Overlay;
  /** Told of each answer; it decides nothing. */
  readonly observe: ((exchange: Exchange) => void) | undefined;
}

/** What Hono carries from one check of a request to the next. */
export interface HttpEnv {
  Bindings: { startedAt: number };
  Variables: {
    overlay: Overlay;
    caller: Caller;
    /** How far the time of the company that the answer is for is ahead of the sandbox's clock. */
    clockOffsetMs: number | undefined;
    /** In which generation of the caller's company the request began. */
    generation: number;
    idempotencyKey: IdempotencyKey;
  };
}
