import { describe, expect, test } from "vitest";
import { openCards } from "../support/open-cards.ts";
import { openDashboard } from "../support/open-dashboard.ts";
import { cardOf } from "../support/open-sandbox.ts";
import { london } from "../support/physical-order.ts";

async function openCard(body: object = {}) {
  const dashboard = openDashboard();
  const { id } = cardOf(await dashboard.order({ body: { ...body } }));
  const back = `/_sandbox/ui/cards/${id}`;
  return {
    ...dashboard,
    id,
    page: () => dashboard.visit(`/cards/${id}`),
    act: (action: string, form: Record<string, string> = {}) =>
      dashboard.submit(`/cards/${id}/${action}`, { ...form, back }),
  };
}

/** The names of the buttons in the drawing of the statuses. */
const nodes = (html: string) =>
  [...html.matchAll(/class="node (\w+) (possible|current)"/g)].map(([, status, kind]) => `${status} ${kind}`);

describe("the page of a card", () => {
  test("draws the card with its company, holder, last four digits, expiry and status", async () => {
    const { page, control, id } = await openCard({ name: "Team travel" });
    const { last_four, expiry_date, token } = control.cards.show(id);
    const { html, text } = await page();
    expect(html).toContain('class="plastic physical active"');
    expect(text).toContain(`Number ends in ${last_four}`);
    expect(text).toContain(`valid until${expiry_date.slice(5, 7)}/${expiry_date.slice(2, 4)}`);
    expect(text).toContain("Olivia HartleyTeam travel");
    expect(text).toContain(`${id} Copy the id`);
    expect(text).toContain(`${token} Copy the token`);
  });

  test("freezes a card in one click, and the next payment is declined with its reason", async () => {
    const { act, page } = await openCard();
    const frozen = await act("caller", { action: "freeze" });
    expect(frozen.text).toContain("is now frozen.");
    expect(frozen.html).toContain('class="plastic physical frozen"');
    const bought = await act("purchase", { amount: "12.50" });
    expect(bought.text).toContain("Card payment of 12.50 GBP: declined, because the card is frozen.");
    expect((await page()).text).toMatch(
      /History .*Payment of 12.50 GBP: card frozen declined .*Frozen .*Ordered/,
    );
  });

  test("highlights the status and offers the possible changes in the drawing", async () => {
    const { act, page, control, id } = await openCard();
    expect(nodes((await page()).html)).toEqual([
      ...["active current", "frozen possible", "suspended possible", "locked possible"],
      ...["blocked possible", "expired possible", "terminated possible"],
    ]);
    control.cards.operate(id, { action: "lock" });
    expect(nodes((await page()).html)).toEqual([
      ...["active possible", "locked current", "expired possible", "terminated possible"],
    ]);
    const ended = await act("operator", { action: "terminate" });
    expect(nodes(ended.html)).toEqual(["terminated current"]);
    expect(ended.text).toContain("no actions are possible");
  });

  test("follows the dialect of the company in its possible changes", async () => {
    const { act, page, control, id } = await openCard();
    control.cards.operate(id, { action: "lock" });
    expect((await page()).text).not.toContain("Cardholder Terminate");
    control.dialect.select("cards.terminate_held", "allowed", "northwind");
    expect((await page()).text).toContain("Cardholder Terminate");
    expect((await act("caller", { action: "terminate" })).text).toContain("is now terminated.");
  });

  test("refuses a change that the status does not allow", async () => {
    const { act } = await openCard();
    expect((await act("caller", { action: "unfreeze" })).text).toContain(
      "The card is active and cannot be unfrozen",
    );
    expect((await act("caller", { action: "lock" })).text).toContain("Error: action: must be one of");
  });

  test("shows when each limit resets", async () => {
    const { act, page } = await openCard({ spending_limit: { period: "weekly", amount: "50.00" } });
    // Tuesday, 10 March 2026
    expect((await page()).text).toContain("0.00 of 50.00 GBP resets at 2026-03-16 00:00:00");
    const { text } = await act("purchase", { amount: "10" });
    expect(text).toContain("10.00 of 50.00 GBP resets at 2026-03-16 00:00:00");
    expect(text).toMatch(/Per day 11.63 of 10000.00 EUR resets at 2026-03-11 00:00:00/);
    // Summer time has begun.
    expect(text).toContain("the oldest payment leaves the 32 days at 2026-04-10 23:00:00");
  });

  test("offers the next steps of the delivery", async () => {
    const { act, page } = await openCard();
    expect((await page()).text).toMatch(/produced shipped delivered returned failed Transactions/);
    const { text } = await act("delivery", { status: "delivered" });
    expect(text).toContain("The delivery has ended.");
    expect(text).toMatch(/History .*Delivery: delivered delivery service/);
  });

  test("links a card and its replacement", async () => {
    const { call, page, visit, id } = await openCard();
    const reply = await call("POST", `/developer/cards/${id}/replace`, {
      key: "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30",
      body: { reason: "expiring", pin: "4821", delivery_address: london, delivery_method: "express" },
    });
    const replaced = await page();
    expect(replaced.text).toContain(`Replaced by ${reply.json.id}`);
    expect(replaced.text).toMatch(/Replaced Olivia Hartley request \d+ other card/);
    const { text } = await visit(`/cards/${reply.json.id}`);
    expect(text).toContain(`Replaces ${id}`);
    expect(text).toMatch(/Ordered as a replacement Olivia Hartley request \d+ other card/);
  });
});

describe("the history of a card", () => {
  const whatOf = ({ control }: Pick<ReturnType<typeof openCards>, "control">, id: string) =>
    control.cards.history(id).map(({ what, by }) => `${what} by ${by}`);

  test("names the requests that changed the card or were refused, but none that only read it", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    await sandbox.set("freeze", id);
    await sandbox.set("freeze", id);
    await sandbox.show(id);
    await sandbox.set("suspend", id);
    expect(whatOf(sandbox, id)).toEqual([
      "Ordered by Olivia Hartley",
      "Frozen by northwind-owner (owner)",
      "Freeze: cards.state_conflict by northwind-owner (owner)",
      "Suspended by operator",
    ]);
    expect(sandbox.control.cards.history(id).map(({ request }) => request !== undefined)).toEqual([
      ...[true, true, true, false],
    ]);
  });

  test("names the repeated order of a card whose first response was lost", async () => {
    const sandbox = openCards();
    const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
    await sandbox.order({ key, headers: { "Sandbox-Scenario": "lost-response" } }).catch(() => {});
    const { id } = cardOf(await sandbox.order({ key }));
    expect(whatOf(sandbox, id)).toEqual([
      "Ordered by Olivia Hartley",
      "Order repeated: order.replayed by northwind-owner (owner)",
    ]);
  });

  test("contains nothing of a card with the same id before a reset", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    await sandbox.set("freeze", id);
    sandbox.control.cards.operate(id, { action: "block" });
    sandbox.control.state.reset();
    expect((await sandbox.card()).id).toBe(id);
    expect(whatOf(sandbox, id)).toEqual(["Ordered by Olivia Hartley"]);
  });

  test("names the expiry by the date", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    await sandbox.clock.advance({ by: "P6Y" });
    expect(sandbox.control.cards.history(id).at(-1)).toMatchObject({
      at: "2031-03-31T23:00:00.000Z",
      what: "Expired",
      by: "its expiry date",
    });
  });

  test("keeps the latest 20 changes of a card by the control API", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    for (let turn = 0; turn < 12; turn++) {
      sandbox.control.cards.actAsCaller(id, "freeze");
      sandbox.control.cards.actAsCaller(id, "unfreeze");
    }
    expect(whatOf(sandbox, id)).toHaveLength(1 + 20);
  });
});

describe("the list of cards", () => {
  test("filters by status, and by last four digits, name or id", async () => {
    const { visit, order, control } = openDashboard();
    const { id, last_four } = cardOf(await order({ body: { name: "Team travel" } }));
    control.cards.actAsCaller(id, "freeze");
    const links = async (query: string) =>
      [...(await visit(`/cards${query}`)).html.matchAll(/class="row-link" href="[^"]+cards\/([^"]+)"/g)].map(
        ([, link]) => link,
      );
    expect((await links("")).length).toBeGreaterThan(1);
    for (const query of ["?status=frozen", `?search=${last_four}`, "?search=tEAM", `?search=${id}`]) {
      expect([query, await links(query)]).toEqual([query, [id]]);
    }
    expect(await links("?search=Team&company=fullhouse")).toEqual([]);
    expect((await visit("/cards?search=nothing")).text).toContain("No card matches. Remove the filters");
    expect((await visit("/cards")).html).toMatch(/href="[^"]*\/cards\?status=frozen"/);
  });
});
