import type { OperationId, operations } from "./operations.ts";
import { accessPoints } from "./points/access.ts";
import { accountPoints } from "./points/accounts.ts";
import { cardPoints } from "./points/cards.ts";
import { gatewayPoints } from "./points/gateway.ts";
import { invoicePoints } from "./points/invoices.ts";
import { orderPoints } from "./points/order.ts";
import type { ContractPoint } from "./points/point.ts";
import { tokenPoints } from "./points/token.ts";
import { transactionPoints } from "./points/transactions.ts";
import { webhookPoints } from "./points/webhooks.ts";

export type { ContractPoint, Provenance } from "./points/point.ts";

/** Every contract point, by id. Each answer of the service names the one that decided it. */
export const contractPoints = {
  ...tokenPoints,
  ...accessPoints,
  ...orderPoints,
  ...cardPoints,
  ...accountPoints,
  ...transactionPoints,
  ...invoicePoints,
  ...webhookPoints,
  ...gatewayPoints,
} satisfies Record<string, ContractPoint>;

export type PointId = keyof typeof contractPoints;

/** The points whose answer is a success: each operation's, and the replays of what makes a card. */
export type SuccessPointId =
  | (typeof operations)[OperationId]["success"]
  | "order.replayed"
  | "order.replayed_with_other_body"
  | "cards.replayed";

/** The points whose answer is an error. */
export type ErrorPointId = Exclude<PointId, SuccessPointId>;
