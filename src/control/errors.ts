import type { ContentfulStatusCode } from "hono/utils/http-status";
import { maskSecrets } from "../rules/api-key.ts";
import { SimulationRefused, shortened } from "../rules/errors.ts";

/**
 * An error of the control API, sent as `{error}`. Every method throws it with status 400 for invalid input and 404 for
 * an unknown object. Secrets in its message are masked, because messages quote input.
 */
export class ControlError extends Error {
  readonly status: ContentfulStatusCode;

  constructor(status: ContentfulStatusCode, message: string) {
    super(shortened(maskSecrets(message)));
    this.name = "ControlError";
    this.status = status;
  }
}

const statusOf: Readonly<Record<SimulationRefused["reason"], ContentfulStatusCode>> = {
  unknown: 404,
  conflict: 409,
  invalid: 400,
};

/**
 * Runs a payment or invoice operation.
 * @throws ControlError 400, 404 or 409 if the operation is refused
 */
export function simulate<Result>(operation: () => Result): Result {
  try {
    return operation();
  } catch (error) {
    if (error instanceof SimulationRefused) throw new ControlError(statusOf[error.reason], error.message);
    throw error;
  }
}

/** The most objects that the control API creates. Tests of a client need far fewer. */
export const limits = {
  companies: 20_000,
  /** Per company, including revoked keys. */
  apiKeys: 1_000,
  /** Per company. */
  invoices: 10_000,
  armedScenarios: 1_000,
  /** Named snapshots. */
  snapshots: 50,
  /** In all named snapshots together. */
  snapshotRows: 1_000_000,
} as const;

/**
 * @param count - the number after the change
 * @param message - the limit, and how to make room
 * @throws ControlError 409 if the count exceeds the limit
 */
export function refuseOver(limit: number, count: number, message: string): void {
  if (count > limit) throw new ControlError(409, `limit_reached: ${message}`);
}
