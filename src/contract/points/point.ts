/**
 * Where a behavior comes from. `specified`: from the spec. `variant`: the spec describes it as one of two alternatives.
 * `assumed`: the spec does not show it, and the sandbox assumes it.
 */
export type Provenance = "specified" | "variant" | "assumed";

/** One behavior that a caller can observe. The decisions table says which operations have it. */
export interface PointText {
  readonly status: number;
  readonly provenance: Provenance;
  /** The sections of the spec that describe it or leave it open. */
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
