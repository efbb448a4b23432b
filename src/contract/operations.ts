/**
 * What a caller needs beyond a valid access token; only `issue_cards` is named by the spec (§4), the others are
 * assumed.
 */
export const permissions = [
  "view_companies",
  "view_accounts",
  "view_transactions",
  "view_cards",
  "issue_cards",
  "freeze_cards",
  "manage_cards",
  "view_invoices",
  "manage_webhooks",
] as const;
export type Permission = (typeof permissions)[number];

/** What a company must be entitled to (spec §5.6): the functional areas of spec §1. */
export const areas = ["accounts", "transactions", "cards", "invoices", "webhooks"] as const;
export type Area = (typeof areas)[number];

/** One operation of the service. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A segment that begins with a colon stands for any. */
  readonly path: string;
  /** The contract point of its success. */
  readonly success: string;
  readonly spec: string;
  /** `assumed`: the spec names its area, and shows no shape. */
  readonly provenance: "specified" | "assumed";
  readonly permission?: Permission;
  readonly area?: Area;
}

const cards = { spec: "§4", provenance: "assumed", area: "cards" } as const;
const accounts = { ...cards, area: "accounts", permission: "view_accounts" } as const;
const transactions = { ...cards, area: "transactions", permission: "view_transactions" } as const;
const invoices = { ...cards, area: "invoices", permission: "view_invoices" } as const;
const webhooks = {
  spec: "§4, §6",
  provenance: "assumed",
  area: "webhooks",
  permission: "manage_webhooks",
} as const;

/** The operations that the sandbox serves, by id. */
export const operations = {
  exchangeSandboxKey: {
    method: "POST",
    path: "/auth/v1/sandbox/token",
    success: "token.issued",
    spec: "§4",
    provenance: "specified",
  },
  exchangeLiveKey: {
    method: "POST",
    path: "/auth/v1/token",
    success: "token.issued",
    spec: "§4",
    provenance: "specified",
  },
  orderPhysicalCard: {
    method: "POST",
    path: "/developer/cards/physical",
    success: "order.created",
    spec: "§4",
    provenance: "specified",
    permission: "issue_cards",
    area: "cards",
  },
  listCards: {
    ...cards,
    method: "GET",
    path: "/developer/cards",
    success: "cards.listed",
    permission: "view_cards",
  },
  getCard: {
    ...cards,
    method: "GET",
    path: "/developer/cards/:id",
    success: "cards.shown",
    permission: "view_cards",
  },
  freezeCard: {
    ...cards,
    method: "POST",
    path: "/developer/cards/:id/freeze",
    success: "cards.frozen",
    permission: "freeze_cards",
  },
  unfreezeCard: {
    ...cards,
    method: "POST",
    path: "/developer/cards/:id/unfreeze",
    success: "cards.unfrozen",
    permission: "manage_cards",
  },
  setSpendingLimit: {
    ...cards,
    method: "PUT",
    path: "/developer/cards/:id/spending-limit",
    success: "cards.spending_limit_set",
    permission: "manage_cards",
  },
  removeSpendingLimit: {
    ...cards,
    method: "DELETE",
    path: "/developer/cards/:id/spending-limit",
    success: "cards.spending_limit_removed",
    permission: "manage_cards",
  },
  changeCard: {
    ...cards,
    method: "PATCH",
    path: "/developer/cards/:id",
    success: "cards.changed",
    permission: "manage_cards",
  },
  terminateCard: {
    ...cards,
    method: "POST",
    path: "/developer/cards/:id/terminate",
    success: "cards.terminated",
    permission: "manage_cards",
  },
  replaceCard: {
    ...cards,
    method: "POST",
    path: "/developer/cards/:id/replace",
    success: "cards.replaced",
    permission: "issue_cards",
  },
  orderVirtualCard: {
    ...cards,
    method: "POST",
    path: "/developer/cards/virtual",
    success: "cards.virtual_created",
    permission: "issue_cards",
  },
  listDeliveryOptions: {
    ...cards,
    method: "POST",
    path: "/developer/cards/delivery-options",
    success: "cards.delivery_options_listed",
    permission: "issue_cards",
  },
  listAccounts: { ...accounts, method: "GET", path: "/developer/accounts", success: "accounts.listed" },
  getAccount: { ...accounts, method: "GET", path: "/developer/accounts/:id", success: "accounts.shown" },
  listCompanies: {
    method: "GET",
    path: "/developer/companies",
    success: "companies.listed",
    spec: "§4",
    provenance: "assumed",
    permission: "view_companies",
  },
  listTransactions: {
    ...transactions,
    method: "GET",
    path: "/developer/transactions",
    success: "transactions.listed",
  },
  getTransaction: {
    ...transactions,
    method: "GET",
    path: "/developer/transactions/:id",
    success: "transactions.shown",
  },
  listInvoices: {
    ...invoices,
    method: "GET",
    path: "/developer/company/invoices",
    success: "invoices.listed",
  },
  getInvoice: {
    ...invoices,
    method: "GET",
    path: "/developer/company/invoices/:id",
    success: "invoices.shown",
  },
  createWebhook: { ...webhooks, method: "POST", path: "/developer/webhooks", success: "webhooks.created" },
  listWebhooks: { ...webhooks, method: "GET", path: "/developer/webhooks", success: "webhooks.listed" },
  getWebhook: { ...webhooks, method: "GET", path: "/developer/webhooks/:id", success: "webhooks.shown" },
  changeWebhook: {
    ...webhooks,
    method: "PATCH",
    path: "/developer/webhooks/:id",
    success: "webhooks.changed",
  },
  deleteWebhook: {
    ...webhooks,
    method: "DELETE",
    path: "/developer/webhooks/:id",
    success: "webhooks.deleted",
  },
  rotateWebhookSecret: {
    ...webhooks,
    method: "POST",
    path: "/developer/webhooks/:id/rotate-secret",
    success: "webhooks.secret_rotated",
  },
  testWebhook: {
    ...webhooks,
    method: "POST",
    path: "/developer/webhooks/:id/test",
    success: "webhooks.tested",
  },
  listWebhookDeliveries: {
    ...webhooks,
    method: "GET",
    path: "/developer/webhooks/:id/deliveries",
    success: "webhooks.deliveries_listed",
  },
  resendWebhookDelivery: {
    ...webhooks,
    method: "POST",
    path: "/developer/webhooks/:id/deliveries/:did/resend",
    success: "webhooks.delivery_resent",
  },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;
/** Those that the spec names, and does not show. */
export type AssumedOperationId = {
  [Id in OperationId]: (typeof operations)[Id]["provenance"] extends "assumed" ? Id : never;
}[OperationId];
export const operationIds = Object.keys(operations) as OperationId[];

/** The operations under `/developer`, which need an access token. */
export const developerOperations: readonly OperationId[] = operationIds.filter((id) =>
  operations[id].path.startsWith("/developer/"),
);

/** Those of a functional area, to which a company must be entitled. */
export const areaOperations: readonly OperationId[] = developerOperations.filter(
  (id) => "area" in operations[id],
);

/** Whether a path belongs to the card operations, whose errors have a body of their own (spec §7). */
export function isCardPath(path: string): boolean {
  return /^\/developer\/cards(\/|$)/.test(path);
}

/**
 * How the header `X-On-Behalf-Of` is treated, which spec §5.7 describes as a variant: ignored, checked if it is sent, or
 * required. With `required-except-order` every operation requires it but the order, for which the spec does not show it.
 */
export const onBehalfOfModes = ["off", "optional", "required", "required-except-order"] as const;
export type OnBehalfOfMode = (typeof onBehalfOfModes)[number];

/** Whether an operation under `/developer` requires `X-On-Behalf-Of`. */
export function requiresOnBehalfOf(mode: OnBehalfOfMode, id: OperationId): boolean {
  return mode === "required" || (mode === "required-except-order" && id !== "orderPhysicalCard");
}

const fixedPaths = new Set<string>(
  operationIds.map((id) => operations[id].path).filter((path) => !path.includes(":")),
);

/** Whether a path is that of an operation, without a variable segment. */
export function isFixedPath(path: string): boolean {
  return fixedPaths.has(path);
}
