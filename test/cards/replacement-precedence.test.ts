import { expect, test } from "vitest";
import { checksOf, decisionsOf } from "../../src/contract/decisions.ts";
import type { ContractPointId } from "../../src/contract/points.ts";
import type { FactsOverlay, IssuerAnswer } from "../../src/rules/overlay.ts";
import { openCards } from "../support/open-cards.ts";
import { london } from "../support/physical-order.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

/** A replacement with every fault at once, each of which can be repaired on its own. */
interface Attempt {
  token: string;
  headers: Record<string, string>;
  body: string | Record<string, unknown>;
  cardId: string;
  facts: FactsOverlay;
  answer: IssuerAnswer;
}

interface Good {
  readonly token: string;
  readonly cardId: string;
  /** Of a card that has ended. */
  readonly endedId: string;
}

const believe = (attempt: Attempt, facts: FactsOverlay) => {
  attempt.facts = { ...attempt.facts, ...facts };
};
const repair = (attempt: Attempt, fields: Record<string, unknown>) => {
  attempt.body = { ...(attempt.body as Record<string, unknown>), ...fields };
};

/** Repairs the fault that a point decides on, and so reveals the next. The decisions table has their order. */
const repairs: Readonly<Partial<Record<ContractPointId, (attempt: Attempt, good: Good) => void>>> = {
  "auth.token_invalid": (attempt, good) => (attempt.token = good.token),
  "access.forbidden": (attempt) => believe(attempt, { permissions: ["issue_cards"] }),
  "access.not_entitled": (attempt) => believe(attempt, { entitled: true }),
  "cards.content_type_invalid": ({ headers }) => (headers["Content-Type"] = "application/json"),
  "cards.idempotency_key_invalid": ({ headers }) => (headers["Idempotency-Key"] = key),
  "cards.body_invalid": (attempt) =>
    (attempt.body = {
      reason: "lost",
      pin: "4821",
      delivery_address: { line1: "1 Long Lane", country_code: "GB", post_code: "1" },
      delivery_method: "international",
    }),
  "cards.address_field_required": (attempt) =>
    repair(attempt, { delivery_address: { ...london, post_code: "1" } }),
  "cards.post_code_format": (attempt) => repair(attempt, { delivery_address: london }),
  "cards.delivery_method_not_offered": (attempt) => repair(attempt, { delivery_method: "classic" }),
  "cards.not_found": (attempt, good) => (attempt.cardId = good.endedId),
  "cards.change_in_progress": (attempt) => believe(attempt, { changeInProgress: false }),
  "cards.state_conflict": (attempt, good) => (attempt.cardId = good.cardId),
  "cards.company_inactive": (attempt) => believe(attempt, { companyStatus: "active" }),
  "cards.account_closed": (attempt) => believe(attempt, { account: "active" }),
  "cards.company_details_missing": (attempt) => believe(attempt, { companyDetailsComplete: true }),
  "cards.cardholder_details_missing": (attempt) => believe(attempt, { cardholderDetailsComplete: true }),
  "cards.country_undeliverable": (attempt) => believe(attempt, { countryDeliverable: true }),
  "cards.quota_reached": (attempt) => believe(attempt, { quotaReached: false }),
  "cards.issuer_rejected": (attempt) => (attempt.answer = { outcome: "bad_gateway" }),
  "cards.issuer_bad_gateway": (attempt) => (attempt.answer = { outcome: "unavailable" }),
  "cards.issuer_unavailable": (attempt) => (attempt.answer = { outcome: "issued" }),
};

test("checks a replacement in the order of the decisions table", async () => {
  const sandbox = openCards();
  const [live, ended] = [await sandbox.card(), await sandbox.card()];
  await sandbox.set("terminate", ended.id);
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  const good: Good = { token, cardId: live.id, endedId: ended.id };
  const attempt: Attempt = {
    token: "not-a-token",
    headers: { "Content-Type": "text/plain" },
    body: "not JSON",
    cardId: "none",
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
    const { token, headers, body, cardId, facts, answer } = attempt;
    sandbox.force.facts = facts;
    sandbox.force.issuer = { issue: () => answer };
    const path = `/developer/cards/${cardId}/replace`;
    return (await sandbox.call("POST", path, { token, headers, body })).point;
  };
  const points = checksOf(decisionsOf("replaceCard")).flatMap(({ points }) =>
    points.filter((point) => repairs[point]),
  );
  const decided: (string | undefined)[] = [];
  for (const point of points) {
    decided.push(await send());
    repairs[point]?.(attempt, good);
  }
  expect(decided).toEqual(points);
  expect(decided).toHaveLength(Object.keys(repairs).length);
  expect(await send()).toBe("cards.replaced");
  // The faults of the body and of the world decide nothing once the key made a card.
  Object.assign(attempt, { body: "not JSON", cardId: "none" });
  expect(await send()).toBe("cards.replayed");
});

test("checks a limit's format, then its card, then its cap, and the card's status last", async () => {
  const sandbox = openCards();
  const { id } = await sandbox.card();
  await sandbox.set("terminate", id);
  const put = async (named: string, amount: string) => {
    const body = { period: "daily", amount };
    return (await sandbox.call("PUT", `/developer/cards/${named}/spending-limit`, { body })).point;
  };
  expect(await put(key, "1.001")).toBe("cards.body_invalid");
  expect(await put(key, "10000.01")).toBe("cards.not_found");
  expect(await put(id, "10000.01")).toBe("cards.spending_limit_over_cap");
  expect(await put(id, "5")).toBe("cards.state_conflict");
});
