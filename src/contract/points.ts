import { decidingPoints } from "./decisions.ts";
import { developerOperations, type OperationId, operationIds, type operations } from "./operations.ts";
import { accessPoints } from "./points/access.ts";
import { cardPoints } from "./points/cards.ts";
import { gatewayPoints } from "./points/gateway.ts";
import { orderPoints } from "./points/order.ts";
import { paymentPoints } from "./points/payments.ts";
import { type Envelope, envelopes, type PointText, type Provenance } from "./points/point.ts";
import { webhookPoints } from "./points/webhooks.ts";

export { type Envelope, envelopes, type Provenance };

const catalogue = {
  ...accessPoints,
  ...orderPoints,
  ...cardPoints,
  ...paymentPoints,
  ...webhookPoints,
  ...gatewayPoints,
} satisfies Record<string, PointText>;

export type ContractPointId = keyof typeof catalogue;

/** The points whose response is a success: one for each operation, and the replays of operations that create a card. */
export type SuccessPointId =
  | (typeof operations)[OperationId]["success"]
  | "order.replayed"
  | "order.replayed_with_other_body"
  | "cards.replayed";

/** The points whose response is an error. */
export type ErrorPointId = Exclude<ContractPointId, SuccessPointId>;

/** One behavior that a caller can observe. */
export interface ContractPoint extends PointText {
  /** The operations that can raise it, all operations under `/developer`, or any request. */
  readonly operations: readonly OperationId[] | "developer" | "any";
}

/**
 * All contract points under the default dialect, by id, including those that only a dialect can reach. The header
 * `Sandbox-Contract-Point` of each response names its point.
 */
export const contractPoints = Object.fromEntries(
  Object.entries(catalogue).map(([id, text]) => [id, { operations: scopeOf(id), ...text }]),
) as Readonly<Record<ContractPointId, ContractPoint>>;

function scopeOf(id: string): ContractPoint["operations"] {
  const deciding = operationIds.filter((operation) => decidingPoints(operation).has(id));
  if (deciding.length === 0 || deciding.length === operationIds.length) return "any";
  return developerOperations.every((operation) => deciding.includes(operation)) ? "developer" : deciding;
}
