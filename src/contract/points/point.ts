/**
 * `specified`: the spec says so. `variant`: the spec describes it as one of two. `assumed`: the spec says
 * "not shown", or leaves it open, and this is what the sandbox does meanwhile.
 */
export type Provenance = "specified" | "variant" | "assumed";

/** One behaviour that a caller can observe. The decisions table says which operations have it. */
export interface PointText {
  readonly status: number;
  readonly provenance: Provenance;
  /** The section of the spec that says it, or that leaves it open. */
  readonly spec: string;
  readonly title: string;
  /**
   * The `code` of the gateway's error body. An error without a code has the CardError as its body, a success the
   * operation's own body.
   */
  readonly code?: string;
}

const pointMaker =
  (provenance: Provenance) =>
  (status: number, spec: string, title: string, code?: string): PointText => ({
    status,
    provenance,
    spec,
    title,
    ...(code !== undefined && { code }),
  });

export const specified = pointMaker("specified");
export const variant = pointMaker("variant");
export const assumed = pointMaker("assumed");
