import { ControlError } from "./control-error.ts";

/** How much the sandbox's own API lets be made. Nothing that a client of the service needs comes near. */
export const limits = {
  companies: 20_000,
  /** Of a company, revoked ones included. */
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
 * @param count - how many there would be
 * @param message - the limit, and how to make room
 * @throws ControlError 409 where that is over the limit
 */
export function refuseOver(limit: number, count: number, message: string): void {
  if (count > limit) throw new ControlError(409, `limit_reached: ${message}`);
}
