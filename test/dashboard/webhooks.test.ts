import { expect, test } from "vitest";
import { openDashboard } from "../support/open-dashboard.ts";

const receiver = "http://localhost:4242/_sandbox/receiver/northwind";

/** Opens a dashboard; `add` adds a webhook for northwind and sends a test event to it. */
function openWebhookPages() {
  const dashboard = openDashboard();
  const { companies } = dashboard.world({ search: "northwind", limit: 1 });
  const company = companies[0]?.id ?? "";
  const add = async (url: string) => {
    await dashboard.submit("/webhooks", { company, url });
    const [webhook] = dashboard.webhooks.list(undefined, 1);
    if (!webhook) throw new Error("the webhook was not created");
    const { location } = await dashboard.send(`/webhooks/${webhook.id}/test`);
    await dashboard.webhooks.settled();
    return { ...webhook, delivery: location ?? "" };
  };
  return { ...dashboard, company, add };
}

test("the page without webhooks offers a receiver, which one click adds", async () => {
  const { visit, submit, company, webhooks } = openWebhookPages();
  const page = await visit("/webhooks?company=northwind");
  expect(page.text).toContain("No webhook yet.");
  expect(page.html).toContain(`name="url" value="${receiver}"`);
  const { text } = await submit("/webhooks", { company, url: receiver });
  expect(text).toContain(`Events are sent to ${receiver}.`);
  expect(webhooks.list("northwind", 1)).toMatchObject([{ url: receiver, status: "active" }]);
});

test("a URL that may not receive events is refused, with the reason", async () => {
  const { submit, company } = openWebhookPages();
  const { text } = await submit("/webhooks", { company, url: "http://example.com/hooks" });
  expect(text).toContain("Error: url: must be an https URL.");
});

test("the receiver's messages are shown with their signature", async () => {
  const { add, visit } = openWebhookPages();
  const { id } = await add(receiver);
  const { text, html } = await visit(`/webhooks?webhook=${id}`);
  expect(text).toContain("valid signature returned 204");
  expect(text).toContain("The receiver returned 204 to attempt 1.");
  expect(html).toContain("webhook-signature");
  expect(text).toMatch(/whsec_[A-Za-z0-9+/=]{44}/);
});

test("a link to a webhook shows it, also when 50 newer ones exist", async () => {
  const { add, visit, webhooks, world } = openWebhookPages();
  const { id } = await add(`${receiver}-first`);
  for (const { id: company } of world({ limit: 6 }).companies) {
    for (let n = 0; n < 9; n++) webhooks.create({ company, url: `${receiver}-${n}` });
  }
  expect((await visit(`/webhooks?webhook=${id}`)).text).toContain(`${receiver}-first`);
});

test("the page of a delivery explains why it was not delivered, and makes the next attempt due", async () => {
  const { add, visit, submit, company, webhooks } = openWebhookPages();
  const { delivery } = await add(`${receiver}?status=503`);
  const first = await visit(delivery);
  expect(first.text).toContain("Receiver returned status 503. Attempt 2 of 10 follows in 5 seconds.");
  expect(first.html).toContain('name="by" value="PT5S"');
  await submit("/clock/advance", { by: "PT5S", company });
  await webhooks.settled();
  const second = await visit(delivery);
  expect(second.text).toContain("Attempt 3 of 10 follows in 5 minutes.");
  expect(second.text).toContain("Received messages");
});

test("a delivery whose attempts are used up is explained, and can be sent again", async () => {
  const { add, visit, submit, clock, webhooks } = openWebhookPages();
  const { delivery } = await add(`${receiver}?status=500`);
  for (let n = 0; n < 9; n++) {
    await clock.advance({ by: "P1D" });
    await webhooks.settled();
  }
  const { text } = await visit(delivery);
  expect(text).toContain("It was the last of 10 attempts, so none follows.");
  expect((await visit("/webhooks?status=failed")).text).toContain("webhook.test");
  expect((await visit("/webhooks?status=pending")).text).toContain("No delivery is pending.");
  const id = webhooks.deliveries()[0]?.id;
  expect((await submit(`/webhooks/${id}/resend`)).text).toContain("is sent again");
  await webhooks.settled();
  expect(webhooks.deliveries()[0]?.attempts).toHaveLength(11);
});

test("a receiver that is gone disables its webhook, and the page offers to enable it", async () => {
  const { add, visit, submit } = openWebhookPages();
  const { id, delivery } = await add(`${receiver}?status=410`);
  expect((await visit(delivery)).text).toContain(
    "The receiver is gone, so no attempt follows, and the webhook is disabled.",
  );
  expect((await visit("/webhooks")).text).toContain("Enable");
  expect((await submit(`/webhooks/${id}/status`, { status: "active" })).text).toContain("is now active");
});

test("an event to a disabled webhook is refused, with the reason", async () => {
  const { add, submit } = openWebhookPages();
  const { id } = await add(receiver);
  await submit(`/webhooks/${id}/status`, { status: "disabled" });
  expect((await submit(`/webhooks/${id}/test`)).text).toContain("The webhook is disabled");
});

test("a webhook is deleted with its deliveries", async () => {
  const { add, submit, visit, webhooks } = openWebhookPages();
  const { id, delivery } = await add(receiver);
  await submit(`/webhooks/${id}/delete`);
  expect(webhooks.list(undefined, 1)).toEqual([]);
  expect((await visit(delivery)).status).toBe(404);
  expect((await visit(`/webhooks?webhook=${id}`)).status).toBe(404);
});

test("a URL is escaped", async () => {
  const { add, visit } = openWebhookPages();
  const { delivery } = await add("http://localhost/'a'&b");
  for (const path of ["/webhooks", delivery]) {
    const { html } = await visit(path);
    expect(html).toContain("http://localhost/&#39;a&#39;&amp;b");
    expect(html).not.toContain("'a'&b");
  }
});
