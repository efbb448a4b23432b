import { ControlError } from "./control-error.ts";

/** The most objects that the sandbox's own API creates. Tests of a client need far fewer. */
export const limits = {
  companies: 20_000,
  /** Of a company, including revoked ones. */
  apiKeys: 1_000,
  /** Of a company. */
  invoices: 10_000,
  armedScenarios: 1_000,
  /** Named ones. */
  snapshots: 50,
  /** Of all named snapshots together. */
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
