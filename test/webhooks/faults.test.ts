import { expect, test } from "vitest";
import { openWebhooks } from "../support/open-webhooks.ts";

test("an event that is held back arrives after five seconds of the sandbox's time if no other follows", async () => {
  const { order, settled, received, clock, scenario } = await openWebhooks();
  scenario("webhook-reordered", { company: "northwind" });
  await order();
  await clock.advance({ by: "PT4S" });
  await settled();
  expect(received).toHaveLength(0);
  await clock.advance({ by: "PT1S" });
  await settled();
  expect(received).toHaveLength(1);
});

test("an event is held back for a shorter time if the sandbox shortens waits", async () => {
  const { order, settled, received, clock, scenario } = await openWebhooks({ shortenWait: () => 300.5 });
  scenario("webhook-reordered");
  await order();
  await settled();
  expect(received).toHaveLength(0);
  await clock.advance({ by: "PT0.3S" });
  await settled();
  expect(received).toHaveLength(1);
});

test("every second event overtakes the one before it", async () => {
  const { order, settled, received, scenario } = await openWebhooks();
  scenario("webhook-reordered");
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) {
    ids.push((await order()).json.id);
    await settled();
  }
  const came = received.map(({ json }) => ids.indexOf(json.data.id) + 1);
  expect(came).toEqual([2, 1, 4, 3]);
});

test("a duplicate arrives with the same webhook-id, and the delivery succeeds if either is accepted", async () => {
  const { order, settled, received, answers, deliveries } = await openWebhooks();
  answers.push(200, 409);
  const reply = await order({ headers: { "Sandbox-Scenario": "webhook-duplicate" } });
  expect(reply.headers.get("Sandbox-Scenario")).toBe("webhook-duplicate");
  await settled();
  const [{ id, status, attempts }] = await deliveries();
  expect(received.map(({ headers }) => headers["webhook-id"])).toEqual([id, id]);
  expect([status, attempts.length]).toEqual(["delivered", 2]);
});

test("faults affect the events of the request that claims them, but not a resent one", async () => {
  const { call, path, order, settled, received, deliveries } = await openWebhooks();
  await order({ headers: { "Sandbox-Scenario": "webhook-duplicate" } });
  await order();
  await settled();
  expect(received).toHaveLength(3);
  const [{ id }, { id: struck }] = await deliveries();
  expect(received.filter(({ headers }) => headers["webhook-id"] === id)).toHaveLength(1);
  await call("POST", `${path}/deliveries/${struck}/resend`);
  await settled();
  expect(received).toHaveLength(4);
});

test("faults that are armed with an operation affect webhook.test", async () => {
  const { call, path, settled, received, scenario } = await openWebhooks();
  scenario("webhook-duplicate", { operation: "testWebhook", times: 1 });
  expect((await call("POST", `${path}/test`)).headers.get("Sandbox-Scenario")).toBe("webhook-duplicate");
  await call("POST", `${path}/test`);
  await settled();
  expect(received.map(({ json }) => json.type)).toEqual(["webhook.test", "webhook.test", "webhook.test"]);
});
