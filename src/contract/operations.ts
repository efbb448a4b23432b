/** The permissions of roles. The spec names only `issue_cards` (§4); the others are assumed. */
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

/** The functional areas of spec §1, to which a company must be entitled (spec §5.6). */
export const areas = ["accounts", "transactions", "cards", "invoices", "webhooks"] as const;
export type Area = (typeof areas)[number];

/** One operation of the service. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A segment that starts with a colon matches any text. */
  readonly path: string;
  /** The contract point of its success. */
  readonly success: string;
  readonly spec: string;
  /** `assumed`: the spec names the area, but does not show the operation. */
  readonly provenance: "specified" | "assumed";
  readonly permission?: Permission;
  readonly area?: Area;
}

/** Declares operations of an area that the spec names but does not show. */
const assumed =
  <const Named extends Area, const Usual extends Permission>(area: Named, usual: Usual, spec = "§4") =>
  <const Success extends string, const Needed extends Permission = Usual>(
    method: Operation["method"],
    path: string,
    success: Success,
    permission?: Needed,
  ) =>
    ({ method, path, success, spec, provenance: "assumed", permission: permission ?? usual, area }) as const;

const cards = assumed("cards", "view_cards");
const accounts = assumed("accounts", "view_accounts");
const transactions = assumed("transactions", "view_transactions");
const invoices = assumed("invoices", "view_invoices");
const webhooks = assumed("webhooks", "manage_webhooks", "§4, §6");

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
  listCards: cards("GET", "/developer/cards", "cards.listed"),
  getCard: cards("GET", "/developer/cards/:id", "cards.shown"),
  freezeCard: cards("POST", "/developer/cards/:id/freeze", "cards.frozen", "freeze_cards"),
  unfreezeCard: cards("POST", "/developer/cards/:id/unfreeze", "cards.unfrozen", "manage_cards"),
  setSpendingLimit: cards(
    "PUT",
    "/developer/cards/:id/spending-limit",
    "cards.spending_limit_set",
    "manage_cards",
  ),
  removeSpendingLimit: cards(
    "DELETE",
    "/developer/cards/:id/spending-limit",
    "cards.spending_limit_removed",
    "manage_cards",
  ),
  changeCard: cards("PATCH", "/developer/cards/:id", "cards.changed", "manage_cards"),
  terminateCard: cards("POST", "/developer/cards/:id/terminate", "cards.terminated", "manage_cards"),
  replaceCard: cards("POST", "/developer/cards/:id/replace", "cards.replaced", "issue_cards"),
  orderVirtualCard: cards("POST", "/developer/cards/virtual", "cards.virtual_created", "issue_cards"),
  listDeliveryOptions: cards(
    "POST",
    "/developer/cards/delivery-options",
    "cards.delivery_options_listed",
    "issue_cards",
  ),
  listAccounts: accounts("GET", "/developer/accounts", "accounts.listed"),
  getAccount: accounts("GET", "/developer/accounts/:id", "accounts.shown"),
  listCompanies: {
    method: "GET",
    path: "/developer/companies",
    success: "companies.listed",
    spec: "§4",
    provenance: "assumed",
    permission: "view_companies",
  },
  listTransactions: transactions("GET", "/developer/transactions", "transactions.listed"),
  getTransaction: transactions("GET", "/developer/transactions/:id", "transactions.shown"),
  listInvoices: invoices("GET", "/developer/company/invoices", "invoices.listed"),
  getInvoice: invoices("GET", "/developer/company/invoices/:id", "invoices.shown"),
  createWebhook: webhooks("POST", "/developer/webhooks", "webhooks.created"),
  listWebhooks: webhooks("GET", "/developer/webhooks", "webhooks.listed"),
  getWebhook: webhooks("GET", "/developer/webhooks/:id", "webhooks.shown"),
  changeWebhook: webhooks("PATCH", "/developer/webhooks/:id", "webhooks.changed"),
  deleteWebhook: webhooks("DELETE", "/developer/webhooks/:id", "webhooks.deleted"),
  rotateWebhookSecret: webhooks("POST", "/developer/webhooks/:id/rotate-secret", "webhooks.secret_rotated"),
  testWebhook: webhooks("POST", "/developer/webhooks/:id/test", "webhooks.tested"),
  listWebhookDeliveries: webhooks("GET", "/developer/webhooks/:id/deliveries", "webhooks.deliveries_listed"),
  resendWebhookDelivery: webhooks(
    "POST",
    "/developer/webhooks/:id/deliveries/:did/resend",
    "webhooks.delivery_resent",
  ),
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;
export const operationIds = Object.keys(operations) as OperationId[];

/** The operations under `/developer`, which need an access token. */
export const developerOperations: readonly OperationId[] = operationIds.filter((id) =>
  operations[id].path.startsWith("/developer/"),
);

/** The path of an operation as OpenAPI shows it, such as `/developer/cards/{id}`. */
export function shownPath({ path }: Operation): string {
  return path.replace(/:([a-z]+)/g, "{$1}");
}

/** Whether a path belongs to the card operations, whose errors have their own body (spec §7). */
export function isCardPath(path: string): boolean {
  return /^\/developer\/cards(\/|$)/.test(path);
}

/**
 * The modes of the header `X-On-Behalf-Of`, which spec §5.7 describes as a variant: it is ignored, checked if it is sent,
 * or required. With `required-except-order`, all operations except the order of a physical card require it.
 */
export const onBehalfOfModes = ["off", "optional", "required", "required-except-order"] as const;
export type OnBehalfOfMode = (typeof onBehalfOfModes)[number];

/** Whether an operation under `/developer` requires `X-On-Behalf-Of`. */
export function requiresOnBehalfOf(mode: OnBehalfOfMode, id: OperationId): boolean {
  return mode === "required" || (mode === "required-except-order" && id !== "orderPhysicalCard");
}
