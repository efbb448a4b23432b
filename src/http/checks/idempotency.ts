import { idempotencyKey } from "../../contract/identifiers.ts";
import type { ErrorPointId } from "../../contract/points.ts";
import { SandboxError } from "../../rules/errors.ts";
import type { Check } from "../in-order.ts";
import { sentHeader } from "../sent-header.ts";

/** 400: the request carries an `Idempotency-Key`, a UUID (spec §4). */
export function idempotency(points: {
  readonly missing: ErrorPointId;
  readonly invalid: ErrorPointId;
}): Check {
  return (c) => {
    const header = sentHeader(c, "Idempotency-Key");
    if (!header) {
      throw new SandboxError(
        points.missing,
        "Idempotency-Key: is required; send a new UUID for each order, and the same one on a retry",
      );
    }
    const key = idempotencyKey.safeParse(header);
    if (!key.success)
      throw new SandboxError(points.invalid, "Idempotency-Key: must be a UUID, without quotes");
    c.set("idempotencyKey", key.data);
  };
}
