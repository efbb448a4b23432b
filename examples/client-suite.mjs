// A test suite that passes with both clients. Only the sandbox's report shows the mistakes of the careless one.
// Run it in a clone, after `npm ci`:
//   npx card-sandbox exec --fail-on warn -- node examples/client-suite.mjs careless
import assert from "node:assert/strict";
import { test } from "node:test";

const { CARD_SANDBOX_URL, CARD_SANDBOX_API_KEY, CARD_SANDBOX_ACCOUNT_ID, CARD_SANDBOX_COMPANY_ID } =
  process.env;
const { CardClient } = await import(`./${process.argv[2]}-client.mjs`);

const client = new CardClient(CARD_SANDBOX_URL, CARD_SANDBOX_API_KEY);
const accountId = CARD_SANDBOX_ACCOUNT_ID;

test("orders a card", async () => {
  assert.equal((await client.order({ accountId })).status, "active");
});

test("gets its card although the issuer is down for two requests", async () => {
  const arming = { method: "POST", body: JSON.stringify({ company: CARD_SANDBOX_COMPANY_ID, times: 1 }) };
  await fetch(`${CARD_SANDBOX_URL}/_sandbox/scenarios/issuer-recovers/arm`, arming);
  assert.equal((await client.order({ accountId })).status, "active");
});

test("limits a card to the sum of its subscriptions, or reports that there is no card", async () => {
  await client.order({ accountId, subscriptions: ["5.99", "14.00"] }).then(
    (card) => assert.equal(card.spending_limit.amount, "19.99"),
    (error) => assert.match(error.message, /no card/),
  );
});
