// Helpers for the suites of this folder: companies, and a receiver of webhook events.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

const { CARD_SANDBOX_URL, CARD_SANDBOX_ADMIN_TOKEN } = process.env;

/** Creates a company for one test. Its slug names its calls in the reports of a sweep. */
export async function newCompany(slug) {
  const { members, accounts } = await control("POST", "/companies", { slug });
  return {
    apiKey: members[0].api_keys[0].secret,
    accountId: accounts[0].id,
    /** Advances the company's clock. */
    advance: (by) => control("POST", "/clock/advance", { by, company: slug }),
    /** Waits until its webhook events are delivered. */
    settled: () => settled(slug),
  };
}

async function settled(slug) {
  for (let round = 1; round <= 100; round++) {
    const { deliveries } = await control("GET", `/webhooks/deliveries?company=${slug}`);
    const pending = deliveries.filter(({ status }) => status === "pending");
    if (pending.length === 0) return;
    // A retry waits for the company's clock, and so does an event that is delivered out of order.
    if (round % 5 === 0) await control("POST", "/clock/advance", { by: "PT10S", company: slug });
    await wait(5);
  }
  assert.fail("the events of the company are not delivered");
}

/**
 * Starts a server for webhook events, until the end of the test.
 * @param receive - returns a status code
 * @returns its URL
 */
export async function receiver(t, receive) {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    response.writeHead(receive(request.headers, body)).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${server.address().port}/`;
}

async function control(method, path, body) {
  const response = await fetch(`${CARD_SANDBOX_URL}/_sandbox${path}`, {
    method,
    headers: {
      "Content-Type": "application/json",
      ...(CARD_SANDBOX_ADMIN_TOKEN && { Authorization: `Bearer ${CARD_SANDBOX_ADMIN_TOKEN}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${await response.clone().text()}`);
  return response.json();
}
