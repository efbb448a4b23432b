// A test suite that passes with the careless client and with the careful one. A sweep breaks each of its requests:
//   npx card-sandbox sweep -- node --test-reporter=spec examples/sweep/suite.mjs careless
import assert from "node:assert/strict";
import { test } from "node:test";
import { newCompany, receiver } from "./world.mjs";

const { CARD_SANDBOX_URL: url, CARD_SANDBOX_API_KEY, CARD_SANDBOX_ACCOUNT_ID } = process.env;
const { CardClient, Inbox } = await import(`./${process.argv[2]}-client.mjs`);

test("orders a physical card, and makes it unusable", async () => {
  const client = new CardClient(url, CARD_SANDBOX_API_KEY);
  const card = await client.orderPhysicalCard({
    account_id: CARD_SANDBOX_ACCOUNT_ID,
    name: "Travel",
    pin: "4821",
    delivery_address: { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" },
    delivery_method: "express",
  });
  assert.equal(card.status, "active");
  assert.notEqual((await client.freezeCard(card.id)).status, "active");
});

test("orders a virtual card, and replaces it", async () => {
  const { apiKey, accountId } = await newCompany("replacements");
  const client = new CardClient(url, apiKey);
  const card = await client.orderVirtualCard({ account_id: accountId, name: "Software" });
  const replacement = await client.replaceCard(card.id, { reason: "lost" });
  assert.equal(replacement.name, "Software");
});

test("books each new card once", async (t) => {
  const { apiKey, accountId, settled } = await newCompany("bookkeeping");
  const client = new CardClient(url, apiKey);
  const booked = [];
  let inbox;
  const webhookUrl = await receiver(t, (headers, body) => inbox?.receive(headers, body) ?? 503);
  const { secret } = await client.createWebhook(webhookUrl, ["card.created"]);
  inbox = new Inbox(secret, ({ data }) => booked.push(data.id));
  await client.orderVirtualCard({ account_id: accountId, name: "Advertising" });
  await settled();
  const cards = await client.listCards();
  const ids = cards.map(({ id }) => id);
  assert.deepEqual(booked, ids, "the books must have each card once");
});
