import { expect, test } from "vitest";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { openWebhooks } from "../support/open-webhooks.ts";
import { differencesOf, tapeOf } from "../support/taped.ts";

const here = "http://localhost:4242/_sandbox/receiver/";

/** Opens a sandbox with a webhook to the built-in receiver. */
async function openReceiver(path: string) {
  const sandbox = await openWebhooks();
  const { json } = await sandbox.create({ url: here + path, events: ["card.created"] });
  const send = async () => {
    expect((await sandbox.call("POST", `/developer/webhooks/${json.id}/test`)).status).toBe(202);
    await sandbox.settled();
  };
  return { ...sandbox, sandbox, send, id: json.id };
}

test("the sandbox itself receives the events that are sent to its receiver", async () => {
  const { sandbox, send, received } = await openReceiver("inbox");
  await send();
  expect(received).toEqual([]);
  const [message] = sandbox.webhooks.received();
  expect(message).toMatchObject({
    receiver: "inbox",
    status: 204,
    signature: "valid",
    problem: null,
    headers: { "webhook-id": message?.delivery_id, "content-type": "application/json" },
  });
  expect(JSON.parse(message?.body ?? "")).toMatchObject({ type: "webhook.test" });
  expect(sandbox.webhooks.deliveries()[0]).toMatchObject({ id: message?.delivery_id, status: "delivered" });
});

test("the receiver returns the status that its URL asks for, and the delivery is retried", async () => {
  const { sandbox, send } = await openReceiver("broken?status=503");
  await send();
  expect(sandbox.webhooks.received("broken")).toMatchObject([{ status: 503, signature: "valid" }]);
  expect(sandbox.webhooks.deliveries()[0]).toMatchObject({
    status: "pending",
    attempts: [{ outcome: "failure", response_status: 503 }],
  });
  await sandbox.clock.advance({ by: "PT5S" });
  await sandbox.webhooks.settled();
  expect(sandbox.webhooks.received("broken")).toHaveLength(2);
});

test.each(["abc", "99", "600", ""])("a receiver that is to return %j is refused", async (status) => {
  const { create } = await openWebhooks();
  const reply = await create({ url: `${here}inbox?status=${status}`, events: ["card.created"] });
  expect([reply.status, JSON.stringify(reply.json)]).toEqual([
    400,
    expect.stringContaining("url: status must be from 200 to 599 for the built-in receiver"),
  ]);
});

test.each([
  ["webhook-bad-signature", "webhook-signature: does not match the secret of the webhook"],
  ["webhook-stale", "timestamp: is 10 minutes off the time of the receiver, which allows 5 minutes"],
] as const)("the receiver refuses the event that %s forges", async (scenario, problem) => {
  const { sandbox, send } = await openReceiver("inbox");
  sandbox.scenario(scenario, { company: "northwind", operation: "testWebhook" });
  await send();
  expect(sandbox.webhooks.received()).toMatchObject([{ status: 401, signature: "invalid", problem }]);
});

test("the signature of an event is valid while the secret before still signs", async () => {
  const { sandbox, send, call, id } = await openReceiver("inbox");
  await call("POST", `/developer/webhooks/${id}/rotate-secret`);
  await send();
  expect(sandbox.webhooks.received()).toMatchObject([{ signature: "valid" }]);
});

test.each(["stripe", "revolut"])("the signature of %s can be valid", async (signature) => {
  const { sandbox, send } = await openReceiver("inbox");
  sandbox.control.dialect.select("webhooks.signature", signature);
  await send();
  expect(sandbox.webhooks.received()).toMatchObject([{ signature: "valid" }]);
});

test("a reset deletes the messages", async () => {
  const { sandbox, send } = await openReceiver("inbox");
  await send();
  sandbox.reset();
  expect(sandbox.webhooks.received()).toEqual([]);
});

test("a reset of a company drops only the messages to its own webhooks", async () => {
  const { sandbox, send } = await openReceiver("inbox");
  await send();
  sandbox.reset("halfway");
  expect(sandbox.webhooks.received()).toHaveLength(1);
  sandbox.reset("northwind");
  expect(sandbox.webhooks.received()).toEqual([]);
});

test("the receiver keeps the latest 200 messages", async () => {
  const { sandbox, call, id, settled } = await openReceiver("inbox");
  for (let n = 0; n < 201; n++) await call("POST", `/developer/webhooks/${id}/test`);
  await settled();
  const messages = sandbox.webhooks.received();
  expect(messages).toHaveLength(200);
  expect(messages[0]?.id).toBe("201");
});

test.each([
  "http://localhost/_sandbox/receiver/",
  "http://localhost/_sandbox/receiver/a/b",
  "http://localhost/other",
])("%s is no URL of the receiver", async (url) => {
  const sandbox = await openWebhooks();
  const { create, call, received, settled } = sandbox;
  const { json } = await create({ url });
  await call("POST", `/developer/webhooks/${json.id}/test`);
  await settled();
  expect(sandbox.webhooks.received()).toEqual([]);
  expect(received.map((each) => each.url)).toEqual([url]);
});

test("the control API lists the messages, and takes none", async () => {
  const { sandbox, send } = await openReceiver("inbox");
  await send();
  const read = async (path: string, method = "GET") => {
    const response = await sandbox.fetch(`http://sandbox/_sandbox/receiver${path}`, { method });
    return { status: response.status, body: await response.json() };
  };
  expect(await read("")).toEqual({ status: 200, body: { messages: sandbox.webhooks.received() } });
  expect(await read("?name=other")).toEqual({ status: 200, body: { messages: [] } });
  expect((await read("/inbox", "POST")).status).toBe(404);
});

test("a replay of deliveries to the receiver has no difference", async () => {
  const tape = await tapeOf(async (sandbox) => {
    const { id: company } = await sandbox.isolatedCompany();
    for (const path of ["inbox", "broken?status=503"]) {
      const { id } = sandbox.webhooks.create({ company, url: here + path });
      sandbox.webhooks.test(id);
      await sandbox.webhooks.settled();
    }
    await sandbox.clock.advance({ by: "PT5S" });
    await sandbox.webhooks.settled();
    expect(sandbox.webhooks.received().map(({ status }) => status)).toEqual([503, 503, 204]);
    const [delivery] = sandbox.webhooks.deliveries();
    sandbox.webhooks.resend(delivery?.id ?? "");
    await sandbox.webhooks.settled();
  });
  expect(tape.events.filter((event) => event.do === "delivery")).toHaveLength(4);
  expect(await differencesOf(tape)).toEqual([]);
});

test("createSandbox() receives in this process", async () => {
  const sandbox = createSandbox();
  const { id } = sandbox.webhooks.create({ company: "northwind", url: `${here}inbox` });
  sandbox.webhooks.test(id);
  await sandbox.webhooks.settled();
  expect(sandbox.webhooks.received()).toMatchObject([{ signature: "valid" }]);
  sandbox.close();
});
