import { describe, expect, test } from "vitest";
import { openCards } from "../support/open-cards.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("a card expires at 00:00 in the UK after its expiry_date", () => {
  test.each([
    // In winter that is midnight in UTC; in summer it is 23:00 there, the day before.
    ["2026-01-15T12:00:00Z", "2031-01-31", "2031-01-31T23:59:59.999Z", "2031-02-01T00:00:00Z"],
    ["2026-06-15T12:00:00Z", "2031-06-30", "2031-06-30T22:59:59.999Z", "2031-06-30T23:00:00Z"],
  ])("ordered at %s: after %s, not at %s, but at %s", async (now, expiryDate, last, first) => {
    const sandbox = openCards({ now });
    const card = await sandbox.card();
    expect(card.expiry_date).toBe(expiryDate);
    sandbox.clock.change({ now: last });
    expect((await sandbox.show(card.id)).status).toBe("active");
    sandbox.clock.change({ now: first });
    expect((await sandbox.show(card.id)).status).toBe("expired");
  });

  test("by the clock of its company, and no other's", async () => {
    const sandbox = openCards();
    const card = await sandbox.card();
    await sandbox.clock.advance({ by: "P6Y", company: "fullhouse" });
    expect((await sandbox.show(card.id)).status).toBe("active");
    expect(sandbox.company("fullhouse").live_cards).toBe(0);
    await sandbox.clock.advance({ by: "P6Y", company: "northwind" });
    expect((await sandbox.show(card.id)).status).toBe("expired");
  });
});

describe("once its time has come", () => {
  /** Northwind full of cards, whose time comes in April 2031. */
  const withExpired = async () => {
    const sandbox = openCards();
    sandbox.control.companies.change("northwind", { card_quota: 2 });
    const limit = { spending_limit: { period: "daily", amount: "5" } };
    const cards = [await sandbox.card(limit), await sandbox.card()];
    await sandbox.clock.advance({ by: "P6Y" });
    return { ...sandbox, cards, id: cards[0]?.id ?? "" };
  };

  test("an order has room again, without anybody looking at the cards before", async () => {
    const sandbox = await withExpired();
    expect((await sandbox.order()).point).toBe("order.created");
    expect(sandbox.company("northwind").live_cards).toBe(1);
  });

  test("the list and its filter show it so", async () => {
    const { get } = await withExpired();
    expect((await get("/developer/cards?status=expired")).json.data).toHaveLength(2);
    expect((await get("/developer/cards?status=active")).json.data).toEqual([]);
  });

  test("it shows no used (spec §2)", async () => {
    const { show, id } = await withExpired();
    expect((await show(id)).spending_limit).toEqual({ period: "daily", amount: "5.00", currency: "GBP" });
  });

  test("the world counts it no more", async () => {
    expect((await withExpired()).company("northwind").live_cards).toBe(0);
  });

  test("it is frozen, limited and ended no more, by the caller or the operator", async () => {
    const { set, id } = await withExpired();
    for (const trigger of ["freeze", "change", "terminate", "suspend", "expire"] as const) {
      expect((await set(trigger, id)).json.error, trigger).toContain("The card is expired, and cannot ");
    }
  });

  test("it is replaced as expiring, and stays expired", async () => {
    const { set, show, id, ...sandbox } = await withExpired();
    expect((await set("replace", id)).status).toBe(409);
    expect((await set("replace_expiring", id)).status).toBe(201);
    expect((await show(id)).status).toBe("expired");
    expect(sandbox.company("northwind").live_cards).toBe(1);
  });

  test("the replay of its order shows it so", async () => {
    const sandbox = openCards();
    await sandbox.order({ key });
    await sandbox.clock.advance({ by: "P6Y" });
    const again = await sandbox.order({ key });
    expect([again.point, again.json.status]).toEqual(["order.replayed", "expired"]);
  });

  test("a hold that is on it does not keep it", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    await sandbox.set("block", id);
    await sandbox.clock.advance({ by: "P6Y" });
    expect((await sandbox.show(id)).status).toBe("expired");
    expect((await sandbox.set("lift", id)).status).toBe(409);
  });

  test("a reset brings it back with the clock", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    sandbox.snapshot("before");
    await sandbox.clock.advance({ by: "P6Y" });
    expect((await sandbox.show(id)).status).toBe("expired");
    sandbox.restore("before");
    expect((await sandbox.show(id)).status).toBe("active");
    expect(sandbox.company("northwind").live_cards).toBe(1);
  });
});

test("the cards of a database from before cards could expire are looked at when first asked for", async () => {
  const sandbox = openCards();
  const { id } = await sandbox.card();
  sandbox.database.run("UPDATE companies SET next_expiry = '0000-01-01'");
  await sandbox.card();
  expect(sandbox.database.get("SELECT next_expiry FROM companies WHERE slug = 'northwind'")).toEqual({
    next_expiry: "2031-03-31",
  });
  await sandbox.clock.advance({ by: "P6Y" });
  expect((await sandbox.show(id)).status).toBe("expired");
});
