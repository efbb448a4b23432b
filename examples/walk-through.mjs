// The life of a card, in one process: order, purchases up to the spending limit, freeze, replacement, and the webhook
// events of these steps. Run it in a clone, after `npm ci`: node examples/walk-through.mjs
import { createSandbox } from "card-sandbox";

const events = [];
const sandbox = createSandbox({
  clock: "2026-03-10T09:30:00Z",
  deliver: async (_url, { body }) => {
    const { type, data } = JSON.parse(body);
    events.push(`${type} ${data.status}`);
    return new Response(null, { status: 204 });
  },
});

async function call(method, path, body, headers = {}) {
  const request = { method, headers: { "Content-Type": "application/json", ...headers } };
  const response = await sandbox.fetch(
    `http://sandbox${path}`,
    body ? { ...request, body: JSON.stringify(body) } : request,
  );
  return response.json();
}

const { access_token } = await call("POST", "/auth/v1/sandbox/token", {
  api_key: "sk_sandbox_northwind_owner",
});
const bearer = { Authorization: `Bearer ${access_token}` };
const withKey = () => ({ ...bearer, "Idempotency-Key": crypto.randomUUID() });
const delivery = {
  pin: "4821",
  delivery_address: { line1: "1 Long Lane", city: "London", post_code: "SE1 4PG", country_code: "GB" },
  delivery_method: "express",
};

await call(
  "POST",
  "/developer/webhooks",
  {
    url: "http://localhost:9999/hooks",
    events: ["card.created", "card.status_changed", "card.replaced", "transaction.created"],
  },
  bearer,
);

const [account] = sandbox.world().companies[0].accounts;
const card = await call(
  "POST",
  "/developer/cards/physical",
  { ...delivery, account_id: account.id, spending_limit: { period: "weekly", amount: "50.00" } },
  withKey(),
);
console.log(`order: ${card.name}, ${card.status}`);

const purchase = { card_id: card.id, amount: "42.00", merchant: "Corner Books" };
const accepted = await call("POST", "/_sandbox/simulate/authorisations", purchase);
console.log(`purchase of 42.00: ${accepted.status}`);
const declined = await call("POST", "/_sandbox/simulate/authorisations", { ...purchase, amount: "8.01" });
console.log(`purchase of 8.01: ${declined.status}, ${declined.decline_reason}`);

const used = ({ spending_limit }) => `${spending_limit.used} of ${spending_limit.amount} used`;
const frozen = await call("POST", `/developer/cards/${card.id}/freeze`, undefined, bearer);
console.log(`freeze: ${frozen.status}, ${used(frozen)}`);

const replacement = await call(
  "POST",
  `/developer/cards/${card.id}/replace`,
  { ...delivery, reason: "lost" },
  withKey(),
);
console.log(`replacement: ${replacement.status}, ${used(replacement)}`);

await sandbox.webhooks.settled();
console.log(`webhook events: ${events.toSorted().join(", ")}`);
sandbox.close();
