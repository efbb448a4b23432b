import { expect, test } from "vitest";
import { openDashboard } from "../support/open-dashboard.ts";
import { cardOf } from "../support/open-sandbox.ts";

const key = "5b8e0a52-7d3b-4a46-9f2e-2f6f0f1f7c10";

test("the page of a request shows the message of an error, and both messages with their headers folded", async () => {
  const { visit, order } = openDashboard();
  await order({ body: { pin: "1234567", name: "<b>it</b>" } });
  const { html, text } = await visit("/requests/2");
  const [, why = ""] = /<p class="why">(.*?)<\/p>/.exec(html) ?? [];
  expect(why).toContain("pin");
  expect(text).toMatch(/\d+ headers/);
  expect(text).toContain("Copy the body of the response");
  expect(text).toContain("Copy the body of the request");
  expect(html).not.toContain("<b>it</b>");
});

test("the attempts with one Idempotency-Key are those of one member to one operation", async () => {
  const { visit, order, call, orderBody } = openDashboard();
  await order({ key, headers: { "Sandbox-Scenario": "issuer-unavailable" } });
  await order({ key });
  await order({ key, apiKey: "sk_sandbox_northwind_admin" });
  const { account_id } = orderBody();
  await call("POST", "/developer/cards/virtual", { key, body: { account_id } });
  await order({ key });
  const ids = [2, 4, 10];
  const first = await visit(`/requests/${ids[0]}`);
  expect(first.text).toContain("Attempt 1 of 3");
  expect(first.text).not.toContain("Previous attempt");
  const { html, text } = await visit(`/requests/${ids[1]}`);
  expect(text).toContain("Attempt 2 of 3");
  expect(text).toMatch(/503 order.issuer_unavailable .*201 order.created .*201 order.replayed/);
  expect(html).toContain('<a href="/_sandbox/ui/requests/2">Previous attempt</a>');
  expect(html).toContain('<a href="/_sandbox/ui/requests/10">Next attempt</a>');
  expect((await visit("/requests/6")).text).toContain("Attempt 1 of 1");
  expect((await visit("/requests/1")).text).not.toContain("Attempt");
});

test("the neighbours of a request are those of the search, in the order of arrival", async () => {
  const { visit, order, request } = openDashboard();
  await order();
  await request("/developer/none");
  await order();
  const links = async (path: string) =>
    [...(await visit(path)).html.matchAll(/<a href="([^"]+)" data-key="([jk])">/g)].map(
      ([, href = "", name]) => `${name} ${href.replaceAll("&amp;", "&").replace("/_sandbox/ui", "")}`,
    );
  expect(await links("/requests/3")).toEqual(["k /requests/4", "j /requests/2"]);
  expect(await links("/requests/5")).toEqual(["j /requests/4"]);
  const q = "q=operation%3AorderPhysicalCard";
  expect(await links(`/requests/2?${q}`)).toEqual([`k /requests/5?${q}`]);
  expect(await links(`/requests/5?${q}`)).toEqual([`j /requests/2?${q}`]);
  expect(await links("/requests/3?q=status%3Anothing")).toHaveLength(2);
});

test("a request shows its card, and the deliveries of the events that it caused", async () => {
  const { visit, order, call, clockOfTest, webhooks } = openDashboard({
    deliver: async () => new Response(null, { status: 500 }),
  });
  await call("POST", "/developer/webhooks", {
    body: { url: "http://localhost/hooks", events: ["card.created", "card.status_changed"] },
  });
  const card = cardOf(await order({ key, body: { name: "Team travel" } }));
  await order({ key });
  const other = cardOf(await order());
  clockOfTest.advance(10);
  await call("POST", `/developer/cards/${card.id}/freeze`);
  await call("POST", `/developer/cards/${card.id}/unfreeze`);
  await webhooks.settled();
  const [unfrozen, frozen, ofOther, created] = webhooks.deliveries();
  const deliveriesOn = async (id: number) =>
    [...(await visit(`/requests/${id}`)).html.matchAll(/\/webhooks\/([0-9a-f-]+)"/g)].map(([, at]) => at);
  expect(await deliveriesOn(4)).toEqual([created?.id]);
  expect(await deliveriesOn(6)).toEqual([]);
  expect(await deliveriesOn(8)).toEqual([ofOther?.id]);
  expect(await deliveriesOn(10)).toEqual([frozen?.id]);
  expect(await deliveriesOn(12)).toEqual([unfrozen?.id]);
  const { text, html } = await visit("/requests/4");
  expect(text).toMatch(/card.created pending 1 attempt, the last: .*500.*, the next at /);
  expect(html).toContain(`/_sandbox/ui/cards/${card.id}"`);
  expect((await visit("/requests/8")).html).toContain(`/_sandbox/ui/cards/${other.id}"`);
});

test("a request whose response was lost shows the card that its key made", async () => {
  const { visit, order, control } = openDashboard();
  await order({ headers: { "Sandbox-Scenario": "lost-response" } }).catch(() => {});
  const [card] = control.cards.list("northwind");
  const { html, text } = await visit("/requests/2");
  expect(text).toContain("None: the connection was lost.");
  expect(html).toContain(`/_sandbox/ui/cards/${card?.id}"`);
});

test("a request shows the findings of which it is evidence", async () => {
  const { visit, order } = openDashboard();
  await order({ key, body: { name: "One" } });
  await order({ key, body: { name: "Another" } });
  expect((await visit("/requests/4")).text).toContain("Idempotency-Key reused for a different order");
  expect((await visit("/requests/1")).text).not.toContain("Findings");
});
