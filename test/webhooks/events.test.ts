import { expect, test } from "vitest";
import { eventType } from "../../src/contract/webhook.ts";
import { openWebhooks } from "../support/open-webhooks.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

/** A webhook that hears of everything, and what it heard since it was last asked. */
async function listening() {
  const webhooks = await openWebhooks({ events: eventType.options });
  const heard = async () => {
    await webhooks.settled();
    return webhooks.received.splice(0).map(({ json }) => json);
  };
  const types = async () => (await heard()).map(({ type }) => type);
  return { ...webhooks, heard, types };
}

test("each change of a card emits an event with the changed card and its previous status", async () => {
  const { order, call, control, heard, account } = await listening();
  const { id } = (await order()).json;
  expect(await heard()).toMatchObject([{ type: "card.created", data: { id, status: "active" } }]);

  await call("POST", `/developer/cards/${id}/freeze`);
  await call("POST", `/developer/cards/${id}/unfreeze`);
  control.cards.operate(id, { action: "suspend" });
  control.cards.operate(id, { action: "lift" });
  const changes = await heard();
  expect(changes.map(({ type, data, previous_status }) => [type, previous_status, data.status])).toEqual([
    ["card.status_changed", "active", "frozen"],
    ["card.status_changed", "frozen", "active"],
    ["card.status_changed", "active", "suspended"],
    ["card.status_changed", "suspended", "active"],
  ]);

  await call("PUT", `/developer/cards/${id}/spending-limit`, { period: "daily", amount: "20" });
  await call("DELETE", `/developer/cards/${id}/spending-limit`);
  expect(await heard()).toMatchObject([
    { type: "card.spending_limit_changed", data: { id, spending_limit: { amount: "20.00", used: "0.00" } } },
    { type: "card.spending_limit_changed", data: { id, spending_limit: null } },
  ]);

  control.cards.moveDelivery(id, { status: "shipped" });
  expect(await heard()).toMatchObject([
    { type: "card.delivery_updated", data: { card_id: id, status: "shipped" } },
  ]);

  await call("PATCH", `/developer/cards/${id}`, { name: "Travel" });
  await call("POST", `/developer/cards/${id}/unfreeze`);
  expect(await heard()).toEqual([]);

  control.cards.expire(id);
  expect(await heard()).toMatchObject([{ type: "card.status_changed", data: { id, status: "expired" } }]);
  expect(account("northwind").status).toBe("active");
});

test("a replacement emits the events of both cards, and card.replaced", async () => {
  const { order, call, request, exchange, heard, orderBody } = await listening();
  const { id } = (await order()).json;
  await heard();
  const { pin, delivery_address, delivery_method } = orderBody();
  const token = await exchange("sk_sandbox_northwind_owner");
  const reply = await request(`/developer/cards/${id}/replace`, {
    method: "POST",
    body: JSON.stringify({ reason: "lost", pin, delivery_address, delivery_method }),
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", "Idempotency-Key": key },
  });
  expect(reply.status).toBe(201);
  expect(await heard()).toMatchObject([
    { type: "card.status_changed", data: { id, status: "terminated" }, previous_status: "active" },
    { type: "card.replaced", data: { id: reply.json.id, status: "active" }, replaced_card_id: id },
  ]);
  expect((await call("GET", `/developer/cards/${id}`)).json.status).toBe("terminated");
});

test("a card that expires emits an event when the clock, its company's or the sandbox's, passes its date", async () => {
  const { order, heard, clock, control } = await listening();
  await order();
  await heard();
  await clock.advance({ by: "P6Y", company: "northwind" });
  expect(await heard()).toMatchObject([{ type: "card.status_changed", data: { status: "expired" } }]);
  control.companies.change("northwind", { card_quota: 30 });
  await clock.advance({ by: "P12Y" });
  expect(await heard()).toEqual([]);
});

test("each payment emits an event, and so does each change of the account's balance or status", async () => {
  const { order, control, types, heard, account } = await listening();
  const card = (await order()).json;
  await types();
  const { id } = control.simulator.authorise({ card_id: card.id, amount: "12.50" });
  expect(await types()).toEqual(["account.updated", "transaction.created"]);
  control.simulator.clear(id, {});
  expect(
    (await heard()).map(({ type, data, previous_status }) => [type, previous_status, data.status]),
  ).toEqual([
    ["account.updated", undefined, "active"],
    ["transaction.updated", "pending", "completed"],
  ]);
  control.simulator.authorise({ card_id: card.id, amount: "99999999.00" });
  expect(await heard()).toMatchObject([{ type: "transaction.created", data: { status: "declined" } }]);
  control.companies.changeAccount("gbp", { status: "closed", company: "northwind" });
  control.companies.changeAccount("gbp", { status: "closed", company: "northwind" });
  expect(await heard()).toMatchObject([
    {
      type: "account.updated",
      data: { id: account("northwind").id, status: "closed" },
      previous_status: "active",
    },
  ]);
});

test("invoices emit events when they are issued and when they are paid", async () => {
  const { control, heard } = await listening();
  const { id } = control.invoices.create({ company: "northwind" });
  control.invoices.settle(id, "paid");
  expect(await heard()).toMatchObject([
    { type: "invoice.created", data: { id, status: "open" } },
    { type: "invoice.paid", data: { id, status: "paid" }, previous_status: "open" },
  ]);
});

test("a scenario breaks the deliveries of a card's changes like those of its order", async () => {
  const { order, call, scenario, heard } = await listening();
  const { id } = (await order()).json;
  await heard();
  scenario("webhook-duplicate", { operation: "freezeCard" });
  await call("POST", `/developer/cards/${id}/freeze`);
  expect((await heard()).map(({ type }) => type)).toEqual(["card.status_changed", "card.status_changed"]);
});

test("a limit that was absent or stays the same emits no event", async () => {
  const { order, call, heard } = await listening();
  const { id } = (await order()).json;
  const path = `/developer/cards/${id}/spending-limit`;
  await heard();
  await call("DELETE", path);
  await call("PUT", path, { period: "daily", amount: "20" });
  await call("PUT", path, { period: "daily", amount: "20.00" });
  expect(await heard()).toHaveLength(1);
});

test("a card that expired before a refused change emits its event, and stays expired", async () => {
  const { order, call, exchange, heard, clockOfTest, control } = await listening();
  const { id } = (await order()).json;
  const other = (await order()).json.id;
  await heard();
  // Time that passes by itself: nobody is told until somebody looks.
  clockOfTest.advance(6 * 365 * 86_400_000);
  const token = await exchange("sk_sandbox_northwind_owner");
  const refused = await call("POST", `/developer/cards/${id}/freeze`, undefined, token);
  expect([refused.status, refused.point]).toEqual([409, "cards.state_conflict"]);
  expect((await heard()).map(({ type }) => type)).toEqual(["card.status_changed", "card.status_changed"]);
  expect(control.simulator.authorise({ card_id: other, amount: "1.00" }).decline_reason).toBe("card_expired");
});

test("a delivery fault waits for a request with an event that a webhook receives", async () => {
  const { order, call, scenario, settled, received } = await openWebhooks({
    events: ["card.status_changed"],
  });
  const armed = scenario("webhook-duplicate", { times: 1, company: "northwind" });
  const { id } = (await order()).json;
  expect(armed.listing()).toMatchObject({ steps_taken: 0, fired: 0 });
  const freeze = scenario("webhook-duplicate", { times: 1, operation: "freezeCard" });
  const frozen = await call("POST", `/developer/cards/${id}/freeze`);
  await settled();
  expect(frozen.headers.get("Sandbox-Scenario")).toBe("webhook-duplicate");
  expect([received.length, freeze.listing().spent]).toEqual([2, true]);
});
