import type { OperationId } from "../operations.ts";
import type { ResourceName } from "./resources.ts";

/** What an operation is for, what it takes and what it answers on success. */
export interface OperationText {
  readonly summary: string;
  readonly description?: string;
  /** The body that it takes: one of these. */
  readonly takes?: readonly ResourceName[];
  readonly answers: ResourceName;
}

const exchange = {
  description:
    "No Authorization header. The key is sent only here, and its environment must match the endpoint.",
  takes: ["TokenExchangeRequest"],
  answers: "TokenExchangeResponse",
} as const;

const retry = "Retrying with the same `Idempotency-Key` returns the original card.";

/** By operation. */
export const operationTexts: Readonly<Record<OperationId, OperationText>> = {
  exchangeSandboxKey: { ...exchange, summary: "Exchange a sandbox API key for an access token" },
  exchangeLiveKey: { ...exchange, summary: "Exchange a live API key for an access token" },
  orderPhysicalCard: {
    summary: "Order physical card",
    description: `Orders a physical card for the member who owns the API key. ${retry}`,
    takes: ["PhysicalCardOrder"],
    answers: "Card",
  },
  listCards: { summary: "List cards", answers: "CardList" },
  getCard: { summary: "Get a card", answers: "Card" },
  freezeCard: { summary: "Freeze a card", description: "An active card is then frozen.", answers: "Card" },
  unfreezeCard: {
    summary: "Unfreeze a card",
    description: "A frozen card is active again.",
    answers: "Card",
  },
  setSpendingLimit: {
    summary: "Set a card's spending limit",
    description: "In place of the one that it had.",
    takes: ["SpendingLimitInput"],
    answers: "Card",
  },
  removeSpendingLimit: { summary: "Remove a card's spending limit", answers: "Card" },
  changeCard: { summary: "Rename a card, or change auto_convert", takes: ["CardChange"], answers: "Card" },
  terminateCard: { summary: "Terminate a card", description: "It has ended for good.", answers: "Card" },
  replaceCard: {
    summary: "Replace a card",
    description: `A new card is made and active at once; the old one has ended. ${retry}`,
    takes: ["PhysicalReplacement", "VirtualReplacement"],
    answers: "Card",
  },
  orderVirtualCard: {
    summary: "Order a virtual card",
    description: `For the member who owns the API key. ${retry}`,
    takes: ["VirtualCardOrder"],
    answers: "Card",
  },
  listDeliveryOptions: {
    summary: "List the delivery methods that an address supports",
    takes: ["DeliveryOptionsRequest"],
    answers: "DeliveryOptions",
  },
  listAccounts: { summary: "List accounts", answers: "AccountList" },
  getAccount: { summary: "Get an account", answers: "Account" },
  listCompanies: { summary: "List the companies that the member belongs to", answers: "CompanyList" },
  listTransactions: { summary: "List transactions", answers: "TransactionList" },
  getTransaction: { summary: "Get a transaction", answers: "Transaction" },
  listInvoices: { summary: "List invoices", answers: "InvoiceList" },
  getInvoice: { summary: "Get an invoice", answers: "Invoice" },
  createWebhook: {
    summary: "Create a webhook",
    description: "Its secret is shown this once.",
    takes: ["NewWebhook"],
    answers: "WebhookWithSecret",
  },
  listWebhooks: { summary: "List webhooks", answers: "WebhookList" },
  getWebhook: { summary: "Get a webhook", answers: "Webhook" },
  changeWebhook: { summary: "Change a webhook", takes: ["WebhookChange"], answers: "Webhook" },
  deleteWebhook: { summary: "Delete a webhook", answers: "DeletedWebhook" },
  rotateWebhookSecret: {
    summary: "Make a webhook's secret anew",
    description: "Each earlier secret stays valid until 24 hours after its rotation.",
    answers: "WebhookWithSecret",
  },
  testWebhook: { summary: "Send a webhook a test event", answers: "WebhookDelivery" },
  listWebhookDeliveries: { summary: "List what a webhook was told", answers: "WebhookDeliveryList" },
  resendWebhookDelivery: { summary: "Send an event once more", answers: "WebhookDelivery" },
};
