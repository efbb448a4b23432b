import { describe, expect, test } from "vitest";
import { openMoney } from "../support/open-money.ts";
import { openSandbox } from "../support/open-sandbox.ts";

const limit = (period: string, amount = "1000.00") => ({ body: { spending_limit: { period, amount } } });
const euros = { currency: "EUR" };

describe("used", () => {
  test("is the authorised and cleared amount, less reversals and refunds", async () => {
    const { pay, simulator, used } = await openMoney(limit("monthly"));
    const { id } = pay("86.00");
    expect(await used()).toBe("86.00 100.00 100.00");
    simulator.reverse(id, { amount: "43.00" });
    expect(await used()).toBe("43.00 50.00 50.00");
    simulator.clear(id, { amount: "8.60" });
    expect(await used()).toBe("43.00 50.00 50.00");
    simulator.reverse(id);
    expect(await used()).toBe("8.60 10.00 10.00");
    const more = simulator.clear(pay("8.60").id, { amount: "17.20" });
    expect(await used()).toBe("25.80 30.00 30.00");
    simulator.refund({ transaction_id: more.id, amount: "8.60" });
    expect(await used()).toBe("17.20 20.00 20.00");
    simulator.expire(pay("5.00").id);
    expect(await used()).toBe("17.20 20.00 20.00");
  });

  test("of a day does not change when a payment of an earlier day is refunded", async () => {
    const { pay, simulator, used, clock, get, card } = await openMoney(limit("daily"));
    const { id } = simulator.clear(pay("86.00").id);
    clock.change({ now: "2026-03-11T09:30:00Z" });
    simulator.refund({ transaction_id: id });
    expect(await used()).toBe("0.00 0.00 0.00");
    pay("100.00");
    expect(await used()).toBe("100.00 116.28 116.28");
    expect((await get(`/developer/cards/${card.id}`)).json.spending_limit.used).toBe("100.00");
  });

  test.each([
    ["daily", "2026-03-28T23:59:59.999Z", "2026-03-29T00:00:00Z"],
    ["daily", "2026-03-29T22:59:59.999Z", "2026-03-29T23:00:00Z"],
    ["daily", "2026-10-24T22:59:59.999Z", "2026-10-24T23:00:00Z"],
    ["daily", "2026-10-25T23:59:59.999Z", "2026-10-26T00:00:00Z"],
    ["weekly", "2026-03-29T22:59:59.999Z", "2026-03-29T23:00:00Z"],
    ["weekly", "2026-10-25T23:59:59.999Z", "2026-10-26T00:00:00Z"],
    ["monthly", "2026-03-31T22:59:59.999Z", "2026-03-31T23:00:00Z"],
    ["monthly", "2026-10-31T23:59:59.999Z", "2026-11-01T00:00:00Z"],
  ])("of a %s limit lasts until %s, and restarts at %s", async (period, last, next) => {
    const { pay, clock, get, card } = await openMoney({ ...limit(period), now: "2026-03-02T00:00:00Z" });
    const used = async () => (await get(`/developer/cards/${card.id}`)).json.spending_limit.used;
    const shortlyBefore = new Date(Date.parse(last) - 1000).toISOString();
    clock.change({ now: shortlyBefore });
    expect(pay("10.00").status).toBe("pending");
    clock.change({ now: last });
    expect(await used()).toBe("10.00");
    clock.change({ now: next });
    expect(await used()).toBe("0.00");
  });

  test("of a lifetime limit never restarts", async () => {
    const { pay, clock, used } = await openMoney(limit("lifetime", "50.00"));
    pay("50.00");
    clock.change({ now: "2029-03-11T09:30:00Z" });
    expect(await used()).toBe("50.00 0.00 0.00");
    expect(pay("0.01").decline_reason).toBe("spending_limit_exceeded");
  });

  test("of a payment counts from its authorisation, independent of its clearing", async () => {
    const { pay, simulator, clock, used } = await openMoney(limit("daily"));
    const { id } = pay("86.00");
    clock.change({ now: "2026-03-11T09:30:00Z" });
    simulator.clear(id, { amount: "43.00" });
    simulator.clear(id);
    expect(await used()).toBe("0.00 0.00 100.00");
  });

  test("uses the company's clock", async () => {
    const { pay, post, used, request } = await openMoney(limit("daily"));
    pay("86.00");
    await post("/_sandbox/clock/advance", { by: "P1D", company: "northwind" });
    expect(await used()).toBe("0.00 0.00 100.00");
    expect(pay("1.00").created_at).toBe("2026-03-11T09:30:00.000Z");
    expect((await request("/_sandbox/clock")).json.now).toBe("2026-03-10T09:30:00.000Z");
  });

  test("is separate for each card, in a list and in the replay of its order", async () => {
    const { pay, order, get, card } = await openMoney(limit("weekly"));
    const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
    await order({ key, ...limit("daily") });
    pay("86.00", euros);
    const { data } = (await get("/developer/cards")).json;
    const daily = data.map((each: typeof card) => each.card_limits.daily.used);
    expect(daily).toEqual(["0.00", "86.00"]);
    expect(data[1].spending_limit.used).toBe("73.96");
    const again = await order({ key, ...limit("daily") });
    expect([again.point, again.json.spending_limit.used]).toEqual(["order.replayed", "0.00"]);
  });

  test("is omitted if it cannot be read or the card has ended", async () => {
    const { pay, setStatus, force, used } = await openMoney(limit("weekly"));
    pay("86.00");
    setStatus("terminated");
    expect(await used()).toBe("- 100.00 100.00");
    setStatus("active");
    force.facts = { usedUnreadable: true };
    expect(await used()).toBe("- - -");
  });
});

test("a replay shows the current used amount", async () => {
  const { order, simulator } = await openMoney();
  const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";
  const { json } = await order({ key, ...limit("daily") });
  simulator.authorise({ card_id: json.id, amount: "12.00" });
  expect((await order({ key })).json.spending_limit.used).toBe("12.00");
});

test("omits unreadable spending from a card and from the limits of a list", async () => {
  const sandbox = openSandbox();
  const { id } = (await sandbox.order({ body: { spending_limit: { period: "daily", amount: "50" } } })).json;
  const headers = { "Sandbox-Scenario": "used-unreadable" };
  const shown = await sandbox.get(`/developer/cards/${id}`, { headers });
  expect(shown.json.spending_limit).toEqual({ period: "daily", amount: "50.00", currency: "GBP" });
  expect(shown.headers.get("Sandbox-Scenario")).toBe("used-unreadable");
  const [listed] = (await sandbox.get("/developer/cards", { headers })).json.data;
  expect(listed.card_limits.daily).toEqual({ amount: "10000.00" });
  expect(listed.spending_limit).not.toHaveProperty("used");
});
