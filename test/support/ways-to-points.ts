import type { ContractPointId } from "../../src/contract/points.ts";
import type { UnreadPointId } from "../../src/contract/responses.ts";
import { DatabaseUnusable } from "../../src/rules/errors.ts";
import type { FactsOverlay, IssuerAnswer } from "../../src/rules/overlay.ts";
import {
  type CallOptions,
  type OrderBody,
  openSandbox,
  type Reply,
  readReply,
  type TestOptions,
} from "./open-sandbox.ts";
import { openWebhooks } from "./open-webhooks.ts";
import { london } from "./physical-order.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

const orderWith = (body: OrderBody, options?: TestOptions) => () => openSandbox(options).order({ body });
const orderFacing = (options: TestOptions) => orderWith({}, options);
const orderAnswered = (answer: IssuerAnswer) => orderFacing({ issuer: { issue: () => answer } });
const orderHeaders = (headers: Record<string, string | undefined>, options?: TestOptions) => () =>
  openSandbox(options).order({ headers });
const orderFor = (country_code: string, delivery_method: string, rest: object = {}) =>
  orderWith({ delivery_address: { line1: "1 High Street", country_code, ...rest }, delivery_method });
const exchange = (body: unknown) => () => openSandbox().post("/auth/v1/sandbox/token", body);

const unread = (point: UnreadPointId) => () =>
  Promise.resolve(openSandbox().malformed(point)).then(readReply);

const get = (path: string, options?: TestOptions) => () => openSandbox(options).get(path);

const actingFor = (company: string, path: string) => () =>
  openSandbox().get(path, { headers: { "X-On-Behalf-Of": company } });

const limit = { period: "daily", amount: "5" };

/** A change of a newly ordered card. The `facts` apply after the order. */
const onCard =
  (method: string, what: string, { facts, ...rest }: CallOptions & { facts?: FactsOverlay } = {}) =>
  async () => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const { id } = (await sandbox.order({ token })).json;
    sandbox.force.facts = facts ?? {};
    return sandbox.call(method, `/developer/cards/${id}${what && `/${what}`}`, { token, ...rest });
  };
const replace = (body: OrderBody = {}, facts: FactsOverlay = {}) =>
  onCard("POST", "replace", {
    body: { reason: "lost", pin: "4821", delivery_address: london, delivery_method: "express", ...body },
    key,
    facts,
  });
const virtual =
  (body: OrderBody = {}, options: TestOptions = {}, ownKey = key) =>
  () => {
    const sandbox = openSandbox(options);
    const order = { account_id: sandbox.account("northwind").id, ...body };
    return sandbox.call("POST", "/developer/cards/virtual", { body: order, key: ownKey });
  };
const deliveryOptionsTo = (rest: OrderBody) => () =>
  openSandbox().call("POST", "/developer/cards/delivery-options", {
    body: { delivery_address: { ...london, ...rest } },
  });
const issuerAnswers = (answer: IssuerAnswer): TestOptions => ({ issuer: { issue: () => answer } });
const hooks = "/developer/webhooks";
const withWebhook =
  (send: (webhooks: Awaited<ReturnType<typeof openWebhooks>>) => Promise<Reply>) => async () =>
    send(await openWebhooks());
const newWebhook = (body: object) => async () => {
  const { call } = await openWebhooks();
  return call("POST", hooks, { url: "http://localhost/hooks", events: ["card.created"], ...body });
};

/** Makes every change fail. test/node/full-disk.test.ts uses a disk that is really full. */
const fillDisk = ({ database }: ReturnType<typeof openSandbox>) => {
  database.transaction = () => {
    throw new DatabaseUnusable("the disk is full");
  };
};

/** The shortest way to raise each contract point. A missing point does not compile. */
export const waysTo = {
  "token.issued": exchange({ api_key: "sk_sandbox_northwind_owner" }),
  "token.invalid_request": exchange("{"),
  "token.key_unknown": exchange({ api_key: "sk_sandbox_nobody" }),
  "token.key_revoked": exchange({ api_key: "sk_sandbox_northwind_revoked" }),
  "token.environment_mismatch": exchange({ api_key: "sk_live_northwind_owner" }),
  "token.member_inactive": () => {
    const sandbox = openSandbox();
    sandbox.control.companies.changeMember("northwind-owner", { status: "inactive" });
    return sandbox.post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" });
  },
  "token.unavailable": () =>
    openSandbox({ scenario: "token-unavailable" }).post("/auth/v1/sandbox/token", {
      api_key: "sk_sandbox_northwind_owner",
    }),
  "auth.token_missing": orderHeaders({ Authorization: undefined }),
  "auth.token_invalid": orderHeaders({ Authorization: "Bearer nobody-gave-this" }),
  "auth.token_expired": async () => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    sandbox.clockOfTest.advance(3_600_000);
    return sandbox.order({ token });
  },
  "auth.api_key_as_bearer": orderHeaders({ Authorization: "Bearer sk_sandbox_northwind_owner" }),
  "auth.environment_mismatch": async () => {
    const sandbox = openSandbox({ serve: "live" });
    const headers = { "Content-Type": "application/json" };
    const init = { method: "POST", headers, body: '{"api_key":"sk_sandbox_northwind_owner"}' };
    const issued = await readReply(
      await sandbox.fetch(new Request("http://a.test/auth/v1/sandbox/token", init)),
    );
    return sandbox.order({ token: issued.json.access_token });
  },
  "on_behalf_of.required": get("/developer/accounts", { choices: { "on_behalf_of.mode": "required" } }),
  "on_behalf_of.invalid": actingFor("northwind", "/developer/accounts"),
  "on_behalf_of.not_a_member": actingFor(key, "/developer/accounts"),
  "cards.on_behalf_of_required": get("/developer/cards", { choices: { "on_behalf_of.mode": "required" } }),
  "cards.on_behalf_of_invalid": actingFor("northwind", "/developer/cards"),
  "order.on_behalf_of_required": orderFacing({ choices: { "on_behalf_of.mode": "required" } }),
  "order.on_behalf_of_invalid": orderHeaders({ "X-On-Behalf-Of": "northwind" }),
  "order.on_behalf_of_not_a_member": orderHeaders({ "X-On-Behalf-Of": key }),
  "order.created": orderWith({ spending_limit: { period: "monthly", amount: "250.00" } }),
  "order.replayed": async () => {
    const sandbox = openSandbox();
    await sandbox.order({ key });
    return sandbox.order({ key });
  },
  "order.replayed_with_other_body": async () => {
    const sandbox = openSandbox();
    await sandbox.order({ key });
    return sandbox.order({ key, body: { name: "Travel" } });
  },
  "order.key_reused": async () => {
    const sandbox = openSandbox({ choices: { "order.key_reused": "422" } });
    await sandbox.order({ key });
    return sandbox.order({ key, body: { name: "Travel" } });
  },
  "access.forbidden": get("/developer/cards", { facts: { permissions: [] } }),
  "access.not_entitled": get("/developer/cards", { facts: { entitled: false } }),
  "order.forbidden": orderFacing({ facts: { permissions: [] } }),
  "order.not_entitled": orderFacing({ facts: { entitled: false } }),
  "order.content_type_invalid": orderHeaders({ "Content-Type": "text/plain" }),
  "order.idempotency_key_missing": orderHeaders({ "Idempotency-Key": undefined }),
  "order.idempotency_key_invalid": orderHeaders({ "Idempotency-Key": "order-1" }),
  "order.body_too_large": orderWith({ name: "n".repeat(65_536) }),
  "order.body_not_json": () => openSandbox().order({ raw: "{" }),
  "order.account_id_invalid": orderWith({ account_id: "gbp" }),
  "order.pin_invalid": orderWith({ pin: "12" }),
  "order.unknown_field": orderWith({ nickname: "Travel" }, { choices: { "json.unknown_fields": "400" } }),
  "order.name_blank": orderWith({ name: " " }, { choices: { "card.name_blank": "400" } }),
  "order.name_too_long": orderWith({ name: "n".repeat(31) }, { choices: { "card.name_length": "30" } }),
  "order.pin_weak": orderWith({ pin: "1234" }, { choices: { "pin.weak": "400" } }),
  "order.delivery_address_invalid": orderWith({ delivery_address: null }),
  "order.country_code_invalid": orderFor("UK", "classic"),
  "order.delivery_method_invalid": orderWith({ delivery_method: "pigeon" }),
  "order.name_invalid": orderWith({ name: 7 }),
  "order.auto_convert_invalid": orderWith({ auto_convert: "yes" }),
  "order.spending_limit_invalid": orderWith({ spending_limit: { period: "yearly", amount: "1" } }),
  "order.spending_limit_amount_invalid": orderWith({ spending_limit: { period: "daily", amount: "1.001" } }),
  "order.spending_limit_amount_too_large": orderWith({
    spending_limit: { period: "lifetime", amount: 1e13 },
  }),
  "order.spending_limit_over_cap": orderWith({ spending_limit: { period: "daily", amount: "10000.01" } }),
  "order.address_field_blank": orderFor("GB", "classic", { line1: " " }),
  "order.address_field_required": orderFor("GB", "classic"),
  "order.post_code_format": orderFor("GB", "classic", { city: "London", post_code: "1" }),
  "order.delivery_method_not_offered": orderWith({ delivery_method: "international" }),
  "order.invalid_request": orderHeaders({ "Sandbox-Scenario": "invalid-request" }),
  "order.account_not_found": orderWith({ account_id: key }),
  "order.key_in_progress": async () => {
    let release = (_: IssuerAnswer) => {};
    let asked = () => {};
    const held = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const issue = () => {
      asked();
      return new Promise<IssuerAnswer>((resolve) => {
        release = resolve;
      });
    };
    const sandbox = openSandbox({ issuer: { issue } });
    const first = sandbox.order({ key });
    await held;
    const second = await sandbox.order({ key });
    release({ outcome: "issued" });
    await first;
    return second;
  },
  "order.change_in_progress": orderFacing({ facts: { changeInProgress: true } }),
  "order.company_inactive": orderFacing({ facts: { companyStatus: "suspended" } }),
  "order.account_closed": orderFacing({ facts: { account: "closed" } }),
  "order.company_details_missing": orderFacing({ facts: { companyDetailsComplete: false } }),
  "order.cardholder_details_missing": orderFacing({ facts: { cardholderDetailsComplete: false } }),
  "order.country_undeliverable": orderFacing({ facts: { countryDeliverable: false } }),
  "order.quota_reached": orderFacing({ facts: { quotaReached: true } }),
  "order.issuer_rejected": orderAnswered({
    outcome: "rejected",
    reason: "the cardholder's name is too long",
  }),
  "order.issuer_bad_gateway": orderAnswered({ outcome: "bad_gateway" }),
  "order.issuer_unavailable": orderAnswered({ outcome: "unavailable" }),
  "cards.listed": async () => {
    const sandbox = openSandbox();
    await sandbox.order();
    return sandbox.get("/developer/cards");
  },
  "cards.query_invalid": get("/developer/cards?limit=0"),
  "cards.shown": async () => {
    const sandbox = openSandbox();
    const { id } = (await sandbox.order()).json;
    return sandbox.get(`/developer/cards/${id}`);
  },
  "cards.not_found": get(`/developer/cards/${key}`),
  "cards.of_colleague": async () => {
    const sandbox = openSandbox({ choices: { "cards.of_colleague": "403" } });
    const { id } = (await sandbox.order()).json;
    return sandbox.get(`/developer/cards/${id}`, { apiKey: "sk_sandbox_northwind_employee" });
  },
  "cards.of_other_company": async () => {
    const sandbox = openSandbox({ choices: { "cards.of_other_company": "403" } });
    const { id } = (await sandbox.order()).json;
    return sandbox.get(`/developer/cards/${id}`, { apiKey: "sk_sandbox_fullhouse_owner" });
  },
  "cards.frozen": onCard("POST", "freeze"),
  "cards.unfrozen": async () => {
    const sandbox = openSandbox();
    const { id } = (await sandbox.order()).json;
    await sandbox.call("POST", `/developer/cards/${id}/freeze`);
    return sandbox.call("POST", `/developer/cards/${id}/unfreeze`);
  },
  "cards.spending_limit_set": onCard("PUT", "spending-limit", { body: limit }),
  "cards.spending_limit_removed": onCard("DELETE", "spending-limit"),
  "cards.changed": onCard("PATCH", "", { body: { name: "Travel" } }),
  "cards.terminated": onCard("POST", "terminate"),
  "cards.replaced": replace(),
  "cards.virtual_created": virtual(),
  "cards.replayed": async () => {
    const sandbox = openSandbox();
    const order = { key, body: { account_id: sandbox.account("northwind").id } };
    await sandbox.call("POST", "/developer/cards/virtual", order);
    return sandbox.call("POST", "/developer/cards/virtual", order);
  },
  "cards.delivery_options_listed": deliveryOptionsTo({}),
  "cards.content_type_invalid": onCard("PUT", "spending-limit", {
    body: limit,
    headers: { "Content-Type": "text/plain" },
  }),
  "cards.idempotency_key_invalid": virtual({}, {}, "order-1"),
  "cards.body_invalid": replace({ reason: "boredom" }),
  "cards.body_too_large": virtual(
    { name: "n".repeat(65_536) },
    { choices: { "body_too_large.status": "413" } },
  ),
  "cards.unknown_field": virtual({ nickname: "Travel" }, { choices: { "json.unknown_fields": "400" } }),
  "cards.pin_weak": async () => {
    const sandbox = openSandbox({ choices: { "pin.weak": "400" } });
    const { id } = (await sandbox.order()).json;
    const body = { reason: "lost", pin: "1111", delivery_address: london, delivery_method: "express" };
    return sandbox.call("POST", `/developer/cards/${id}/replace`, { body, key });
  },
  "cards.address_field_required": deliveryOptionsTo({ city: undefined }),
  "cards.post_code_format": deliveryOptionsTo({ post_code: "1" }),
  "cards.delivery_method_not_offered": replace({ delivery_method: "international" }),
  "cards.spending_limit_over_cap": virtual({ spending_limit: { period: "daily", amount: "10000.01" } }),
  "cards.invalid_request": onCard("POST", "freeze", { facts: { requestValid: false } }),
  "cards.account_not_found": virtual({ account_id: key }),
  "cards.key_reused": async () => {
    const sandbox = openSandbox({ choices: { "order.key_reused": "422" } });
    const body = { account_id: sandbox.account("northwind").id };
    await sandbox.call("POST", "/developer/cards/virtual", { key, body });
    return sandbox.call("POST", "/developer/cards/virtual", { key, body: { ...body, name: "Travel" } });
  },
  "cards.key_in_progress": async () => {
    const sandbox = openSandbox();
    sandbox.scenario("in-flight", { operation: "orderVirtualCard" });
    const order = { key, body: { account_id: sandbox.account("northwind").id } };
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const first = sandbox.call("POST", "/developer/cards/virtual", { ...order, token });
    while (sandbox.clockOfTest.waited.length === 0) await new Promise(setImmediate);
    const second = await sandbox.call("POST", "/developer/cards/virtual", { ...order, token });
    sandbox.drain();
    await first;
    return second;
  },
  "cards.change_in_progress": onCard("POST", "freeze", { facts: { changeInProgress: true } }),
  "cards.virtual_change_in_progress": virtual({}, { facts: { changeInProgress: true } }),
  "cards.state_conflict": onCard("POST", "unfreeze"),
  "cards.company_inactive": virtual({}, { facts: { companyStatus: "suspended" } }),
  "cards.account_closed": virtual({}, { facts: { account: "closed" } }),
  "cards.company_details_missing": virtual({}, { facts: { companyDetailsComplete: false } }),
  "cards.cardholder_details_missing": virtual({}, { facts: { cardholderDetailsComplete: false } }),
  "cards.country_undeliverable": replace({}, { countryDeliverable: false }),
  "cards.quota_reached": virtual({}, { facts: { quotaReached: true } }),
  "cards.issuer_rejected": virtual({}, issuerAnswers({ outcome: "rejected", reason: "the name" })),
  "cards.issuer_bad_gateway": virtual({}, issuerAnswers({ outcome: "bad_gateway" })),
  "cards.issuer_unavailable": virtual({}, issuerAnswers({ outcome: "unavailable" })),
  "accounts.listed": get("/developer/accounts"),
  "accounts.query_invalid": get("/developer/accounts?limit=0"),
  "accounts.shown": () => {
    const sandbox = openSandbox();
    return sandbox.get(`/developer/accounts/${sandbox.account("northwind").id}`);
  },
  "accounts.not_found": get(`/developer/accounts/${key}`),
  "companies.listed": get("/developer/companies"),
  "companies.query_invalid": get("/developer/companies?limit=0"),
  "transactions.listed": get("/developer/transactions"),
  "transactions.query_invalid": get("/developer/transactions?from=yesterday"),
  "transactions.shown": () => {
    const sandbox = openSandbox();
    const { id: account_id } = sandbox.account("northwind");
    const { id } = sandbox.control.simulator.topUp({ account_id, amount: "1.00" });
    return sandbox.get(`/developer/transactions/${id}`);
  },
  "transactions.not_found": get(`/developer/transactions/${key}`),
  "invoices.listed": get("/developer/company/invoices"),
  "invoices.query_invalid": get("/developer/company/invoices?status=lost"),
  "invoices.shown": () => {
    const sandbox = openSandbox();
    const { id } = sandbox.control.invoices.create({ company: "northwind" });
    return sandbox.get(`/developer/company/invoices/${id}`);
  },
  "invoices.not_found": get(`/developer/company/invoices/${key}`),
  "webhooks.created": newWebhook({}),
  "webhooks.listed": withWebhook(({ call }) => call("GET", hooks)),
  "webhooks.shown": withWebhook(({ call, path }) => call("GET", path)),
  "webhooks.changed": withWebhook(({ call, path }) => call("PATCH", path, { status: "disabled" })),
  "webhooks.deleted": withWebhook(({ call, path }) => call("DELETE", path)),
  "webhooks.secret_rotated": withWebhook(({ call, path }) => call("POST", `${path}/rotate-secret`)),
  "webhooks.tested": withWebhook(({ call, path }) => call("POST", `${path}/test`)),
  "webhooks.deliveries_listed": withWebhook(async ({ call, path, settled }) => {
    await call("POST", `${path}/test`);
    await settled();
    return call("GET", `${path}/deliveries`);
  }),
  "webhooks.delivery_resent": withWebhook(async ({ call, path }) => {
    const { id } = (await call("POST", `${path}/test`)).json;
    return call("POST", `${path}/deliveries/${id}/resend`);
  }),
  "webhooks.body_invalid": newWebhook({ events: ["card.made"] }),
  "webhooks.url_invalid": newWebhook({ url: "hooks" }),
  "webhooks.url_not_allowed": newWebhook({ url: "https://example.com/hooks" }),
  "webhooks.query_invalid": get(`${hooks}?limit=0`),
  "webhooks.not_found": get(`${hooks}/${key}`),
  "webhooks.delivery_not_found": withWebhook(({ call, path }) =>
    call("POST", `${path}/deliveries/${key}/resend`),
  ),
  "webhooks.limit_reached": async () => {
    const { create } = await openWebhooks();
    for (let n = 2; n <= 10; n++) await create();
    return create();
  },
  "webhooks.rotation_limit_reached": withWebhook(async ({ call, path }) => {
    for (let n = 2; n <= 10; n++) await call("POST", `${path}/rotate-secret`);
    return call("POST", `${path}/rotate-secret`);
  }),
  "webhooks.backlog_full": withWebhook(({ call, path, database }) => {
    database.run("UPDATE webhooks SET pending_deliveries = 10000");
    return call("POST", `${path}/test`);
  }),
  "webhooks.disabled": withWebhook(async ({ call, path }) => {
    await call("PATCH", path, { status: "disabled" });
    return call("POST", `${path}/test`);
  }),
  "gateway.not_specified": get("/developer/cards", { assumed: false }),
  "gateway.bad_request": unread("gateway.bad_request"),
  "gateway.request_timeout": unread("gateway.request_timeout"),
  "gateway.content_too_large": unread("gateway.content_too_large"),
  "gateway.expectation_failed": unread("gateway.expectation_failed"),
  "gateway.headers_too_large": unread("gateway.headers_too_large"),
  "gateway.rate_limited": orderFacing({ scenario: "rate-limited" }),
  "gateway.scenario_unknown": orderHeaders({ "Sandbox-Scenario": "quota-reach" }),
  "gateway.not_found": () => openSandbox().request("/nothing"),
  "gateway.method_not_allowed": () => openSandbox().request("/auth/v1/token"),
  "gateway.unavailable": () => {
    const sandbox = openSandbox();
    fillDisk(sandbox);
    return sandbox.post("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" });
  },
  "gateway.cards_unavailable": async () => {
    const sandbox = openSandbox();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    fillDisk(sandbox);
    return sandbox.order({ token });
  },
  "gateway.internal_error": orderFacing({
    issuer: {
      issue() {
        throw new Error("broken on purpose");
      },
    },
  }),
} satisfies Record<ContractPointId, () => Promise<Reply>>;
