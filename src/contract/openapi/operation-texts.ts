import type { Contract } from "../dialect.ts";
import type { OperationId } from "../operations.ts";
import type { ResourceName } from "./resources.ts";

/** The texts and the bodies of an operation. */
export interface OperationText {
  readonly summary: string;
  readonly description?: string;
  /** The alternatives for the body of the request; absent if it has no body. */
  readonly request?: readonly ResourceName[];
  /** The body of the response on success. */
  readonly response: ResourceName;
}

const exchange = {
  description:
    "Send the API key only to this endpoint, without an Authorization header. The environment of the key must match the endpoint.",
  request: ["TokenExchangeRequest"],
  response: "TokenExchangeResponse",
} as const;

const retry = "A retry with the same `Idempotency-Key` returns the original card.";

export const operationTexts: Readonly<Record<OperationId, OperationText>> = {
  exchangeSandboxKey: { ...exchange, summary: "Exchange a sandbox API key for an access token" },
  exchangeLiveKey: { ...exchange, summary: "Exchange a live API key for an access token" },
  orderPhysicalCard: {
    summary: "Order a physical card",
    description: `Orders a physical card for the member who owns the API key. ${retry}`,
    request: ["PhysicalCardOrder"],
    response: "Card",
  },
  listCards: { summary: "List cards", response: "CardList" },
  getCard: { summary: "Get a card", response: "Card" },
  freezeCard: { summary: "Freeze a card", description: "Freezes an active card.", response: "Card" },
  unfreezeCard: {
    summary: "Unfreeze a card",
    description: "Unfreezes a frozen card. The card becomes active again.",
    response: "Card",
  },
  setSpendingLimit: {
    summary: "Set the spending limit of a card",
    description: "Replaces the previous spending limit, if there is one.",
    request: ["SpendingLimitInput"],
    response: "Card",
  },
  removeSpendingLimit: { summary: "Remove the spending limit of a card", response: "Card" },
  changeCard: {
    summary: "Change the name or auto_convert of a card",
    request: ["CardChange"],
    response: "Card",
  },
  terminateCard: {
    summary: "Terminate a card",
    description: "Terminates the card permanently.",
    response: "Card",
  },
  replaceCard: {
    summary: "Replace a card",
    description: `Creates a new card that takes the place of the old card. ${retry}`,
    request: ["PhysicalReplacement", "VirtualReplacement"],
    response: "Card",
  },
  orderVirtualCard: {
    summary: "Order a virtual card",
    description: `Orders a virtual card for the member who owns the API key. ${retry}`,
    request: ["VirtualCardOrder"],
    response: "Card",
  },
  listDeliveryOptions: {
    summary: "List the delivery methods that an address supports",
    request: ["DeliveryOptionsRequest"],
    response: "DeliveryOptions",
  },
  listAccounts: { summary: "List accounts", response: "AccountList" },
  getAccount: { summary: "Get an account", response: "Account" },
  listCompanies: { summary: "List the companies that the member belongs to", response: "CompanyList" },
  listTransactions: { summary: "List transactions", response: "TransactionList" },
  getTransaction: { summary: "Get a transaction", response: "Transaction" },
  listInvoices: { summary: "List invoices", response: "InvoiceList" },
  getInvoice: { summary: "Get an invoice", response: "Invoice" },
  createWebhook: {
    summary: "Create a webhook",
    description: "Only this response contains the secret of the webhook.",
    request: ["NewWebhook"],
    response: "WebhookWithSecret",
  },
  listWebhooks: { summary: "List webhooks", response: "WebhookList" },
  getWebhook: { summary: "Get a webhook", response: "Webhook" },
  changeWebhook: { summary: "Change a webhook", request: ["WebhookChange"], response: "Webhook" },
  deleteWebhook: { summary: "Delete a webhook", response: "DeletedWebhook" },
  rotateWebhookSecret: {
    summary: "Rotate the secret of a webhook",
    description: "Creates a new secret. Each earlier secret stays valid for 24 hours after it was replaced.",
    response: "WebhookWithSecret",
  },
  testWebhook: { summary: "Send a test event to a webhook", response: "WebhookDelivery" },
  listWebhookDeliveries: { summary: "List the deliveries of a webhook", response: "WebhookDeliveryList" },
  resendWebhookDelivery: { summary: "Resend an event to a webhook", response: "WebhookDelivery" },
};

/** The description of an operation under a contract; empty if its summary says it all. */
export function descriptionOf(id: OperationId, { choices }: Contract): string {
  if (id === "rotateWebhookSecret" && choices["webhooks.secret_overlap"] === "none") {
    return "Creates a new secret. The earlier secret is no longer valid.";
  }
  return operationTexts[id].description ?? "";
}
