import { isCardPath, type OperationId, operationIds, operations } from "./operations.ts";
import type { ErrorPointId, PointId } from "./points.ts";

/**
 * What happens to the request when a scenario sets a fact or a fault: it is refused with a contract point, or
 * - `continues`: it is delayed or changed, and goes on;
 * - `replaces_response`: it succeeds, but the client receives another response;
 * - `ends_connection`: the client receives no response, or part of one.
 */
export type Outcome = ErrorPointId | "continues" | "replaces_response" | "ends_connection";

/** A fact or a fault of a scenario file, and the value that it must have, if only one value has this outcome. */
export type ForcePath = `facts.${string}` | `faults.${string}.${string}`;

/** One row of the table: a check, or a step with an effect. */
export interface Decision {
  /** The name in the journal's list of checks. Steps that no request can fail have none. */
  readonly id?: string;
  /** The layer that binds the check to a function. */
  readonly by?: "http" | "access" | "cards" | "payments" | "webhooks";
  /**
   * A step with an effect. The layers perform it in place of binding a function:
   * - `scenario`: the request claims a step of a scenario, which can refuse it at once;
   * - `read`: the body or the query is read;
   * - `replay`: a reused Idempotency-Key returns the original card;
   * - `issuer`: the card issuer is called, which may take time;
   * - `insert`: the card is stored;
   * - `success`: the operation does its work;
   * - `delay`, `lose`, `send`: the response is delayed, lost and sent.
   */
  readonly step?:
    | "scenario"
    | "read"
    | "replay"
    | "issuer"
    | "insert"
    | "success"
    | "delay"
    | "lose"
    | "send";
  /** The contract points that the check raises, in the order in which it looks for their causes. */
  readonly points?: readonly PointId[];
  /** The facts and faults of scenarios that strike here, in the order in which they strike. */
  readonly forcedBy?: Readonly<Record<ForcePath, Outcome>>;
  /** The faults strike every response, also a refusal. Absent: a success only. */
  readonly everyResponse?: true;
}

type Family = "order" | "cards";

/** Declares a row, and keeps its literal types. */
const row = <const Row extends Decision>(declared: Row): Row => declared;

/** The end of every operation, in which a response can still go wrong. */
const lost = {
  "faults.response.reset": "ends_connection",
  "faults.response.empty": "ends_connection",
} as const;
const delay = row({
  step: "delay",
  forcedBy: { "faults.response.latency_ms": "continues" },
  everyResponse: true,
});
const send = row({
  step: "send",
  forcedBy: { "faults.response.truncated": "ends_connection" },
  everyResponse: true,
});
const sending = [delay, row({ step: "lose", forcedBy: lost }), send] as const;
/** The gateway in front of the service can lose the issuer's answer: the client receives 502, though the card exists. */
const sendingCard = [
  delay,
  row({ step: "lose", forcedBy: { ...lost, "faults.response.bad_gateway": "replaces_response" } }),
  send,
] as const;

/** The events that an operation emits can go wrong on their way. */
const emits = {
  "faults.webhook.duplicate": "continues",
  "faults.webhook.reorder": "continues",
  "faults.webhook.stale": "continues",
  "faults.webhook.bad_signature": "continues",
} as const;
/** The response shows what cards have spent, which can be unreadable. */
const showsUsed = { "facts.used_unreadable": "continues" } as const;

/** Every operation meets these faults as soon as its caller is known. */
const atStart = {
  "faults.request.latency_ms": "continues",
  "faults.request.dropped": "ends_connection",
} as const;
const rateLimit = row({
  id: "rate_limit",
  by: "http",
  points: ["gateway.rate_limited"],
  forcedBy: { "faults.request.rate_limited": "gateway.rate_limited" },
});

/** Both token endpoints. The body and the key are checked before the caller is known, and so before the scenario. */
const exchange = [
  row({ id: "body", step: "read", points: ["token.invalid_request"] }),
  row({ id: "key_environment", by: "access", points: ["token.environment_mismatch"] }),
  row({ id: "key_known", by: "access", points: ["token.key_unknown"] }),
  row({ step: "scenario", forcedBy: { ...atStart, "facts.request_valid": "token.invalid_request" } }),
  rateLimit,
  row({
    id: "availability",
    by: "http",
    points: ["token.unavailable"],
    forcedBy: { "faults.token.unavailable": "token.unavailable" },
  }),
  row({
    id: "key_active",
    by: "access",
    points: ["token.key_revoked"],
    forcedBy: { "facts.key_revoked": "token.key_revoked" },
  }),
  row({ id: "member_active", by: "access", points: ["token.member_inactive"] }),
  row({ step: "success", points: ["token.issued"], forcedBy: { "faults.token.lifetime_s": "continues" } }),
  ...sending,
] as const;

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

/**
 * The first checks under `/developer`: who calls, and for which company. A scenario refuses the access token only after
 * both: only then is it known for whom it is armed.
 */
const caller = <const Points extends ActingPoints>(points: Points) =>
  [
    {
      id: "access_token",
      by: "http",
      points: [
        "auth.token_missing",
        "auth.api_key_as_bearer",
        "auth.token_invalid",
        "auth.token_expired",
        "auth.environment_mismatch",
      ],
    },
    { id: "acting_company", by: "http", points },
    {
      step: "scenario",
      forcedBy: {
        ...atStart,
        "facts.token=refused": "auth.token_invalid",
        "facts.token=expired": "auth.token_expired",
      },
    },
    rateLimit,
  ] as const;

const permission = row({
  id: "permission",
  by: "http",
  points: ["access.forbidden"],
  forcedBy: { "facts.permissions": "access.forbidden" },
});
const entitlement = row({
  id: "entitlement",
  by: "http",
  points: ["access.not_entitled"],
  forcedBy: { "facts.entitled": "access.not_entitled" },
});
const ofCards = [...caller(acting.cards), permission, entitlement] as const;
const ofOthers = [...caller(acting.others), permission, entitlement] as const;

/** Reads the query of a list. */
const query = <const Point extends ErrorPointId>(point: Point) =>
  row({ id: "query", step: "read", points: [point] });
/** Does an operation's work. */
const success = <
  const Point extends PointId,
  const Forced extends Decision["forcedBy"] = Record<never, never>,
>(
  point: Point,
  forcedBy?: Forced,
) => ({ step: "success", points: [point], ...(forcedBy && { forcedBy }) }) as const;

// The checks that orders and other changes of cards share.

const invalidRequest = <const F extends Family>(family: F) =>
  ({
    id: "request",
    by: "cards",
    points: [`${family}.invalid_request`],
    forcedBy: { "facts.request_valid": `${family}.invalid_request` },
  }) as const;
const contentType = row({ id: "content_type", by: "http", points: ["cards.content_type_invalid"] });
const body = row({ id: "body", step: "read", points: ["cards.body_invalid"] });
const address = <const F extends Family>(family: F) =>
  ({
    id: "address",
    by: "cards",
    points: [`${family}.address_field_required`, `${family}.post_code_format`],
  }) as const;
const deliveryMethod = <const F extends Family>(family: F) =>
  ({ id: "delivery_method", by: "cards", points: [`${family}.delivery_method_not_offered`] }) as const;
const cap = <const F extends Family>(family: F) =>
  ({ id: "spending_limit_cap", by: "cards", points: [`${family}.spending_limit_over_cap`] }) as const;
const account = <const F extends Family>(family: F) =>
  ({
    id: "account",
    by: "cards",
    points: [`${family}.account_not_found`],
    forcedBy: { "facts.account=missing": `${family}.account_not_found` },
  }) as const;
const noChange = <const Point extends ErrorPointId>(point: Point) =>
  ({
    id: "no_change_in_progress",
    by: "cards",
    points: [point],
    forcedBy: { "facts.change_in_progress": point },
  }) as const;
const key = [
  row({ id: "idempotency_key", by: "http", points: ["cards.idempotency_key_invalid"] }),
  row({ id: "key_unused", step: "replay", points: ["cards.replayed", "cards.key_in_progress"] }),
] as const;

/** Whether the company, the account and the cardholder may have a card. */
const issuable = <const F extends Family>(family: F) =>
  [
    {
      id: "company_active",
      by: "cards",
      points: [`${family}.company_inactive`],
      forcedBy: { "facts.company_status": `${family}.company_inactive` },
    },
    {
      id: "account_open",
      by: "cards",
      points: [`${family}.account_closed`],
      forcedBy: { "facts.account=closed": `${family}.account_closed` },
    },
    {
      id: "company_details",
      by: "cards",
      points: [`${family}.company_details_missing`],
      forcedBy: { "facts.company_details_complete": `${family}.company_details_missing` },
    },
    {
      id: "cardholder_details",
      by: "cards",
      points: [`${family}.cardholder_details_missing`],
      forcedBy: { "facts.cardholder_details_complete": `${family}.cardholder_details_missing` },
    },
  ] as const;
const country = <const F extends Family>(family: F) =>
  ({
    id: "country",
    by: "cards",
    points: [`${family}.country_undeliverable`],
    forcedBy: { "facts.country_deliverable": `${family}.country_undeliverable` },
  }) as const;
const quota = <const F extends Family>(family: F) =>
  ({
    id: "quota",
    by: "cards",
    points: [`${family}.quota_reached`],
    forcedBy: { "facts.quota_reached": `${family}.quota_reached` },
  }) as const;
const issuer = <const F extends Family>(family: F) =>
  ({
    id: "issuer",
    step: "issuer",
    points: [`${family}.issuer_rejected`, `${family}.issuer_bad_gateway`, `${family}.issuer_unavailable`],
    forcedBy: {
      "faults.issuer.latency_ms": "continues",
      "faults.issuer.hold_ms": "continues",
      "faults.issuer.rejected": `${family}.issuer_rejected`,
      "faults.issuer.bad_gateway": `${family}.issuer_bad_gateway`,
      "faults.issuer.unavailable": `${family}.issuer_unavailable`,
    },
  }) as const;
/** Stores the card that was ordered. */
const insert = <const Point extends PointId>(point: Point) =>
  ({ step: "insert", points: [point], forcedBy: { ...showsUsed, ...emits } }) as const;

const card = row({ id: "card", by: "cards", points: ["cards.not_found"] });
const state = row({ id: "state", by: "cards", points: ["cards.state_conflict"] });
const noCardChange = noChange("cards.change_in_progress");
/** A change of a card without a body. */
const plainChange = [...ofCards, invalidRequest("cards"), card, noCardChange, state] as const;

const webhook = row({ id: "webhook", by: "webhooks", points: ["webhooks.not_found"] });
const webhookBody = [
  row({ id: "body", step: "read", points: ["webhooks.body_invalid"] }),
  row({ id: "url", by: "webhooks", points: ["webhooks.url_invalid", "webhooks.url_not_allowed"] }),
] as const;
const webhookSends = [
  row({ id: "webhook_active", by: "webhooks", points: ["webhooks.disabled"] }),
  row({ id: "backlog", by: "webhooks", points: ["webhooks.backlog_full"] }),
] as const;

/**
 * The decisions table: for each operation, in order, the checks and the steps that a request passes on its way to
 * success. The spec shows no order: this one is ours. Points that can strike whatever the request (an unknown path, a
 * defect) are in no row.
 *
 * To add a check, add a row here and a function in the layer that the row names. A layer binds its functions by id:
 * ```ts
 * const checks: { readonly [Id in CheckId<"orderPhysicalCard", "cards">]: (order: OrderFacts) => void } = {
 *   address: …,
 *   quota: …,
 * };
 * for (const id of checksBy("orderPhysicalCard", "cards")) checks[id](order);
 * ```
 * A row without a function, and a function without a row, do not compile.
 */
export const decisions = {
  exchangeSandboxKey: exchange,
  exchangeLiveKey: exchange,
  orderPhysicalCard: [
    ...caller(acting.order),
    {
      id: "permission",
      by: "http",
      points: ["order.forbidden"],
      forcedBy: { "facts.permissions": "order.forbidden" },
    },
    {
      id: "entitlement",
      by: "http",
      points: ["order.not_entitled"],
      forcedBy: { "facts.entitled": "order.not_entitled" },
    },
    { id: "content_type", by: "http", points: ["order.content_type_invalid"] },
    {
      id: "idempotency_key",
      by: "http",
      points: ["order.idempotency_key_missing", "order.idempotency_key_invalid"],
    },
    {
      id: "key_unused",
      step: "replay",
      points: ["order.replayed", "order.replayed_with_other_body", "order.key_in_progress"],
    },
    {
      id: "body",
      step: "read",
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
    address("order"),
    deliveryMethod("order"),
    cap("order"),
    invalidRequest("order"),
    account("order"),
    noChange("order.change_in_progress"),
    ...issuable("order"),
    country("order"),
    quota("order"),
    issuer("order"),
    insert("order.created"),
    ...sendingCard,
  ],
  listCards: [...ofCards, query("cards.query_invalid"), success("cards.listed", showsUsed), ...sending],
  getCard: [...ofCards, card, success("cards.shown", showsUsed), ...sending],
  freezeCard: [...plainChange, success("cards.frozen", { ...showsUsed, ...emits }), ...sending],
  unfreezeCard: [...plainChange, success("cards.unfrozen", { ...showsUsed, ...emits }), ...sending],
  setSpendingLimit: [
    ...ofCards,
    contentType,
    body,
    invalidRequest("cards"),
    card,
    cap("cards"),
    noCardChange,
    state,
    success("cards.spending_limit_set", { ...showsUsed, ...emits }),
    ...sending,
  ],
  removeSpendingLimit: [...plainChange, success("cards.spending_limit_removed", emits), ...sending],
  changeCard: [
    ...ofCards,
    contentType,
    body,
    invalidRequest("cards"),
    card,
    noCardChange,
    state,
    success("cards.changed", showsUsed),
    ...sending,
  ],
  terminateCard: [...plainChange, success("cards.terminated", emits), ...sending],
  replaceCard: [
    ...ofCards,
    contentType,
    ...key,
    body,
    address("cards"),
    deliveryMethod("cards"),
    invalidRequest("cards"),
    card,
    noCardChange,
    state,
    ...issuable("cards"),
    country("cards"),
    quota("cards"),
    issuer("cards"),
    insert("cards.replaced"),
    ...sendingCard,
  ],
  orderVirtualCard: [
    ...ofCards,
    contentType,
    ...key,
    body,
    cap("cards"),
    invalidRequest("cards"),
    account("cards"),
    noChange("cards.virtual_change_in_progress"),
    ...issuable("cards"),
    quota("cards"),
    issuer("cards"),
    insert("cards.virtual_created"),
    ...sendingCard,
  ],
  listDeliveryOptions: [
    ...ofCards,
    contentType,
    body,
    address("cards"),
    invalidRequest("cards"),
    success("cards.delivery_options_listed", { "facts.country_deliverable": "continues" }),
    ...sending,
  ],
  listAccounts: [...ofOthers, query("accounts.query_invalid"), success("accounts.listed"), ...sending],
  getAccount: [
    ...ofOthers,
    { id: "account", by: "payments", points: ["accounts.not_found"] },
    success("accounts.shown"),
    ...sending,
  ],
  // Companies are not a functional area, so no company needs to be entitled to them.
  listCompanies: [
    ...caller(acting.others),
    permission,
    query("companies.query_invalid"),
    success("companies.listed"),
    ...sending,
  ],
  listTransactions: [
    ...ofOthers,
    query("transactions.query_invalid"),
    success("transactions.listed"),
    ...sending,
  ],
  getTransaction: [
    ...ofOthers,
    { id: "transaction", by: "payments", points: ["transactions.not_found"] },
    success("transactions.shown"),
    ...sending,
  ],
  listInvoices: [...ofOthers, query("invoices.query_invalid"), success("invoices.listed"), ...sending],
  getInvoice: [
    ...ofOthers,
    { id: "invoice", by: "payments", points: ["invoices.not_found"] },
    success("invoices.shown"),
    ...sending,
  ],
  createWebhook: [
    ...ofOthers,
    ...webhookBody,
    { id: "limit", by: "webhooks", points: ["webhooks.limit_reached"] },
    success("webhooks.created"),
    ...sending,
  ],
  listWebhooks: [...ofOthers, query("webhooks.query_invalid"), success("webhooks.listed"), ...sending],
  getWebhook: [...ofOthers, webhook, success("webhooks.shown"), ...sending],
  changeWebhook: [...ofOthers, webhook, ...webhookBody, success("webhooks.changed"), ...sending],
  deleteWebhook: [...ofOthers, webhook, success("webhooks.deleted"), ...sending],
  rotateWebhookSecret: [
    ...ofOthers,
    webhook,
    { id: "rotation", by: "webhooks", points: ["webhooks.rotation_limit_reached"] },
    success("webhooks.secret_rotated"),
    ...sending,
  ],
  testWebhook: [...ofOthers, webhook, ...webhookSends, success("webhooks.tested", emits), ...sending],
  listWebhookDeliveries: [
    ...ofOthers,
    webhook,
    query("webhooks.query_invalid"),
    success("webhooks.deliveries_listed"),
    ...sending,
  ],
  resendWebhookDelivery: [
    ...ofOthers,
    webhook,
    { id: "delivery", by: "webhooks", points: ["webhooks.delivery_not_found"] },
    ...webhookSends,
    success("webhooks.delivery_resent"),
    ...sending,
  ],
} as const satisfies Record<OperationId, readonly Decision[]>;

type RowOf<Operation extends OperationId> = (typeof decisions)[Operation][number];

/** The checks of an operation, or those that one layer binds. Steps are not among them. */
export type CheckId<
  Operation extends OperationId,
  Layer extends NonNullable<Decision["by"]> = NonNullable<Decision["by"]>,
> = Extract<RowOf<Operation>, { readonly by: Layer }>["id"];

/** The contract points that a check, or a step with an id, of an operation raises. */
export type PointOfCheck<Operation extends OperationId, Id extends string> = Extract<
  RowOf<Operation>,
  { readonly id: Id }
>["points"][number];

/** The rows of an operation, in order. */
export function decisionsOf(operation: OperationId): readonly Decision[] {
  return decisions[operation];
}

/** The ids of the checks of an operation that a layer binds, in order. */
export function checksBy<Operation extends OperationId, Layer extends NonNullable<Decision["by"]>>(
  operation: Operation,
  layer: Layer,
): readonly CheckId<Operation, Layer>[] {
  const bound = decisionsOf(operation).filter(({ by }) => by === layer);
  return bound.map(({ id }) => id as CheckId<Operation, Layer>);
}

/** A row that the journal and the dashboard list. */
export type ListedCheck = Decision & { readonly id: string; readonly points: readonly PointId[] };

const listed = new Map(operationIds.map((id) => [id, decisionsOf(id).filter(isListed)]));

function isListed(decision: Decision): decision is ListedCheck {
  return decision.id !== undefined && decision.points !== undefined;
}

/** The checks of an operation, and its steps that can refuse a request, in order. */
export function checksOf(operation: OperationId): readonly ListedCheck[] {
  return listed.get(operation) ?? [];
}

/**
 * The ids of the checks that a request had passed when the point decided: those before the check that the
 * point is of, or all of them for a success. None where the point is of no check of the operation.
 */
export function checksPassed(operation: OperationId, point: PointId): readonly string[] {
  return passed.get(operation)?.get(point) ?? [];
}

const passed = new Map(operationIds.map((id) => [id, passedByPoint(id)]));

function passedByPoint(operation: OperationId): Map<PointId, readonly string[]> {
  const ids = checksOf(operation).map(({ id }) => id);
  const refusals = checksOf(operation).flatMap(({ points }, i) =>
    points.map((point) => [point, ids.slice(0, i)] as const),
  );
  return new Map<PointId, readonly string[]>([...refusals, [operations[operation].success, ids]]);
}
