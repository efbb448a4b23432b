import { expect, test } from "vitest";
import { openDashboard } from "../support/open-dashboard.ts";

test("a fresh sandbox shows the code of a first order, in a tab for each language", async () => {
  const { visit } = openDashboard();
  const { text } = await visit("");
  expect(text).toContain("Order a card");
  expect(text).toContain("TOKEN=$(curl");
  expect((await visit("?first=fetch")).text).toContain("const response = await fetch(");
  expect((await visit("?first=test")).text).toContain('import { expect, test } from "vitest"');
  expect((await visit("?first=nonsense")).text).toContain("TOKEN=$(curl");
});

test("after the first request, the overview shows traffic, and the code moves behind a link", async () => {
  const { visit, order } = openDashboard();
  await order();
  const { html, text } = await visit("");
  expect(text).toContain("Latest requests");
  expect(html).toMatch(/<details id="order-details"[^>]*><summary>/);
  expect((await visit("?first=curl")).html).toMatch(/<details id="order-details" open/);
});

test("counts the requests by status, with links to each class", async () => {
  const { visit, order, request } = openDashboard();
  await order();
  await order({ headers: { "Sandbox-Scenario": "issuer-recovers" } });
  await request("/developer/cards");
  const { html } = await visit("?window=5");
  expect(html).toContain('aria-label="Requests of the last 5 minutes: 3 2xx, 1 4xx, 1 5xx, 0 lost"');
  expect(html).toMatch(/href="\/_sandbox\/ui\/requests\?q=status%3A5xx"/);
});

test("the chart shows the real arrival, whatever the clocks say", async () => {
  const { visit, order, clock } = openDashboard();
  await clock.advance({ by: "P1D", company: "northwind" });
  await order();
  await clock.advance({ by: "P1M" });
  expect((await visit("")).html).toContain("Requests of the last minute: 2 2xx");
});

test("lists armed scenarios that have not fired, and how many others are armed", async () => {
  const { visit, order, control } = openDashboard();
  control.scenarios.arm("rate-limited", { times: 2 });
  await order();
  control.scenarios.arm("quota-reached", { company: "fullhouse", times: 1 });
  const { text } = await visit("");
  expect(text).toMatch(/Armed, not fired yet .*quota-reached for fullhouse, 1 ×/);
  expect(text).toContain("1 more armed");
});

test("shows findings by severity, cards by status, and the clocks that are ahead", async () => {
  const { visit, request, clock } = openDashboard();
  await request("/developer/cards", { headers: { Authorization: "Bearer sk_sandbox_northwind_owner" } });
  await clock.advance({ by: "PT75M", company: "northwind" });
  const { html, text } = await visit("");
  expect(text).toMatch(/Findings Report 1 \w+/);
  expect(html).toContain('href="/_sandbox/ui/cards?status=active"');
  expect(text).toContain("Northwind Traders Ltd 1 hour 15 minutes ahead");
});
