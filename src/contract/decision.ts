import type { ContractPointId, ErrorPointId } from "./points.ts";

/**
 * What happens to the request when a scenario sets a fact or a fault: it is refused with a contract point, or
 * - `continues`: it is delayed or changed, and goes on;
 * - `replaces_response`: it succeeds, but the client receives another response;
 * - `ends_connection`: the client receives no response, or part of one.
 */
export type Outcome = ErrorPointId | "continues" | "replaces_response" | "ends_connection";

/** A fact or a fault of a scenario file. With `=value`, only that value has the outcome. */
export type ForcePath = `facts.${string}` | `faults.${string}.${string}`;

export type Forces = Readonly<Record<ForcePath, Outcome>>;

/** The layer that makes a check. */
export type Layer = "http" | "access" | "cards" | "payments" | "webhooks";

/** One row of the table: a check, or a step with an effect. */
export interface Decision {
  /** The name in the journal's list of checks. Steps that no request can fail have none. */
  readonly id?: string;
  /** Absent for a step, which a layer performs in its code. */
  readonly by?: Layer;
  /**
   * - `read`: the body or the query is read;
   * - `scenario`: the request claims a step of a scenario, which can refuse it at once;
   * - `replay`: a reused Idempotency-Key returns the original card;
   * - `issuer`: the card issuer is called, which may take time;
   * - `insert`: the card is stored, and the operation succeeds;
   * - `success`: the operation does its work, and succeeds;
   * - `delay`, `lose`, `send`: the response is delayed, lost and sent.
   */
  readonly step?:
    | "read"
    | "scenario"
    | "replay"
    | "issuer"
    | "insert"
    | "success"
    | "delay"
    | "lose"
    | "send";
  /** The contract points that the row raises, in the order in which it checks them. */
  readonly points?: readonly ContractPointId[];
  /** The facts and faults of scenarios that take effect here, in this order. */
  readonly forcedBy?: Forces;
  /** The faults affect every response, also an error. Absent: only a success. */
  readonly everyResponse?: true;
}
