import type { ContentfulStatusCode } from "hono/utils/http-status";
import { SimulationRefused } from "../rules/errors.ts";
import { ControlError } from "./control-error.ts";

const statusOf: Readonly<Record<SimulationRefused["reason"], ContentfulStatusCode>> = {
  unknown: 404,
  conflict: 409,
  invalid: 400,
};

/**
 * Does what a tester asked to happen.
 * @throws ControlError 400, 404 or 409 where core refuses it
 */
export function simulated<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof SimulationRefused) throw new ControlError(statusOf[error.reason], error.message);
    throw error;
  }
}
