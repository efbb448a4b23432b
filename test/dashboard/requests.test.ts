import { describe, expect, test } from "vitest";
import { searchFor } from "../../src/dashboard/parts/request-table.tsx";
import { openDashboard } from "../support/open-dashboard.ts";
import { cardOf } from "../support/open-sandbox.ts";

const key = "3f0c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

/** The ids of the listed requests. */
const idsIn = (html: string) =>
  [...html.matchAll(/<tr id="request-([0-9]+)"/g)].map(([, id]) => id).join(" ");
const linkIn = (html: string, text: string) =>
  new RegExp(`href="([^"]+)">${text}<`).exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";

describe("the Requests page", () => {
  test("finds requests by a search, and its links carry it", async () => {
    const { visit, order } = openDashboard();
    await order();
    await order({ apiKey: "sk_sandbox_northwind_employee" });
    const { html } = await visit("/requests?q=status:4xx company:northwind");
    expect(idsIn(html)).toBe("4");
    expect(html).toContain('value="status:4xx company:northwind"');
    expect(html).toContain('href="/_sandbox/ui/requests/4?q=status%3A4xx+company%3Anorthwind"');
  });

  test("shows the error above the field, and keeps what was typed", async () => {
    const { visit, order } = openDashboard();
    await order();
    const { html, text, status } = await visit('/requests?q=staus:4xx "a b"');
    expect([status, idsIn(html)]).toEqual([200, "2 1"]);
    expect(text).toContain('unknown field "staus". Did you mean "status"? Allowed: status, company');
    expect(html).toMatch(/role="alert".*value="staus:4xx &quot;a b&quot;"/s);
    expect(html).not.toContain("data-pause");
  });

  test.each([
    ["company=northwind&status=403", "company:northwind status:403"],
    ["operation=orderPhysicalCard&q=status:2xx", "status:2xx operation:orderPhysicalCard"],
    ["point=order.created", "point:order.created"],
    [`idempotency_key=${key}&scenario=my one`, "scenario:&quot;my one&quot; key:3f0c24e8"],
  ])("turns the filters %s into terms", async (query, search) => {
    const { html } = await openDashboard().visit(`/requests?${query}`);
    expect(html).toContain(`value="${search}`);
  });

  test("lists requests in the order of their arrival, whatever the companies' clocks", async () => {
    const sandbox = openDashboard();
    const { visit, order, request, clockOfTest, force } = sandbox;
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    await request("/_sandbox/clock/advance", {
      method: "POST",
      body: JSON.stringify({ by: "P3D", company: "northwind" }),
    });
    clockOfTest.advance(1000);
    force.issuer = {
      issue() {
        clockOfTest.advance(2500);
        return { outcome: "issued" };
      },
    };
    await order({ token });
    const { html, text } = await visit("/requests");
    expect(idsIn(html)).toBe("2 1");
    expect(text).toMatch(/09:30:01\.000 .*09:30:00\.000 /);
  });

  test("is split into pages by arrival, and the later ones do not change by themselves", async () => {
    const { visit, request } = openDashboard();
    for (let n = 1; n <= 120; n++) await request(`/developer/${n % 2 ? "odd" : "even"}-${n}`);
    const first = await visit("/requests?q=path:odd");
    const second = await visit(linkIn(first.html, "Older"));
    const third = await visit(linkIn(second.html, "Newest"));
    expect(idsIn(first.html).split(" ")).toHaveLength(50);
    expect(idsIn(second.html)).toBe("19 17 15 13 11 9 7 5 3 1");
    expect(idsIn(third.html)).toBe(idsIn(first.html));
    expect([first, second].map(({ html }) => html.includes('id="requests" data-part'))).toEqual([
      true,
      false,
    ]);
    expect(second.html).not.toContain(">Older<");
  });

  test("shows that the requests of a later page are gone", async () => {
    const { visit, request, requests } = openDashboard();
    await request("/nothing");
    requests.clear();
    await request("/nothing");
    const { html, text } = await visit("/requests?after=1");
    expect(text).toContain("The older requests are no longer kept. Newest");
    expect(idsIn((await visit(linkIn(html, "Newest"))).html)).toBe("2");
  });

  test("follows the stream with the same search", async () => {
    const { visit, order } = openDashboard();
    await order();
    const { html } = await visit('/requests?q="b c"');
    expect(html).toContain('data-live="/_sandbox/requests/stream?search=%22b+c%22&amp;last_event_id=2"');
  });

  test("shortens ids in paths, and shows the whole as a title", async () => {
    const { visit, request } = openDashboard();
    await request(`/developer/cards/${key}/freeze`, { method: "POST" });
    const { html, text } = await visit("/requests");
    expect(text).toContain("POST /developer/cards/3f0c24e8…/freeze");
    expect(html).toContain(`title="/developer/cards/${key}/freeze"`);
  });

  test("shows how to search, and what to do if nothing is found", async () => {
    const { visit, request } = openDashboard();
    const empty = await visit("/requests");
    expect(empty.text).toContain("No requests yet. Send a request");
    expect(empty.html).toMatch(/<div id="found" data-part/);
    expect((await visit("/requests?view=keys")).text).toContain("No requests yet.");
    await request("/nothing");
    expect((await visit("/requests?view=keys")).text).toContain("No request with an Idempotency-Key yet.");
    const none = await visit("/requests?q=status:5xx");
    expect(none.text).toContain("No request matches the search. Remove a term, or show all requests");
    for (const [, href = ""] of none.html.matchAll(/<dt><a href="([^"]+)"/g)) {
      const example = await visit(href.replaceAll("&amp;", "&"));
      expect([href, example.text]).toEqual([href, expect.not.stringContaining("cannot be read")]);
    }
  });
});

describe("the lanes of Idempotency-Keys", () => {
  const laneOf = (html: string, key: string) =>
    new RegExp(`<li id="key-[^"]*${key}".*?</ol>.*?</li>`, "s").exec(html)?.[0] ?? "";

  test("show the attempts in order, the waits between them and the card", async () => {
    const { visit, order, clockOfTest } = openDashboard();
    await order({ key, headers: { "Sandbox-Scenario": "issuer-unavailable" } });
    clockOfTest.advance(2000);
    const card = cardOf(await order({ key }));
    const { html } = await visit("/requests?view=keys");
    const lane = laneOf(html, key);
    expect(lane.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ")).toMatch(
      new RegExp(` ${key} northwind, northwind-owner: orderPhysicalCard 503 2.0 s 201 1 card $`),
    );
    expect(lane).toContain(`href="/_sandbox/ui/cards/${card.id}"`);
    expect(lane).toContain(`href="/_sandbox/ui/requests/4?q=key%3A${key}"`);
  });

  test("count a card whose response was lost", async () => {
    const { visit, order } = openDashboard();
    await order({ key, headers: { "Sandbox-Scenario": "lost-response" } }).catch(() => {});
    expect((await visit("/requests?view=keys")).text).toContain("lost 1 card Its response was lost");
  });

  test("show no card for a refused order, and that a reset removed one", async () => {
    const { visit, order, reset } = openDashboard();
    await order({ key, body: { pin: 4821 } });
    expect((await visit("/requests?view=keys")).text).toContain("400 no card");
    await order({ key });
    reset();
    expect((await visit("/requests?view=keys")).text).toContain("The card is no longer in this world");
  });

  test("say that an error in place of the response did not show the card", async () => {
    const { visit, order } = openDashboard();
    await order({ key, headers: { "Sandbox-Scenario": "created-but-502" } });
    expect((await visit("/requests?view=keys")).text).toContain("502 1 card No response had the card");
  });

  test("show the cards of a key that was free again after a day", async () => {
    const sandbox = openDashboard({ choices: { "key.retention": "24h" } });
    const first = cardOf(await sandbox.order({ key }));
    await sandbox.clock.advance({ by: "P2D" });
    const second = cardOf(await sandbox.order({ key }));
    const lane = laneOf((await sandbox.visit("/requests?view=keys")).html, key);
    expect(lane).toContain('<span class="badge bad">2 cards</span>');
    for (const { id } of [first, second]) expect(lane).toContain(`href="/_sandbox/ui/cards/${id}"`);
  });

  test("show two cards of one key as a problem", async () => {
    const sandbox = openDashboard();
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const card = cardOf(await sandbox.order({ token, key }));
    const { pin, delivery_address, delivery_method } = sandbox.orderBody();
    const body = { reason: "damaged", pin, delivery_address, delivery_method };
    const replaced = await sandbox.call("POST", `/developer/cards/${card.id}/replace`, { token, key, body });
    expect(replaced.status).toBe(201);
    expect(laneOf((await sandbox.visit("/requests?view=keys")).html, key)).toContain(
      '<span class="badge bad">2 cards</span>',
    );
  });

  test("keep members apart, and list all attempts of the keys that a search finds", async () => {
    const { visit, order } = openDashboard();
    await order({ key });
    await order({ key, apiKey: "sk_sandbox_northwind_employee" });
    await order({ key, body: { name: "Other" } });
    const lanes = (html: string) => html.match(/<li id="key-/g)?.length ?? 0;
    expect(lanes((await visit("/requests?view=keys")).html)).toBe(2);
    const found = await visit("/requests?view=keys&q=status:201");
    expect(lanes(found.html)).toBe(1);
    expect(found.text).toMatch(/orderPhysicalCard 201 .* [0-9]{3} 1 card/);
  });

  test("are split into pages", async () => {
    const { visit, order } = openDashboard();
    for (let n = 0; n < 30; n++) await order({ key: `${key.slice(0, -2)}${10 + n}`, body: { pin: 1 } });
    const first = await visit("/requests?view=keys");
    const second = await visit(linkIn(first.html, "Older"));
    const keys = (html: string) => [...html.matchAll(/<li id="key-[^"]*(..)"/g)].map(([, end]) => end);
    expect([...keys(first.html), ...keys(second.html)]).toEqual(
      Array.from({ length: 30 }, (_, n) => String(39 - n)),
    );
  });
});

test("the terms of a search are quoted if they need it", () => {
  expect(searchFor({ status: "4xx", company: undefined, scenario: 'a "b" \\', text: "c" })).toBe(
    'status:4xx scenario:"a \\"b\\" \\\\" "c"',
  );
  expect(searchFor({ idempotency_key: key })).toBe(`key:${key}`);
});
