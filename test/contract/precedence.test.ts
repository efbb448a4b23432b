import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { behaviourIds, behaviours, type Choices } from "../../src/contract/behaviours.ts";
import { checksOf, type decisions } from "../../src/contract/decisions.ts";
import { type Contract, contractUnder, defaultContract } from "../../src/contract/dialect.ts";
import { type OperationId, operationIds, operations } from "../../src/contract/operations.ts";
import { readShippedScenarios } from "../../src/node/input-files.ts";
import type { FactsOverlay, IssuerAnswer } from "../../src/rules/overlay.ts";
import { dialectWith } from "../support/open-sandbox.ts";
import { openWebhooks } from "../support/open-webhooks.ts";
import { london } from "../support/physical-order.ts";

type Sandbox = Awaited<ReturnType<typeof openWebhooks>>;

/** A request that succeeds, until faults are added to it. */
interface Attempt {
  readonly operation: OperationId;
  readonly sandbox: Sandbox;
  token: string;
  headers: Record<string, string>;
  /** The id, and the delivery's id, in the path. */
  id: string;
  deliveryId: string;
  query: string;
  body: Record<string, unknown>;
  facts: FactsOverlay;
  issuer: IssuerAnswer;
  scenario: string | undefined;
}

/** Makes the request fail one check, without affecting later checks. */
type Fault = (attempt: Attempt) => Promise<unknown> | unknown;

type RowId<Operation extends OperationId> = Extract<
  (typeof decisions)[Operation][number],
  { readonly id: string }
>["id"];
/** A row without a fault does not compile. */
type Faults = { readonly [Operation in OperationId]: { readonly [Id in RowId<Operation>]: Fault } };

const unknownId = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

const believe =
  (facts: FactsOverlay): Fault =>
  (attempt) => {
    attempt.facts = { ...attempt.facts, ...facts };
  };
const send =
  (fields: Record<string, unknown>): Fault =>
  ({ body }) =>
    Object.assign(body, fields);
const sendAddress =
  (fields: Record<string, unknown>): Fault =>
  ({ body }) =>
    Object.assign(body, { delivery_address: { ...(body.delivery_address as object), ...fields } });
const header =
  (name: string, value: string): Fault =>
  ({ headers }) =>
    Object.assign(headers, { [name]: value });
const badQuery: Fault = (attempt) => {
  attempt.query = "?limit=0";
};
const unknownPath: Fault = (attempt) => {
  attempt.id = unknownId;
};

const rateLimit = {
  rate_limit: (attempt: Attempt) => {
    attempt.scenario = attempt.scenario === undefined ? "rate-limited" : "both";
  },
};
const caller = {
  access_token: (attempt: Attempt) => {
    attempt.token = "not-a-token";
  },
  acting_company: header("X-On-Behalf-Of", "northwind"),
  ...rateLimit,
  permission: believe({ permissions: [] }),
};
const entitled = { ...caller, entitlement: believe({ entitled: false }) };
const query = { ...entitled, query: badQuery };

const request = { request: believe({ requestValid: false }) };
const change = {
  card: unknownPath,
  no_change_in_progress: believe({ changeInProgress: true }),
  state: async (attempt: Attempt) => {
    const { sandbox, facts } = attempt;
    sandbox.force.facts = {};
    sandbox.force.issuer = { issue: () => ({ outcome: "issued" }) };
    attempt.id = (await sandbox.order()).json.id;
    await sandbox.call("POST", `/developer/cards/${attempt.id}/terminate`);
    sandbox.force.facts = facts;
  },
};
const plainChange = { ...entitled, ...request, ...change };
const content_type = header("Content-Type", "text/plain");
const address = sendAddress({ post_code: "1" });
const spending_limit_cap = send({ spending_limit: { period: "daily", amount: "10000.01" } });
const key = {
  content_type,
  idempotency_key: header("Idempotency-Key", "order-1"),
  key_unused: async (attempt: Attempt) => {
    const { success } = operations[attempt.operation];
    const first = attempt.sandbox.exchanges.find(({ point }) => point === success);
    attempt.headers["Idempotency-Key"] = first?.idempotencyKey ?? "";
  },
};
const issuable = {
  company_active: believe({ companyStatus: "suspended" }),
  account_open: believe({ account: "closed" }),
  company_details: believe({ companyDetailsComplete: false }),
  cardholder_details: believe({ cardholderDetailsComplete: false }),
  quota: believe({ quotaReached: true }),
  issuer: (attempt: Attempt) => {
    attempt.issuer = { outcome: "unavailable" };
  },
};
const country = believe({ countryDeliverable: false });

const exchange = {
  body: ((attempt) => {
    attempt.body = { key: attempt.body.api_key };
  }) as Fault,
  key_environment: ({ sandbox, body }: Attempt) => {
    const isLive = String(body.api_key).startsWith("sk_live_");
    body.api_key = `sk_${isLive ? "sandbox" : "live"}_nobody_${sandbox.exchanges.length}`;
  },
  key_known: ({ body }: Attempt) => {
    body.api_key = `${body.api_key}_nobody`;
  },
  ...rateLimit,
  availability: (attempt: Attempt) => {
    attempt.scenario = "token-unavailable";
  },
  key_active: ({ sandbox, body }: Attempt) => {
    const company = String(body.api_key).startsWith("sk_live_") ? "live/northwind" : "northwind";
    for (const { id, status } of sandbox.control.apiKeys.list(company).api_keys) {
      if (status === "active") sandbox.control.apiKeys.revoke(id);
    }
  },
  member_active: ({ sandbox, body }: Attempt) => {
    const isLive = String(body.api_key).startsWith("sk_live_");
    const { members } = sandbox.company("northwind", isLive ? "live" : "sandbox");
    sandbox.control.companies.changeMember(members[0]?.id ?? "", { status: "inactive" });
  },
};

const webhookBody = { body: send({ events: [] }), url: send({ url: "ftp://localhost/hooks" }) };
const webhook = { webhook: unknownPath };
const webhookSends = {
  webhook_active: ({ sandbox }: Attempt) => sandbox.call("PATCH", sandbox.path, { status: "disabled" }),
  backlog: async ({ sandbox }: Attempt) => {
    await sandbox.settled();
    sandbox.database.run("UPDATE webhooks SET pending_deliveries = 10000");
  },
};

const faults: Faults = {
  exchangeSandboxKey: exchange,
  exchangeLiveKey: exchange,
  orderPhysicalCard: {
    ...entitled,
    ...key,
    body: send({ pin: "48" }),
    address,
    delivery_method: send({ delivery_method: "international" }),
    spending_limit_cap,
    ...request,
    account: send({ account_id: unknownId }),
    no_change_in_progress: believe({ changeInProgress: true }),
    ...issuable,
    country,
  },
  listCards: query,
  getCard: { ...entitled, card: unknownPath },
  freezeCard: plainChange,
  unfreezeCard: plainChange,
  setSpendingLimit: {
    ...plainChange,
    content_type,
    body: send({ period: "yearly" }),
    spending_limit_cap: send({ amount: "10000.01" }),
  },
  removeSpendingLimit: plainChange,
  changeCard: { ...plainChange, content_type, body: send({ name: 7 }) },
  terminateCard: plainChange,
  replaceCard: {
    ...plainChange,
    ...key,
    body: send({ pin: "48" }),
    address,
    delivery_method: send({ delivery_method: "international" }),
    ...issuable,
    // The first request replaced the card.
    issuer: async (attempt) => {
      attempt.id = (await attempt.sandbox.order()).json.id;
      issuable.issuer(attempt);
    },
    country,
  },
  orderVirtualCard: {
    ...entitled,
    ...key,
    body: send({ auto_convert: "yes" }),
    spending_limit_cap,
    ...request,
    account: send({ account_id: unknownId }),
    no_change_in_progress: believe({ changeInProgress: true }),
    ...issuable,
  },
  listDeliveryOptions: { ...entitled, content_type, body: sendAddress({ line1: 7 }), address, ...request },
  listAccounts: query,
  getAccount: { ...entitled, account: unknownPath },
  listCompanies: { ...caller, query: badQuery },
  listTransactions: query,
  getTransaction: { ...entitled, transaction: unknownPath },
  listInvoices: query,
  getInvoice: { ...entitled, invoice: unknownPath },
  createWebhook: {
    ...entitled,
    ...webhookBody,
    limit: async ({ sandbox }) => {
      for (let n = 1; n < 10; n++) await sandbox.create();
    },
  },
  listWebhooks: query,
  getWebhook: { ...entitled, ...webhook },
  changeWebhook: { ...entitled, ...webhook, ...webhookBody },
  deleteWebhook: { ...entitled, ...webhook },
  rotateWebhookSecret: {
    ...entitled,
    ...webhook,
    rotation: async ({ sandbox }) => {
      for (let n = 1; n < 10; n++) await sandbox.call("POST", `${sandbox.path}/rotate-secret`);
    },
  },
  testWebhook: { ...entitled, ...webhook, ...webhookSends },
  listWebhookDeliveries: { ...query, ...webhook },
  resendWebhookDelivery: {
    ...entitled,
    ...webhook,
    ...webhookSends,
    delivery: (attempt) => {
      attempt.deliveryId = unknownId;
    },
  },
};

/** A scenario that limits the rate and makes the token endpoint unavailable: no file may hold both. */
function bothRefusals() {
  const scenario = readShippedScenarios().find(({ name }) => name === "rate-limited");
  if (!scenario) throw new Error("rate-limited is not shipped");
  const faults = { request: { rate_limited: { retry_after_s: 1 } }, token: { unavailable: true } } as const;
  return { ...scenario, name: "both", steps: [{ faults }] };
}

/** The path's id and the body of a request that succeeds. */
async function validRequest(
  operation: OperationId,
  sandbox: Sandbox,
): Promise<Partial<Pick<Attempt, "id" | "deliveryId" | "body">>> {
  const { id: account_id } = sandbox.account("northwind");
  const id = sandbox.webhook.id;
  switch (operation) {
    case "exchangeSandboxKey":
      return { body: { api_key: "sk_sandbox_northwind_owner" } };
    case "exchangeLiveKey":
      return { body: { api_key: "sk_live_northwind_owner" } };
    case "orderPhysicalCard":
      return { body: sandbox.orderBody() };
    case "orderVirtualCard":
      return { body: { account_id } };
    case "listDeliveryOptions":
      return { body: { delivery_address: london } };
    case "setSpendingLimit":
      return { body: { period: "daily", amount: "5" } };
    case "changeCard":
      return { body: { name: "Travel" } };
    case "replaceCard":
      return { body: { reason: "lost", pin: "4821", delivery_address: london, delivery_method: "express" } };
    case "getAccount":
      return { id: account_id };
    case "getTransaction":
      return { id: sandbox.control.simulator.topUp({ account_id, amount: "1.00" }).id };
    case "getInvoice":
      return { id: sandbox.control.invoices.create({ company: "northwind" }).id };
    case "createWebhook":
      return { body: { url: "http://localhost/hooks", events: ["card.created"] } };
    case "changeWebhook":
      return { id, body: { events: ["card.replaced"] } };
    case "resendWebhookDelivery":
      return { id, deliveryId: (await sandbox.call("POST", `${sandbox.path}/test`)).json.id };
    default:
      return operations[operation].path.includes("/webhooks/") ? { id } : {};
  }
}

async function validAttempt(operation: OperationId, choices: Partial<Choices>): Promise<Attempt> {
  const sandbox = await openWebhooks({ scenarios: [bothRefusals()], choices });
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  const needsCard = operations[operation].path.startsWith("/developer/cards/:id");
  const id = needsCard ? (await sandbox.order({ token })).json.id : "";
  if (operation === "unfreezeCard") await sandbox.call("POST", `/developer/cards/${id}/freeze`);
  return {
    operation,
    sandbox,
    token,
    headers: {},
    deliveryId: "",
    query: "",
    facts: {},
    issuer: { outcome: "issued" },
    scenario: undefined,
    id,
    body: {},
    ...(await validRequest(operation, sandbox)),
  };
}

/** Sends a request and returns the contract point of its response. */
async function decidedBy(attempt: Attempt): Promise<string | undefined> {
  const { operation, sandbox, token, headers, id, deliveryId, query, body, facts, issuer, scenario } =
    attempt;
  const { method, path } = operations[operation];
  sandbox.force.facts = facts;
  sandbox.force.issuer = { issue: () => issuer };
  const reply = await sandbox.request(path.replace(":id", id).replace(":did", deliveryId) + query, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      "Idempotency-Key": randomUUID(),
      ...(scenario !== undefined && { "Sandbox-Scenario": scenario }),
      ...headers,
    },
    ...(method !== "GET" && { body: JSON.stringify(body) }),
  });
  return reply.point;
}

const countCards = ({ sandbox }: Attempt) => sandbox.database.get("SELECT count(*) AS n FROM cards");

/** The rows of an operation whose points can be met, and that a request can fail. */
const checksUnder = ({ rows, unreachable }: Contract, operation: OperationId) =>
  checksOf(rows[operation]).filter(({ points }) => points.some((point) => !unreachable.has(point)));

/** Sends requests that fail a check and all later ones, and expects that check to decide. */
async function expectOrder(operation: OperationId, choices: Partial<Choices> = {}) {
  const attempt = await validAttempt(operation, choices);
  expect(await decidedBy(attempt)).toBe(operations[operation].success);
  const fail: Readonly<Record<string, Fault>> = faults[operation];
  const checks = checksUnder(contractUnder(dialectWith(choices)), operation);
  const decided: (string | undefined)[] = [];
  const cards: unknown[] = [];
  // From the last check to the first: each request fails its own check and all later ones.
  for (const { id } of checks.toReversed()) {
    await fail[id]?.(attempt);
    const before = countCards(attempt);
    const point = await decidedBy(attempt);
    decided.unshift(checks.find(({ points }) => points.some((each) => each === point))?.id ?? point);
    if (JSON.stringify(countCards(attempt)) !== JSON.stringify(before)) cards.push(id);
  }
  expect(decided).toEqual(checks.map(({ id }) => id));
  expect(cards).toEqual([]);
}

test.each(operationIds)("%s: each check decides before those after it, and none makes a card", (operation) =>
  expectOrder(operation),
);

const moving = behaviourIds.flatMap((id) =>
  behaviours[id].alternatives.filter(({ moves }) => moves).map(({ id: use }) => ({ id, use })),
);
const moved = moving.flatMap(({ id, use }) => {
  const choices = { [id]: use } as Partial<Choices>;
  const { rows } = contractUnder(dialectWith(choices));
  const operations = operationIds.filter((operation) => rows[operation] !== defaultContract.rows[operation]);
  return operations.map((operation) => ({ id, use, operation, choices }));
});

test.each(moved)("$operation has the order of its table when $id is $use", ({ operation, choices }) =>
  expectOrder(operation, choices),
);
