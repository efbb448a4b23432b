import { expect, test } from "vitest";
import { latestExchange, openSandbox } from "../support/open-sandbox.ts";
import { openWebhooks } from "../support/open-webhooks.ts";
import { checkConformance, type Observed, type SentEvent } from "../support/openapi-conformance.ts";

/** Checks the response to an order after a change to it. */
async function orderedBut(change: (exchange: Observed) => Partial<Observed>): Promise<() => void> {
  await openSandbox().order();
  const exchange = latestExchange();
  if (!exchange) throw new Error("there was no response");
  return () => checkConformance([{ ...exchange, ...change(exchange) }]);
}

const withBody = (fields: object) =>
  orderedBut(({ responseBody = "" }) => ({
    responseBody: JSON.stringify({ ...JSON.parse(responseBody), ...fields }),
  }));
const withHeaders = (fields: Record<string, string>) =>
  orderedBut(({ responseHeaders }) => ({ responseHeaders: { ...responseHeaders, ...fields } }));

test("the response to an order conforms to the OpenAPI document", async () => {
  expect(await orderedBut(() => ({}))).not.toThrow();
});

test.each([
  ["an undeclared field", () => withBody({ pin: "4821" }), /orderPhysicalCard 201.*"pin"/],
  [
    "an undeclared nested field",
    () => withBody({ spending_limit: { left: "1.00" } }),
    /spending_limit.*"left"/,
  ],
  ["a field with another value", () => withBody({ status: "asleep" }), /\/status/],
  ["a missing field", () => withBody({ token: undefined }), /'token'/],
  ["another status", () => orderedBut(() => ({ status: 200 })), /200.*no such response/],
  ["another point", () => orderedBut(() => ({ point: "cards.frozen" })), /no such point there/],
  ["an undeclared header", () => withHeaders({ "X-Debug": "1" }), /no header x-debug/],
  ["a header with another value", () => withHeaders({ "Idempotent-Replayed": "yes" }), /Idempotent-Replayed/],
  ["another content type", () => withHeaders({ "Content-Type": "text/html" }), /text\/html/],
  [
    "a missing Date",
    () => orderedBut(() => ({ responseHeaders: { "Content-Type": "application/json" } })),
    /Date is missing/,
  ],
  ["a body that is not JSON", () => orderedBut(() => ({ responseBody: "{" })), /not JSON/],
])("%s is refused", async (_, attempt, message) => {
  expect(await attempt()).toThrow(message);
});

/** Checks an event after a change to it. */
async function sentBut(change: (event: SentEvent) => Partial<SentEvent>): Promise<() => void> {
  const { order, settled, received } = await openWebhooks();
  await order();
  await settled();
  const [event] = received.map(({ headers, text }) => ({ headers, body: text }));
  if (!event) throw new Error("no event was sent");
  return () => checkConformance([], [{ ...event, ...change(event) }]);
}

const withPayload = (change: (payload: Payload) => object) =>
  sentBut(({ body }) => {
    const payload = JSON.parse(body);
    return { body: JSON.stringify({ ...payload, ...change(payload) }) };
  });
interface Payload {
  readonly data: object;
}

test("an event matches the OpenAPI document", async () => {
  expect(await sentBut(() => ({}))).not.toThrow();
});

test.each([
  ["an undeclared field", () => withPayload(() => ({ pin: "4821" })), /card.created.*"pin"/],
  [
    "a field of data that it does not declare",
    () => withPayload(({ data }) => ({ data: { ...data, previous_status: "active" } })),
    /\/data.*"previous_status"/,
  ],
  ["an object that is not whole", () => withPayload(() => ({ data: { id: "1" } })), /\/data.*required/],
  ["another type", () => withPayload(() => ({ type: "card.made" })), /no event card.made/],
  ["the payload of another type", () => withPayload(() => ({ type: "card.replaced" })), /'replaced_card_id'/],
  [
    "no signature",
    () => sentBut(({ headers: { "webhook-signature": _, ...headers } }) => ({ headers })),
    /webhook-signature is missing/,
  ],
  [
    "a signature of another form",
    () => sentBut(({ headers }) => ({ headers: { ...headers, "webhook-signature": "v0,abc" } })),
    /webhook-signature.* must match/,
  ],
])("an event with %s is refused", async (_, attempt, message) => {
  expect(await attempt()).toThrow(message);
});
