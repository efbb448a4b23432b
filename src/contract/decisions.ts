import type { Decision, ForcePath, Forces, Layer } from "./decision.ts";
import { isCardPath, type OperationId, operationIds, operations } from "./operations.ts";
import type { ContractPointId, ErrorPointId } from "./points.ts";

/** A check that scenarios do not force. */
const check = <const Id extends string, const By extends Layer, const Point extends ErrorPointId>(
  id: Id,
  by: By,
  ...points: readonly Point[]
) => ({ id, by, points });

/** A check with one point, and the fact or fault that forces it. */
const forcible = <const Id extends string, const By extends Layer, const Point extends ErrorPointId>(
  id: Id,
  by: By,
  point: Point,
  path: ForcePath,
) => ({ id, by, points: [point], forcedBy: { [path]: point } });

/** Reads the body or the query. */
const read = <const Id extends string, const Point extends ErrorPointId>(
  id: Id,
  ...points: readonly Point[]
) => ({ id, step: "read" as const, points });

/** Effects that scenarios can have on an operation without refusing it. */
const effects = {
  none: {},
  /** The delivery of its events can be faulty. */
  emits: {
    "faults.webhook.duplicate": "continues",
    "faults.webhook.reorder": "continues",
    "faults.webhook.stale": "continues",
    "faults.webhook.bad_signature": "continues",
  },
  /** The response shows the spending of cards, which can be unreadable. */
  showsUsed: { "facts.used_unreadable": "continues" },
} as const satisfies Record<string, Forces>;

/** The end of every operation, in which faults can still affect its response. */
const sending = (lost: Forces = {}) =>
  [
    {
      step: "delay",
      forcedBy: { "faults.response.latency_ms": "continues", "faults.response.silent_ms": "ends_connection" },
      everyResponse: true,
    },
    {
      step: "lose",
      forcedBy: {
        "faults.response.reset": "ends_connection",
        "faults.response.empty": "ends_connection",
        ...lost,
      },
    },
    { step: "send", forcedBy: { "faults.response.truncated": "ends_connection" }, everyResponse: true },
  ] as const;
const success = (forcedBy: Forces = effects.none) => [{ step: "success", forcedBy }, ...sending()] as const;
/**
 * The connection can be lost while the issuer works, whatever the issuer then answers. The gateway in front of the service
 * can lose the response of the issuer: the client receives 502, but the card exists.
 */
const insert = [
  { step: "insert", forcedBy: { ...effects.showsUsed, ...effects.emits } },
  { step: "lose", forcedBy: { "faults.issuer.disconnect": "ends_connection" }, everyResponse: true },
  ...sending({ "faults.response.bad_gateway": "replaces_response" }),
] as const;

/** The request claims its step after the checks that identify the caller, because scenarios are armed for companies. */
const scenario = (refusals: Forces) =>
  ({
    step: "scenario",
    forcedBy: {
      "faults.request.latency_ms": "continues",
      "faults.request.dropped": "ends_connection",
      ...refusals,
    },
  }) as const;
const rateLimit = forcible("rate_limit", "http", "gateway.rate_limited", "faults.request.rate_limited");

/** Both token endpoints. */
const exchange = [
  read("body", "token.invalid_request"),
  check("key_environment", "access", "token.environment_mismatch"),
  check("key_known", "access", "token.key_unknown"),
  scenario({ "facts.request_valid": "token.invalid_request" }),
  rateLimit,
  forcible("availability", "http", "token.unavailable", "faults.token.unavailable"),
  forcible("key_active", "access", "token.key_revoked", "facts.key_revoked"),
  check("member_active", "access", "token.member_inactive"),
  ...success({ "faults.token.lifetime_s": "continues" }),
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

/** The first checks under `/developer`: they identify the caller and the company. */
const caller = (actingFor: ActingPoints) =>
  [
    check(
      "access_token",
      "http",
      "auth.token_missing",
      "auth.api_key_as_bearer",
      "auth.token_invalid",
      "auth.token_expired",
      "auth.environment_mismatch",
    ),
    check("acting_company", "http", ...actingFor),
    scenario({ "facts.token=refused": "auth.token_invalid", "facts.token=expired": "auth.token_expired" }),
    rateLimit,
  ] as const;
const permission = forcible("permission", "http", "access.forbidden", "facts.permissions");
const entitlement = forcible("entitlement", "http", "access.not_entitled", "facts.entitled");
const ofCards = [...caller(acting.cards), permission, entitlement] as const;
const ofOthers = [...caller(acting.others), permission, entitlement] as const;

/** The specified order has its own points for the same checks, so that no assumed refusal looks specified. */
type Family = "order" | "cards";

const contentType = <const F extends Family>(family: F) =>
  check("content_type", "http", `${family}.content_type_invalid`);
const address = <const F extends Family>(family: F) =>
  check("address", "cards", `${family}.address_field_required`, `${family}.post_code_format`);
const method = <const F extends Family>(family: F) =>
  check("delivery_method", "cards", `${family}.delivery_method_not_offered`);
const cap = <const F extends Family>(family: F) =>
  check("spending_limit_cap", "cards", `${family}.spending_limit_over_cap`);
const invalid = <const F extends Family>(family: F) =>
  forcible("request", "cards", `${family}.invalid_request`, "facts.request_valid");
const account = <const F extends Family>(family: F) =>
  forcible("account", "cards", `${family}.account_not_found`, "facts.account=missing");
const noChange = <const Point extends ErrorPointId>(point: Point) =>
  forcible("no_change_in_progress", "cards", point, "facts.change_in_progress");
/** The checks that the company, the account and the cardholder can have a card. */
const issuable = <const F extends Family>(family: F) =>
  [
    forcible("company_active", "cards", `${family}.company_inactive`, "facts.company_status"),
    forcible("account_open", "cards", `${family}.account_closed`, "facts.account=closed"),
    forcible(
      "company_details",
      "cards",
      `${family}.company_details_missing`,
      "facts.company_details_complete",
    ),
    forcible(
      "cardholder_details",
      "cards",
      `${family}.cardholder_details_missing`,
      "facts.cardholder_details_complete",
    ),
  ] as const;
const country = <const F extends Family>(family: F) =>
  forcible("country", "cards", `${family}.country_undeliverable`, "facts.country_deliverable");
const quota = <const F extends Family>(family: F) =>
  forcible("quota", "cards", `${family}.quota_reached`, "facts.quota_reached");
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

const key = [
  check("idempotency_key", "http", "cards.idempotency_key_invalid"),
  {
    id: "key_unused",
    step: "replay",
    points: ["cards.replayed", "cards.key_reused", "cards.key_in_progress"],
  },
] as const;
const body = read("body", "cards.body_too_large", "cards.body_invalid", "cards.unknown_field");
const card = check("card", "cards", "cards.of_colleague", "cards.of_other_company", "cards.not_found");
const bodyWithPin = read("body", ...body.points, "cards.pin_weak");
const noCardChange = noChange("cards.change_in_progress");
const state = check("state", "cards", "cards.state_conflict");
/** A change of a card without a body. */
const plainChange = [...ofCards, invalid("cards"), card, noCardChange, state] as const;

const webhook = check("webhook", "webhooks", "webhooks.not_found");
const webhookBody = [
  read("body", "webhooks.body_invalid"),
  check("url", "webhooks", "webhooks.url_invalid", "webhooks.url_not_allowed"),
] as const;
const webhookSends = [
  check("webhook_active", "webhooks", "webhooks.disabled"),
  check("backlog", "webhooks", "webhooks.backlog_full"),
] as const;

/**
 * The decisions table: for each operation, in order, the checks and the steps that a request passes on its way to
 * success. The spec shows no order, so this order is assumed. Points that any request can raise (an unknown path, a bug of
 * the sandbox) are in no row.
 *
 * To add a check, add a row here and a function in the layer that the row names. `http` and `cards` bind their functions
 * by id (http/checks.ts, cards/checks.ts): a row without a function, and a function without a row, do not compile. The
 * other layers have few checks and make them in their code; test/contract/precedence.test.ts tests that they follow the table.
 */
export const decisions = {
  exchangeSandboxKey: exchange,
  exchangeLiveKey: exchange,
  orderPhysicalCard: [
    ...caller(acting.order),
    forcible("permission", "http", "order.forbidden", "facts.permissions"),
    forcible("entitlement", "http", "order.not_entitled", "facts.entitled"),
    contentType("order"),
    check("idempotency_key", "http", "order.idempotency_key_missing", "order.idempotency_key_invalid"),
    {
      id: "key_unused",
      step: "replay",
      points: [
        "order.replayed",
        "order.replayed_with_other_body",
        "order.key_reused",
        "order.key_in_progress",
      ],
    },
    read(
      "body",
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
      "order.unknown_field",
      "order.name_blank",
      "order.name_too_long",
      "order.pin_weak",
    ),
    address("order"),
    method("order"),
    cap("order"),
    invalid("order"),
    account("order"),
    noChange("order.change_in_progress"),
    ...issuable("order"),
    country("order"),
    quota("order"),
    issuer("order"),
    ...insert,
  ],
  listCards: [...ofCards, read("query", "cards.query_invalid"), ...success(effects.showsUsed)],
  getCard: [...ofCards, card, ...success(effects.showsUsed)],
  freezeCard: [...plainChange, ...success({ ...effects.showsUsed, ...effects.emits })],
  unfreezeCard: [...plainChange, ...success({ ...effects.showsUsed, ...effects.emits })],
  setSpendingLimit: [
    ...ofCards,
    contentType("cards"),
    body,
    invalid("cards"),
    card,
    cap("cards"),
    noCardChange,
    state,
    ...success({ ...effects.showsUsed, ...effects.emits }),
  ],
  removeSpendingLimit: [...plainChange, ...success(effects.emits)],
  changeCard: [
    ...ofCards,
    contentType("cards"),
    body,
    invalid("cards"),
    card,
    noCardChange,
    state,
    ...success(effects.showsUsed),
  ],
  terminateCard: [...plainChange, ...success(effects.emits)],
  replaceCard: [
    ...ofCards,
    contentType("cards"),
    ...key,
    bodyWithPin,
    address("cards"),
    method("cards"),
    invalid("cards"),
    card,
    noCardChange,
    state,
    ...issuable("cards"),
    country("cards"),
    quota("cards"),
    issuer("cards"),
    ...insert,
  ],
  orderVirtualCard: [
    ...ofCards,
    contentType("cards"),
    ...key,
    body,
    cap("cards"),
    invalid("cards"),
    account("cards"),
    noChange("cards.virtual_change_in_progress"),
    ...issuable("cards"),
    quota("cards"),
    issuer("cards"),
    ...insert,
  ],
  listDeliveryOptions: [
    ...ofCards,
    contentType("cards"),
    body,
    address("cards"),
    invalid("cards"),
    ...success({ "facts.country_deliverable": "continues" }),
  ],
  listAccounts: [...ofOthers, read("query", "accounts.query_invalid"), ...success()],
  getAccount: [...ofOthers, check("account", "payments", "accounts.not_found"), ...success()],
  // Companies are not a functional area, so no company needs to be entitled to them.
  listCompanies: [
    ...caller(acting.others),
    permission,
    read("query", "companies.query_invalid"),
    ...success(),
  ],
  listTransactions: [...ofOthers, read("query", "transactions.query_invalid"), ...success()],
  getTransaction: [...ofOthers, check("transaction", "payments", "transactions.not_found"), ...success()],
  listInvoices: [...ofOthers, read("query", "invoices.query_invalid"), ...success()],
  getInvoice: [...ofOthers, check("invoice", "payments", "invoices.not_found"), ...success()],
  createWebhook: [
    ...ofOthers,
    ...webhookBody,
    check("limit", "webhooks", "webhooks.limit_reached"),
    ...success(),
  ],
  listWebhooks: [...ofOthers, read("query", "webhooks.query_invalid"), ...success()],
  getWebhook: [...ofOthers, webhook, ...success()],
  changeWebhook: [...ofOthers, webhook, ...webhookBody, ...success()],
  deleteWebhook: [...ofOthers, webhook, ...success()],
  rotateWebhookSecret: [
    ...ofOthers,
    webhook,
    check("rotation", "webhooks", "webhooks.rotation_limit_reached"),
    ...success(),
  ],
  testWebhook: [...ofOthers, webhook, ...webhookSends, ...success(effects.emits)],
  listWebhookDeliveries: [...ofOthers, webhook, read("query", "webhooks.query_invalid"), ...success()],
  resendWebhookDelivery: [
    ...ofOthers,
    webhook,
    check("delivery", "webhooks", "webhooks.delivery_not_found"),
    ...webhookSends,
    ...success(),
  ],
} as const satisfies Record<OperationId, readonly Decision[]>;

type RowOf<Operation extends OperationId> = (typeof decisions)[Operation][number];

/** The ids of the checks of an operation, or only of those that one layer binds. Steps are not included. */
export type CheckId<Operation extends OperationId, By extends Layer = Layer> = Extract<
  RowOf<Operation>,
  { readonly by: By }
>["id"];

/** The rows of an operation without a dialect, in order. */
export function decisionsOf(operation: OperationId): readonly Decision[] {
  return decisions[operation];
}

/** The ids of the checks of an operation that a layer binds, in the order of its rows under a contract. */
export function checksBy<Operation extends OperationId, By extends Layer>(
  rows: Readonly<Record<OperationId, readonly Decision[]>>,
  operation: Operation,
  layer: By,
): readonly CheckId<Operation, By>[] {
  const ofOperation = rows[operation];
  const cached = boundByRows.get(ofOperation)?.get(layer);
  const bound = cached ?? ofOperation.flatMap(({ by, id }) => (by === layer && id !== undefined ? id : []));
  if (!cached) {
    boundByRows.set(ofOperation, new Map([...(boundByRows.get(ofOperation) ?? []), [layer, bound]]));
  }
  return bound as readonly CheckId<Operation, By>[];
}

/** Cached, because every request looks them up. */
const boundByRows = new WeakMap<readonly Decision[], ReadonlyMap<Layer, readonly string[]>>();

const deciding = new Map(
  operationIds.map((id) => {
    const refusals = decisionsOf(id).flatMap(({ points = [] }) => points);
    return [id, new Set<string>([...refusals, operations[id].success])];
  }),
);

/** The contract points of an operation under any dialect: those of its rows, and its success. */
export function decidingPoints(operation: OperationId): ReadonlySet<string> {
  return deciding.get(operation) ?? new Set();
}

/** A row that the journal and the dashboard list. */
export type ListedCheck = Decision & { readonly id: string; readonly points: readonly ContractPointId[] };

function isListed(decision: Decision): decision is ListedCheck {
  return decision.id !== undefined && decision.points !== undefined;
}

/** The checks of an operation, and its steps that can refuse a request, in the order of its rows. */
export function checksOf(rows: readonly Decision[]): readonly ListedCheck[] {
  return rows.filter(isListed);
}

/**
 * The ids of the checks that a request passed before the point was raised: the checks before the one that raises it, or
 * all checks for the success of the operation. Empty if no check raises the point.
 */
export function checksPassed(
  rows: readonly Decision[],
  operation: OperationId,
  point: ContractPointId,
): readonly string[] {
  let passed = passedByRows.get(rows);
  if (!passed) {
    passed = passedByPoint(rows);
    passedByRows.set(rows, passed);
  }
  return passed.get(point === operations[operation].success ? "success" : point) ?? [];
}

type PassedByPoint = Map<ContractPointId | "success", readonly string[]>;

/** Cached, because the journal looks it up for each request. */
const passedByRows = new WeakMap<readonly Decision[], PassedByPoint>();

function passedByPoint(rows: readonly Decision[]): PassedByPoint {
  const checks = checksOf(rows);
  const ids = checks.map(({ id }) => id);
  const refusals = checks.flatMap(({ points }, i) =>
    points.map((point) => [point, ids.slice(0, i)] as const),
  );
  return new Map<ContractPointId | "success", readonly string[]>([...refusals, ["success", ids]]);
}

export interface CheckOutcome {
  readonly id: string;
  readonly outcome: "passed" | "decided" | "not-reached";
}

/**
 * The checks of an operation in order, each with its outcome for a request that met the point. If the point belongs to
 * no check, none is marked as decided.
 */
export function checkOutcomes(
  rows: readonly Decision[],
  operation: OperationId,
  point: ContractPointId,
): CheckOutcome[] {
  const passed = checksPassed(rows, operation, point).length;
  return checksOf(rows).map(({ id, points }, i) => {
    if (i < passed) return { id, outcome: "passed" };
    return { id, outcome: points.includes(point) && i === passed ? "decided" : "not-reached" };
  });
}
