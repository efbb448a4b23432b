import { isCardPath, type OperationId, operationIds, operations } from "./operations.ts";
import type { ErrorPointId, PointId } from "./points.ts";

/** One of the checks that a request passes on its way to success, and the points by which it decides. */
interface Check {
  readonly id: string;
  readonly points: readonly PointId[];
}

const tokenChecks: readonly Check[] = [
  { id: "body", points: ["token.invalid_request"] },
  { id: "key_environment", points: ["token.environment_mismatch"] },
  { id: "key_known", points: ["token.key_unknown"] },
  { id: "rate_limit", points: ["gateway.rate_limited"] },
  { id: "availability", points: ["token.unavailable"] },
  { id: "key_active", points: ["token.key_revoked"] },
  { id: "member_active", points: ["token.member_inactive"] },
];

/** The points of X-On-Behalf-Of: missing, not a UUID, or a company that the member does not belong to; in that order. */
const acting = {
  order: ["order.on_behalf_of_required", "order.on_behalf_of_invalid", "order.on_behalf_of_not_a_member"],
  cards: ["cards.on_behalf_of_required", "cards.on_behalf_of_invalid", "on_behalf_of.not_a_member"],
  others: ["on_behalf_of.required", "on_behalf_of.invalid", "on_behalf_of.not_a_member"],
} as const satisfies Record<string, readonly ErrorPointId[]>;
type ActingPoints = (typeof acting)[keyof typeof acting];

/** The same for an operation under `/developer`: the body of a 400 depends on the area. */
export function actingPoints(id: OperationId): ActingPoints {
  if (id === "orderPhysicalCard") return acting.order;
  return isCardPath(operations[id].path) ? acting.cards : acting.others;
}

/** Who calls, and for which company: the first checks under `/developer`. */
const callerChecks = (actingFor: ActingPoints): readonly Check[] => [
  {
    id: "access_token",
    points: [
      "auth.token_missing",
      "auth.api_key_as_bearer",
      "auth.token_invalid",
      "auth.token_expired",
      "auth.environment_mismatch",
    ],
  },
  { id: "acting_company", points: actingFor },
  { id: "rate_limit", points: ["gateway.rate_limited"] },
];

const permission: Check = { id: "permission", points: ["access.forbidden"] };

/** The checks of an operation that has none of its own for who may call it. */
const checksAfter =
  (actingFor: ActingPoints) =>
  (...own: readonly Check[]): readonly Check[] => [
    ...callerChecks(actingFor),
    permission,
    { id: "entitlement", points: ["access.not_entitled"] },
    ...own,
  ];
const ofCards = checksAfter(acting.cards);
const developer = checksAfter(acting.others);

const card: Check = { id: "card", points: ["cards.not_found"] };
const webhook: Check = { id: "webhook", points: ["webhooks.not_found"] };
const webhookBody: readonly Check[] = [
  { id: "body", points: ["webhooks.body_invalid"] },
  { id: "url", points: ["webhooks.url_invalid", "webhooks.url_not_allowed"] },
];
const webhookQuery: Check = { id: "query", points: ["webhooks.query_invalid"] };
const webhookSends: readonly Check[] = [
  { id: "webhook_active", points: ["webhooks.disabled"] },
  { id: "backlog", points: ["webhooks.backlog_full"] },
];

const contentType: Check = { id: "content_type", points: ["cards.content_type_invalid"] };
const body: Check = { id: "body", points: ["cards.body_invalid"] };
const request: Check = { id: "request", points: ["cards.invalid_request"] };
const address: Check = {
  id: "address",
  points: ["cards.address_field_required", "cards.post_code_format"],
};
const cap: Check = { id: "spending_limit_cap", points: ["cards.spending_limit_over_cap"] };
const noChange: Check = { id: "no_change_in_progress", points: ["cards.change_in_progress"] };
const state: Check = { id: "state", points: ["cards.state_conflict"] };
const key: readonly Check[] = [
  { id: "idempotency_key", points: ["cards.idempotency_key_invalid"] },
  { id: "key_unused", points: ["cards.replayed", "cards.key_in_progress"] },
];

/** Whether the company, the account and the cardholder may have a card. */
const issuable: readonly Check[] = [
  { id: "company_active", points: ["cards.company_inactive"] },
  { id: "account_open", points: ["cards.account_closed"] },
  { id: "company_details", points: ["cards.company_details_missing"] },
  { id: "cardholder_details", points: ["cards.cardholder_details_missing"] },
];
const quota: Check = { id: "quota", points: ["cards.quota_reached"] };
const issuer: Check = {
  id: "issuer",
  points: ["cards.issuer_rejected", "cards.issuer_bad_gateway", "cards.issuer_unavailable"],
};

/** The checks of a change that has no body. */
const plainChange = ofCards(request, card, noChange, state);

/**
 * The checks of each operation in the order in which they decide, which is ours: the spec shows none. Points
 * that can strike whatever the request (an unknown path, a defect) belong to no check.
 */
export const checks: Readonly<Record<OperationId, readonly Check[]>> = {
  exchangeSandboxKey: tokenChecks,
  exchangeLiveKey: tokenChecks,
  orderPhysicalCard: [
    ...callerChecks(acting.order),
    { id: "permission", points: ["order.forbidden"] },
    { id: "entitlement", points: ["order.not_entitled"] },
    { id: "content_type", points: ["order.content_type_invalid"] },
    {
      id: "idempotency_key",
      points: ["order.idempotency_key_missing", "order.idempotency_key_invalid"],
    },
    {
      id: "key_unused",
      points: ["order.replayed", "order.replayed_with_other_body", "order.key_in_progress"],
    },
    {
      id: "body",
      points: [
        "order.body_too_large",
        "order.body_not_json",
        "order.account_id_invalid",
        "order.pin_invalid",
        "order.delivery_address_invalid",
        "order.address_field_blank",
        "order.country_code_invalid",
        "order.delivery_method_invalid",
        "order.name_invalid",
        "order.auto_convert_invalid",
        "order.spending_limit_invalid",
        "order.spending_limit_amount_invalid",
        "order.spending_limit_amount_too_large",
      ],
    },
    { id: "address", points: ["order.address_field_required", "order.post_code_format"] },
    { id: "delivery_method", points: ["order.delivery_method_not_offered"] },
    { id: "spending_limit_cap", points: ["order.spending_limit_over_cap"] },
    { id: "request", points: ["order.invalid_request"] },
    { id: "account", points: ["order.account_not_found"] },
    { id: "no_change_in_progress", points: ["order.change_in_progress"] },
    { id: "company_active", points: ["order.company_inactive"] },
    { id: "account_open", points: ["order.account_closed"] },
    { id: "company_details", points: ["order.company_details_missing"] },
    { id: "cardholder_details", points: ["order.cardholder_details_missing"] },
    { id: "country", points: ["order.country_undeliverable"] },
    { id: "quota", points: ["order.quota_reached"] },
    {
      id: "issuer",
      points: ["order.issuer_rejected", "order.issuer_bad_gateway", "order.issuer_unavailable"],
    },
  ],
  listCards: ofCards({ id: "query", points: ["cards.query_invalid"] }),
  getCard: ofCards(card),
  freezeCard: plainChange,
  unfreezeCard: plainChange,
  setSpendingLimit: ofCards(contentType, body, request, card, cap, noChange, state),
  removeSpendingLimit: plainChange,
  changeCard: ofCards(contentType, body, request, card, noChange, state),
  terminateCard: plainChange,
  replaceCard: ofCards(
    contentType,
    ...key,
    body,
    address,
    { id: "delivery_method", points: ["cards.delivery_method_not_offered"] },
    request,
    card,
    noChange,
    state,
    ...issuable,
    { id: "country", points: ["cards.country_undeliverable"] },
    quota,
    issuer,
  ),
  orderVirtualCard: ofCards(
    contentType,
    ...key,
    body,
    cap,
    request,
    { id: "account", points: ["cards.account_not_found"] },
    { id: "no_change_in_progress", points: ["cards.virtual_change_in_progress"] },
    ...issuable,
    quota,
    issuer,
  ),
  listDeliveryOptions: ofCards(contentType, body, address, request),
  listAccounts: developer({ id: "query", points: ["accounts.query_invalid"] }),
  getAccount: developer({ id: "account", points: ["accounts.not_found"] }),
  // Companies are no functional area, to which a company would be entitled.
  listCompanies: [
    ...callerChecks(acting.others),
    permission,
    { id: "query", points: ["companies.query_invalid"] },
  ],
  listTransactions: developer({ id: "query", points: ["transactions.query_invalid"] }),
  getTransaction: developer({ id: "transaction", points: ["transactions.not_found"] }),
  listInvoices: developer({ id: "query", points: ["invoices.query_invalid"] }),
  getInvoice: developer({ id: "invoice", points: ["invoices.not_found"] }),
  createWebhook: developer(...webhookBody, { id: "limit", points: ["webhooks.limit_reached"] }),
  listWebhooks: developer(webhookQuery),
  getWebhook: developer(webhook),
  changeWebhook: developer(webhook, ...webhookBody),
  deleteWebhook: developer(webhook),
  rotateWebhookSecret: developer(webhook, { id: "rotation", points: ["webhooks.rotation_limit_reached"] }),
  testWebhook: developer(webhook, ...webhookSends),
  listWebhookDeliveries: developer(webhook, webhookQuery),
  resendWebhookDelivery: developer(
    webhook,
    { id: "delivery", points: ["webhooks.delivery_not_found"] },
    ...webhookSends,
  ),
};

/**
 * The ids of the checks that a request had passed when the point decided: those before the check that the
 * point is of, or all of them for a success. None where the point is of no check of the operation.
 */
export function checksPassed(operation: OperationId, point: PointId): readonly string[] {
  return passed.get(operation)?.get(point) ?? [];
}

const passed = new Map(operationIds.map((id) => [id, passedByPoint(id)]));

function passedByPoint(operation: OperationId): Map<PointId, readonly string[]> {
  const ids = checks[operation].map(({ id }) => id);
  const refusals = checks[operation].flatMap(({ points }, i) =>
    points.map((point) => [point, ids.slice(0, i)] as const),
  );
  return new Map<PointId, readonly string[]>([...refusals, [operations[operation].success, ids]]);
}
