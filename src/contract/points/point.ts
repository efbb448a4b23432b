/**
 * Where a behavior comes from. `specified`: from the spec. `variant`: the spec describes it as one of two alternatives.
 * `assumed`: the spec does not show it, and the sandbox assumes it. `observed`: the spec does not show it, but someone saw
 * the real service behave so; only a dialect says that.
 */
export type Provenance = "specified" | "variant" | "assumed" | "observed";

/**
 * The body of an error.
 * - `card`: `{"error": message}`, the CardError (spec §2);
 * - `gateway`: `{"success": false, "error": {"code", "message"}}`, the forbidden error body (spec §2);
 * - `oauth`: `{"error": code, "error_description": message}` (RFC 6749 §5.2);
 * - `problem`: `{"type", "title", "status", "detail", "code"}` (RFC 9457).
 */
export const envelopes = ["card", "gateway", "oauth", "problem"] as const;
export type Envelope = (typeof envelopes)[number];

/** One behavior that a caller can observe. The decisions table says which operations have it. */
export interface PointText {
  readonly status: number;
  readonly provenance: Provenance;
  /** The sections of the spec that describe it or leave it open. */
  readonly spec: string;
  readonly title: string;
  /** The `code` of an error. An error without a code has the CardError as its body, a success the operation's own. */
  readonly code?: string;
  /** The body of an error; default: `gateway` if it has a code, otherwise `card`. */
  readonly envelope?: Envelope;
  /** The aspects of a specified point that the spec leaves open: alternatives of a dialect may change them. */
  readonly open?: readonly ("status" | "envelope")[];
}

const pointMaker =
  (provenance: Provenance) =>
  (status: number, spec: string, title: string, code?: string, open?: PointText["open"]): PointText => ({
    status,
    provenance,
    spec,
    title,
    ...(code !== undefined && { code }),
    ...(open && { open }),
  });

export const specified = pointMaker("specified");
export const variant = pointMaker("variant");
export const assumed = pointMaker("assumed");
