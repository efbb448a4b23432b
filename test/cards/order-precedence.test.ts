import { expect, test } from "vitest";
import { checksOf, decisionsOf } from "../../src/contract/decisions.ts";
import type { ContractPointId } from "../../src/contract/points.ts";
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

/** Repairs the fault that a point decides on, and so reveals the next. The decisions table has their order. */
const repairs: Readonly<Partial<Record<ContractPointId, (attempt: Attempt, good: Good) => void>>> = {
  "auth.token_invalid": (attempt, good) => (attempt.token = good.token),
  "order.on_behalf_of_invalid": ({ headers }, good) => (headers["X-On-Behalf-Of"] = good.foreignCompany),
  "order.on_behalf_of_not_a_member": ({ headers }) => (headers["X-On-Behalf-Of"] = undefined),
  "order.forbidden": (attempt) => (attempt.facts = { ...attempt.facts, permissions: ["issue_cards"] }),
  "order.not_entitled": (attempt) => (attempt.facts = { ...attempt.facts, entitled: true }),
  "order.content_type_invalid": ({ headers }) => (headers["Content-Type"] = "application/json"),
  "order.idempotency_key_missing": ({ headers }) => (headers["Idempotency-Key"] = "order-1"),
  "order.idempotency_key_invalid": ({ headers }) => (headers["Idempotency-Key"] = key),
  "order.body_not_json": (attempt) => (attempt.body = faulty()),
  "order.account_id_invalid": ({ body }) => repair(body, { account_id: key }),
  "order.pin_invalid": ({ body }) => repair(body, { pin: "4821" }),
  "order.delivery_address_invalid": ({ body }) =>
    repair(body, { delivery_address: { line1: "1 Rue", country_code: "UK" } }),
  "order.country_code_invalid": ({ body }) =>
    repair(body, { delivery_address: { line1: "1 Rue", country_code: "FR" } }),
  "order.delivery_method_invalid": ({ body }) => repair(body, { delivery_method: "classic" }),
  "order.name_invalid": ({ body }) => repair(body, { name: "Travel" }),
  "order.auto_convert_invalid": ({ body }) => repair(body, { auto_convert: true }),
  "order.spending_limit_invalid": ({ body }) =>
    repair(body, { spending_limit: { period: "daily", amount: "1.001" } }),
  "order.spending_limit_amount_invalid": ({ body }) =>
    repair(body, { spending_limit: { period: "lifetime", amount: "10000000000000.00" } }),
  "order.spending_limit_amount_too_large": ({ body }) =>
    repair(body, { spending_limit: { period: "daily", amount: "10000.01" } }),
  "order.address_field_required": ({ body }) =>
    repair(body, {
      delivery_address: { line1: "1 Rue", city: "Paris", post_code: "7", country_code: "FR" },
    }),
  "order.post_code_format": ({ body }) =>
    repair(body, {
      delivery_address: { line1: "1 Rue", city: "Paris", post_code: "75001", country_code: "FR" },
    }),
  "order.delivery_method_not_offered": ({ body }) => repair(body, { delivery_method: "express" }),
  "order.spending_limit_over_cap": ({ body }) =>
    repair(body, { spending_limit: { period: "daily", amount: "10000.00" } }),
  "order.account_not_found": ({ body }, good) => repair(body, { account_id: good.accountId }),
  "order.change_in_progress": (attempt) => (attempt.facts = { ...attempt.facts, changeInProgress: false }),
  "order.company_inactive": (attempt) => (attempt.facts = { ...attempt.facts, companyStatus: "active" }),
  "order.account_closed": (attempt) => (attempt.facts = { ...attempt.facts, account: "active" }),
  "order.company_details_missing": (attempt) =>
    (attempt.facts = { ...attempt.facts, companyDetailsComplete: true }),
  "order.cardholder_details_missing": (attempt) =>
    (attempt.facts = { ...attempt.facts, cardholderDetailsComplete: true }),
  "order.country_undeliverable": (attempt) =>
    (attempt.facts = { ...attempt.facts, countryDeliverable: true }),
  "order.quota_reached": (attempt) => (attempt.facts = { ...attempt.facts, quotaReached: false }),
  "order.issuer_rejected": (attempt) => (attempt.answer = { outcome: "bad_gateway" }),
  "order.issuer_bad_gateway": (attempt) => (attempt.answer = { outcome: "unavailable" }),
  "order.issuer_unavailable": (attempt) => (attempt.answer = { outcome: "issued" }),
};

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

test("checks an order in the order of the decisions table", async () => {
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
  const send = async () => {
    sandbox.force.facts = attempt.facts;
    sandbox.force.issuer = { issue: () => attempt.answer };
    const { token, headers, body } = attempt;
    return (await sandbox.order({ token, headers, raw: body })).point;
  };
  const points = checksOf(decisionsOf("orderPhysicalCard")).flatMap(({ points }) =>
    points.filter((point) => repairs[point]),
  );
  const decided: (string | undefined)[] = [];
  for (const point of points) {
    decided.push(await send());
    repairs[point]?.(attempt, good);
  }
  expect(decided).toEqual(points);
  expect(decided).toHaveLength(Object.keys(repairs).length);
  expect(await send()).toBe("order.created");
  // The faults of the body and of the world decide nothing once the key made a card.
  attempt.body = "not JSON";
  attempt.facts = { permissions: ["issue_cards"], entitled: true, quotaReached: true };
  expect(await send()).toBe("order.replayed_with_other_body");
});
