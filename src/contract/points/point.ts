import type { OperationId } from "../operations.ts";

/**
 * `specified`: the spec says so. `variant`: the spec describes it as one of two. `assumed`: the spec says
 * "not shown", or leaves it open, and this is what the sandbox does meanwhile.
 */
export type Provenance = "specified" | "variant" | "assumed";

/** Which operations can meet a point: these, everything under `/developer`, or any request. */
export type PointScope = readonly OperationId[] | "developer" | "any";

/** One behaviour that a caller can observe. */
export interface ContractPoint {
  readonly operations: PointScope;
  readonly status: number;
  readonly provenance: Provenance;
  /** The section of the spec that says it, or that leaves it open. */
  readonly spec: string;
  readonly title: string;
  /**
   * The gateway error's `code`; its presence says that the answer is the gateway's envelope. Absent on an
   * error, the body is the CardError; absent on a success, the operation's own.
   */
  readonly code?: string;
}

const pointMaker =
  (provenance: Provenance) =>
  (operations: PointScope, status: number, spec: string, title: string, code?: string): ContractPoint => ({
    operations,
    status,
    provenance,
    spec,
    title,
    ...(code !== undefined && { code }),
  });

export const specified = pointMaker("specified");
export const variant = pointMaker("variant");
export const assumed = pointMaker("assumed");
