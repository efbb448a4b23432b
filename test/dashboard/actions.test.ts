import { describe, expect, test } from "vitest";
import { openDashboard } from "../support/open-dashboard.ts";
import { cardOf } from "../support/open-sandbox.ts";

/** A dashboard, northwind with its page, the form that creates a key for its owner, and the path of this form. */
function openNorthwind(...options: Parameters<typeof openDashboard>) {
  const dashboard = openDashboard(...options);
  const northwind = dashboard.company("northwind");
  const page = `/companies/${northwind.id}`;
  return {
    ...dashboard,
    northwind,
    page,
    keys: `${page}/keys`,
    form: { member: northwind.members[0]?.id ?? "" },
  };
}

describe("API keys", () => {
  test("creates a key, shows its secret once, and the key can be exchanged", async () => {
    const { send, visit, keys, page, form, exchange } = openNorthwind();
    const { status, location } = await send(keys, { ...form, label: "laptop" });
    expect([status, location]).toEqual([303, "/_sandbox/ui?flash=1"]);
    const shown = await visit(`${page}?flash=1`);
    const secret = /sk_sandbox_[A-Za-z0-9]{38}/.exec(shown.text)?.[0] ?? "";
    expect(await exchange(secret)).toBeTruthy();
    expect(shown.text).toContain("5 of 5 active, 0 left");
    const again = await visit(`${page}?flash=1`);
    expect(again.text).toContain("laptop");
    expect(again.html).not.toContain(secret);
  });

  test("returns to the page of the form, and never to another site", async () => {
    const { send, keys, form } = openNorthwind();
    const back = "/_sandbox/ui/world?search=north";
    expect((await send(keys, { ...form, back })).location).toBe(`${back}&flash=1`);
    expect((await send(keys, { ...form, back: "https://evil.test" })).location).toBe("/_sandbox/ui?flash=2");
    // Invalid in a header.
    expect((await send(keys, { ...form, back: `${back}\0💳` })).location).toBe("/_sandbox/ui?flash=3");
  });

  test("shows an error and keeps the input if the limit of active keys is reached; a revoked key does not count", async () => {
    const { submit, visit, page, keys, ...rest } = openNorthwind();
    const form = { ...rest.form, back: `/_sandbox/ui${page}` };
    await submit(keys, form);
    const refused = await submit(keys, { ...form, label: "one too many" });
    expect(refused.text).toContain("Error: key_limit_reached: the company has 5 active sandbox keys");
    expect(refused.html).toContain('value="one too many"');
    const { html } = await visit(page);
    const revoke = /action="(\/_sandbox\/ui\/api-keys\/[^/]+\/revoke)"/.exec(html)?.[1];
    await submit(revoke ?? "");
    expect((await submit(keys, form)).text).toContain("Done. The API key is created.");
  });

  test("creates a live key for a member of a live company", async () => {
    const { submit, world } = openDashboard();
    const [company] = world({ environment: "live" }).companies;
    const form = { member: company?.members[0]?.id ?? "" };
    expect((await submit(`/companies/${company?.id}/keys`, form)).text).toMatch(/sk_live_[A-Za-z0-9]{38}/);
  });

  test("shows the active keys of each member when keys are counted per member", async () => {
    const { visit, page } = openNorthwind({ choices: { "api_keys.quota": "member" } });
    expect((await visit(page)).text).toContain("Olivia Hartley: 1 of 5 active, 4 left");
  });
});

describe("scenarios", () => {
  test("arms a scenario for a company, shows how often it fired, and disarms it", async () => {
    const { submit, order, visit, northwind } = openNorthwind();
    const armed = await submit("/scenarios/quota-reached/arm", { company: northwind.id });
    expect(armed.text).toContain("quota-reached is armed for northwind, until it is disarmed.");
    expect((await order()).point).toBe("order.quota_reached");
    const { html, text } = await visit("/scenarios");
    expect(text).toContain("quota-reached armed");
    const fired = /href="([^"]+)">1</.exec(html)?.[1] ?? "";
    expect((await visit(fired)).text).toContain("order.quota_reached");
    const disarm = /action="([^"]+\/disarm)"/.exec(html)?.[1] ?? "";
    expect((await submit(disarm)).text).toContain("quota-reached is disarmed. It fired 1 time.");
    expect((await order()).point).toBe("order.created");
  });

  test('"Arm once" does not affect the second request', async () => {
    const { submit, order } = openNorthwind();
    expect((await submit("/scenarios/issuer-rejected/arm", { times: "1" })).text).toContain(
      "all companies, once",
    );
    expect([(await order()).status, (await order()).status]).toEqual([422, 201]);
  });

  test("arms a scenario with waiting times, which only the scenarios that have them offer", async () => {
    const { submit, visit } = openNorthwind();
    const waits = [];
    for (const name of ["issuer-slow", "slow-response", "in-flight", "rate-limited", "quota-reached"]) {
      const { html } = await visit(`/scenarios/${name}`);
      waits.push(...(html.match(/(?<=id=")(retry_after_s|latency_ms|hold_ms)(?=")/g) ?? ["none"]));
    }
    expect(waits).toEqual(["latency_ms", "latency_ms", "hold_ms", "retry_after_s", "none"]);
    const back = "/_sandbox/ui/scenarios";
    const armed = await submit("/scenarios/rate-limited/arm", { retry_after_s: "0", back });
    expect(armed.text).toContain("retry_after_s: 0");
    const refused = await submit("/scenarios/rate-limited/arm", { latency_ms: "5", back });
    expect(refused.text).toContain("latency_ms: rate-limited has no latency.");
  });

  test("collapses the scenarios that are used up, and clears them for the chosen company or for all", async () => {
    const { submit, order, visit, control, northwind } = openNorthwind();
    await submit("/scenarios/quota-reached/arm", { company: northwind.id, times: "1" });
    await submit("/scenarios/issuer-slow/arm", { company: "fullhouse" });
    await order();
    await submit("/scenarios/issuer-rejected/arm", { times: "1" });
    await order();
    expect((await visit("/scenarios")).text).toMatch(
      /issuer-slow.*Finished \(2\).*issuer-rejected.*quota-reached/,
    );
    const names = () => control.scenarios.armed().armed.map(({ name }) => name);
    const cleared = await submit("/armed/clear-finished", { company: northwind.id });
    expect(cleared.text).toContain("The finished scenarios are cleared.");
    expect(names()).toEqual(["issuer-slow", "issuer-rejected"]);
    await submit("/armed/clear-finished");
    expect(names()).toEqual(["issuer-slow"]);
    expect((await visit("/scenarios")).text).not.toContain("Finished");
  });

  test("releases held requests", async () => {
    const { submit, order, control } = openNorthwind();
    await submit("/scenarios/in-flight/arm", {});
    const held = order();
    const [{ id = "" } = {}] = control.scenarios.armed().armed;
    while (control.scenarios.byId(id).held === 0) await new Promise((later) => setTimeout(later, 5));
    expect((await submit(`/armed/${id}/release`)).text).toContain("1 held request is released.");
    expect((await held).status).toBe(201);
  });

  test("shows an error beside the form and keeps the input", async () => {
    const { submit } = openNorthwind();
    const back = "/_sandbox/ui/scenarios/conflict";
    const often = await submit("/scenarios/conflict/arm", { times: "often", back });
    expect(often.text).toContain('Error: times: must be an integer, but is "often"');
    expect(often.html).toContain('value="often"');
    const wrongOperation = await submit("/scenarios/conflict/arm", { operation: "listCards", back });
    expect(wrongOperation.text).toContain("can never fire on listCards");
  });
});

describe("companies", () => {
  test("creates a company and shows the secrets of its keys once", async () => {
    const { submit, send, visit, exchange } = openDashboard();
    const { location } = await send("/companies", { name: "Tester's own", card_quota: "3" });
    const made = await visit(location ?? "");
    expect(made.text).toContain("Tester's own");
    const secrets = made.text.match(/sk_sandbox_[A-Za-z0-9]{38}/g) ?? [];
    expect(secrets).toHaveLength(3);
    expect(await exchange(secrets[0] ?? "")).toBeTruthy();
    expect((await submit("/companies", { card_quota: "-1" })).text).toContain(
      "card_quota: must be an integer",
    );
  });

  test("changes status, quota, details, members and accounts", async () => {
    const { submit, company, northwind, order } = openNorthwind();
    const at = `/companies/${northwind.id}`;
    await submit(`${at}/change`, { status: "suspended", card_quota: "7", details_complete: "false" });
    expect(company("northwind")).toMatchObject({
      status: "suspended",
      card_quota: 7,
      details_complete: false,
    });
    expect((await order()).point).toBe("order.company_inactive");
    await submit(`${at}/members/${northwind.members[2]?.id}`, { role: "admin" });
    expect(company("northwind").members[2]?.role).toBe("admin");
    const gbp = northwind.accounts[0]?.id;
    expect((await submit(`${at}/accounts/${gbp}/top-up`, { amount: "10.50" })).text).toContain(
      "topped up with 10.50 GBP",
    );
    expect(company("northwind").accounts[0]?.balance).toBe("250010.50");
    await submit(`${at}/accounts/${gbp}`, { status: "closed" });
    expect(company("northwind").accounts[0]?.status).toBe("closed");
    await submit(`${at}/reset`);
    expect(company("northwind")).toMatchObject({ status: "active", card_quota: 20 });
  });

  test("deletes a company and shows the list", async () => {
    const { send, visit, control, world } = openDashboard();
    const { id } = await control.companies.create();
    const { location } = await send(`/companies/${id}/delete`);
    expect(location).toMatch(/^\/_sandbox\/ui\/world\?flash=/);
    expect((await visit(location ?? "")).text).toContain("The company is deleted.");
    expect(world().companies.some((each) => each.id === id)).toBe(false);
  });
});

describe("cards", () => {
  test("simulates a card payment that counts against the limits, clears and refunds it", async () => {
    const { submit, visit, order } = openNorthwind();
    const { id } = cardOf(await order({ body: { spending_limit: { period: "monthly", amount: "50.00" } } }));
    const back = `/_sandbox/ui/cards/${id}`;
    const bought = await submit(`/cards/${id}/purchase`, { amount: "42", merchant: "Book shop", back });
    expect(bought.text).toContain("Done. Card payment of 42.00 GBP: pending.");
    expect(bought.text).toContain("42.00 of 50.00 GBP");
    const declined = await submit(`/cards/${id}/purchase`, { amount: "8.01", back });
    expect(declined.text).toContain(
      "Card payment of 8.01 GBP: declined, because it exceeds the spending limit.",
    );
    const act = async (action: string) => {
      const { html } = await visit(`/cards/${id}`);
      const form = new RegExp(`action="([^"]+/${action})"`).exec(html)?.[1] ?? "";
      return (await submit(form, { back })).text;
    };
    expect(await act("clear")).toContain("The card payment of 42.00 GBP is cleared.");
    expect(await act("refund")).toContain("42.00 GBP is refunded.");
    const wrong = await submit(`/cards/${id}/purchase`, { amount: "many", merchant: "Kept", back });
    expect(wrong.text).toContain("Error: amount: must be a decimal");
    expect(wrong.html).toContain('value="Kept"');
  });

  test("offers the possible operator actions, and updates the delivery status", async () => {
    const { submit, visit, order } = openNorthwind();
    const { id } = cardOf(await order());
    const back = `/_sandbox/ui/cards/${id}`;
    expect((await submit(`/cards/${id}/operator`, { action: "lock", back })).text).toContain(
      "is now locked.",
    );
    const held = await visit(`/cards/${id}`);
    expect(held.text).toContain("Lift hold: active");
    expect(held.text).not.toContain("Suspend");
    expect((await submit(`/cards/${id}/operator`, { action: "suspend", back })).text).toContain("Error:");
    expect((await submit(`/cards/${id}/delivery`, { status: "shipped", back })).text).toContain(
      "The delivery status is now shipped.",
    );
    expect((await submit(`/cards/${id}/operator`, { action: "expire", back })).text).toContain(
      "The status of the card is final",
    );
  });
});

describe("the clock and the world", () => {
  test("shows an error once: in the form with fields, or at the top", async () => {
    const { submit } = openNorthwind();
    const back = "/_sandbox/ui/world";
    const filled = await submit("/snapshots", { name: "no name", show_message: "inline", back });
    expect(filled.text.match(/Error:/g)).toHaveLength(1);
    expect(filled.html.indexOf("Error:")).toBeGreaterThan(
      filled.html.indexOf('action="/_sandbox/ui/snapshots"'),
    );
    const pressed = await submit("/snapshots/restore", { name: "none" });
    expect(pressed.html.indexOf("Error:")).toBeLessThan(pressed.html.indexOf("<h1>"));
  });

  test("advances, freezes and unfreezes the clock, and advances a company's", async () => {
    const { submit, clock, northwind } = openNorthwind();
    await submit("/clock/advance", { by: "PT15M" });
    expect(clock.read().now).toBe("2026-03-10T09:45:00.000Z");
    await submit("/clock/advance", { by: "P1D", company: northwind.id });
    expect(clock.read("northwind").now).toBe("2026-03-11T09:45:00.000Z");
    expect(clock.read().now).toBe("2026-03-10T09:45:00.000Z");
    expect((await submit("/clock", { frozen: "true" })).text).toContain("frozen");
    expect((await submit("/clock", { frozen: "false" })).text).toContain("running");
    await submit(`/companies/${northwind.id}/clock`, { now: "2026-04-01T00:00:00Z" });
    expect(clock.read("northwind").now.slice(0, 10)).toBe("2026-04-01");
    expect(clock.read().now.slice(0, 10)).toBe("2026-03-10");
    const wrong = await submit("/clock/advance", { by: "an hour", back: "/_sandbox/ui/world" });
    expect(wrong.text).toContain('must be an ISO 8601 duration, such as "PT15M"');
    expect(wrong.html).toContain('value="an hour"');
  });

  test("saves and restores a snapshot, and resets the world", async () => {
    const { submit, order, company } = openNorthwind();
    await submit("/snapshots", { name: "before" });
    await order();
    await submit("/snapshots/restore", { name: "before" });
    expect(company("northwind").live_cards).toBe(0);
    await submit("/snapshots/delete", { name: "before" });
    expect((await submit("/snapshots/restore", { name: "before" })).text).toContain(
      'no snapshot has the name "before"',
    );
    await order();
    expect((await submit("/reset")).text).toContain("The sandbox is reset.");
    expect(company("northwind").live_cards).toBe(0);
  });

  test("deletes requests with their coverage", async () => {
    const { submit, order, coverage } = openNorthwind();
    await order();
    await submit("/requests/delete");
    expect(coverage().total.met).toBe(0);
  });
});

test("refuses a multipart form without a boundary", async () => {
  const { visit, origin, world } = openDashboard();
  const before = world();
  const headers = { Origin: origin, "Content-Type": "multipart/form-data" };
  const { status, text } = await visit("/companies", { method: "POST", headers, body: "name=Acme" });
  expect([status, text]).toEqual([
    400,
    expect.stringContaining("Content-Type: must be application/x-www-form-urlencoded"),
  ]);
  expect(world()).toEqual(before);
});
