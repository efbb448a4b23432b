import { expect, test } from "vitest";
import { checksOf } from "../../src/contract/decisions.ts";
import type { FactsOverlay, IssuerAnswer } from "../../src/rules/overlay.ts";
import { type OrderBody, openSandbox } from "../support/open-sandbox.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

/** An order with every fault at once, each of which can be repaired on its own. */
interface Attempt {
  token: string;
  headers: Record<string, string | undefined>;
  body: OrderBody | "not JSON";
  facts: FactsOverlay;
  answer: IssuerAnswer;
}

/**
 * The order of the checks, which is ours: the spec shows none. Each row names the point that decides, then
 * repairs that one fault, and so reveals the next.
 */
const precedence: readonly (readonly [string, (attempt: Attempt, good: Good) => void])[] = [
  ["auth.token_invalid", (attempt, good) => (attempt.token = good.token)],
  ["order.on_behalf_of_invalid", ({ headers }, good) => (headers["X-On-Behalf-Of"] = good.foreignCompany)],
  ["order.on_behalf_of_not_a_member", ({ headers }) => (headers["X-On-Behalf-Of"] = undefined)],
  ["order.forbidden", (attempt) => (attempt.facts = { ...attempt.facts, permissions: ["issue_cards"] })],
  ["order.not_entitled", (attempt) => (attempt.facts = { ...attempt.facts, entitled: true })],
  ["order.content_type_invalid", ({ headers }) => (headers["Content-Type"] = "application/json")],
  ["order.idempotency_key_missing", ({ headers }) => (headers["Idempotency-Key"] = "order-1")],
  ["order.idempotency_key_invalid", ({ headers }) => (headers["Idempotency-Key"] = key)],
  ["order.body_not_json", (attempt) => (attempt.body = faulty())],
  ["order.account_id_invalid", ({ body }) => repair(body, { account_id: key })],
  ["order.pin_invalid", ({ body }) => repair(body, { pin: "4821" })],
  [
    "order.delivery_address_invalid",
    ({ body }) => repair(body, { delivery_address: { line1: "1 Rue", country_code: "UK" } }),
  ],
  [
    "order.country_code_invalid",
    ({ body }) => repair(body, { delivery_address: { line1: "1 Rue", country_code: "FR" } }),
  ],
  ["order.delivery_method_invalid", ({ body }) => repair(body, { delivery_method: "classic" })],
  ["order.name_invalid", ({ body }) => repair(body, { name: "Travel" })],
  ["order.auto_convert_invalid", ({ body }) => repair(body, { auto_convert: true })],
  [
    "order.spending_limit_invalid",
    ({ body }) => repair(body, { spending_limit: { period: "daily", amount: "1.001" } }),
  ],
  [
    "order.spending_limit_amount_invalid",
    ({ body }) => repair(body, { spending_limit: { period: "lifetime", amount: "10000000000000.00" } }),
  ],
  [
    "order.spending_limit_amount_too_large",
    ({ body }) => repair(body, { spending_limit: { period: "daily", amount: "10000.01" } }),
  ],
  [
    "order.address_field_required",
    ({ body }) =>
      repair(body, {
        delivery_address: { line1: "1 Rue", city: "Paris", post_code: "7", country_code: "FR" },
      }),
  ],
  [
    "order.post_code_format",
    ({ body }) =>
      repair(body, {
        delivery_address: { line1: "1 Rue", city: "Paris", post_code: "75001", country_code: "FR" },
      }),
  ],
  ["order.delivery_method_not_offered", ({ body }) => repair(body, { delivery_method: "express" })],
  [
    "order.spending_limit_over_cap",
    ({ body }) => repair(body, { spending_limit: { period: "daily", amount: "10000.00" } }),
  ],
  ["order.account_not_found", ({ body }, good) => repair(body, { account_id: good.accountId })],
  ["order.change_in_progress", (attempt) => (attempt.facts = { ...attempt.facts, changeInProgress: false })],
  ["order.company_inactive", (attempt) => (attempt.facts = { ...attempt.facts, companyStatus: "active" })],
  ["order.account_closed", (attempt) => (attempt.facts = { ...attempt.facts, account: "active" })],
  [
    "order.company_details_missing",
    (attempt) => (attempt.facts = { ...attempt.facts, companyDetailsComplete: true }),
  ],
  [
    "order.cardholder_details_missing",
    (attempt) => (attempt.facts = { ...attempt.facts, cardholderDetailsComplete: true }),
  ],
  [
    "order.country_undeliverable",
    (attempt) => (attempt.facts = { ...attempt.facts, countryDeliverable: true }),
  ],
  ["order.quota_reached", (attempt) => (attempt.facts = { ...attempt.facts, quotaReached: false })],
  ["order.issuer_rejected", (attempt) => (attempt.answer = { outcome: "bad_gateway" })],
  ["order.issuer_bad_gateway", (attempt) => (attempt.answer = { outcome: "unavailable" })],
  ["order.issuer_unavailable", (attempt) => (attempt.answer = { outcome: "issued" })],
  // From here every fault of the body and of the world comes back, and decides nothing any more.
  [
    "order.created",
    (attempt) =>
      Object.assign(attempt, {
        body: "not JSON",
        facts: { permissions: ["issue_cards"], entitled: true, quotaReached: true },
      }),
  ],
  ["order.replayed_with_other_body", () => {}],
];

interface Good {
  readonly token: string;
  readonly accountId: string;
  readonly foreignCompany: string;
}

/** Every field at fault, in the order in which the table repairs them. */
function faulty(): OrderBody {
  return {
    account_id: "gbp",
    pin: "48",
    delivery_address: {},
    delivery_method: "pigeon",
    name: 7,
    auto_convert: "yes",
    spending_limit: { period: "yearly", amount: "1.001" },
  };
}

function repair(body: Attempt["body"], fields: OrderBody): void {
  Object.assign(body as OrderBody, fields);
}

test("checks decide in this order, from the token to the issuer", async () => {
  const sandbox = openSandbox();
  const good: Good = {
    token: await sandbox.exchange("sk_sandbox_northwind_owner"),
    accountId: sandbox.account("northwind").id,
    foreignCompany: sandbox.company("frostbite").id,
  };
  const attempt: Attempt = {
    token: "not-a-token",
    headers: { "X-On-Behalf-Of": "northwind", "Content-Type": "text/plain", "Idempotency-Key": undefined },
    body: "not JSON",
    facts: {
      permissions: [],
      entitled: false,
      changeInProgress: true,
      companyStatus: "suspended",
      account: "closed",
      companyDetailsComplete: false,
      cardholderDetailsComplete: false,
      countryDeliverable: false,
      quotaReached: true,
    },
    answer: { outcome: "rejected", reason: "the issuer's own rules" },
  };
  const met: (string | undefined)[] = [];
  for (const [, repairNext] of precedence) {
    sandbox.force.facts = attempt.facts;
    sandbox.force.issuer = { issue: () => attempt.answer };
    met.push(
      (await sandbox.order({ token: attempt.token, headers: attempt.headers, raw: attempt.body })).point,
    );
    repairNext(attempt, good);
  }
  expect(met).toEqual(precedence.map(([point]) => point));
});

test("the contract lists an order's checks in this same order", () => {
  const met = new Set(
    precedence.map(([point]) => point).filter((point) => point !== "order.replayed_with_other_body"),
  );
  const listed = checksOf("orderPhysicalCard").flatMap(({ points }) => points);
  expect([...listed.filter((point) => met.has(point)), "order.created"]).toEqual([...met]);
});
