import { describe, expect, test } from "vitest";
import { openCards } from "../support/open-cards.ts";
import { cardOf } from "../support/open-sandbox.ts";

const unknown = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("POST /_sandbox/cards/ID/operator", () => {
  test("changes the card and returns it", async () => {
    const sandbox = openCards();
    const card = await sandbox.card();
    const held = await sandbox.act(`${card.id.toUpperCase()}/operator`, { action: "suspend" });
    expect([held.status, held.json]).toEqual([200, { ...card, status: "suspended" }]);
    expect(await sandbox.show(card.id)).toEqual(held.json);
    expect(sandbox.control.cards.operate(card.id, { action: "lift" })).toEqual(card);
  });

  test("ends a card that the caller cannot end", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    await sandbox.set("block", id);
    expect((await sandbox.set("terminate", id)).status).toBe(409);
    expect((await sandbox.act(`${id}/operator`, { action: "terminate" })).json.status).toBe("terminated");
    expect(sandbox.company("northwind").live_cards).toBe(0);
  });

  test("activates an inactive card of the fixtures", async () => {
    const sandbox = openCards();
    const { owners } = await sandbox.companyWith(["inactive"]);
    const reply = await sandbox.act(`${owners[0]?.id}/operator`, { action: "activate" });
    expect(reply.json.status).toBe("active");
  });

  test.each([
    [
      {},
      400,
      'action: is required and must be one of "suspend", "lock", "block", "lift", "terminate", "activate"',
    ],
    [{ action: "freeze" }, 400, "action: must be one of"],
    [{ action: "lift", why: "kindness" }, 400, "why"],
    [
      { action: "lift" },
      409,
      "The card is active and cannot have a hold lifted: its status must be one of suspended, locked, blocked",
    ],
  ])("with %j is %i", async (body, status, message) => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    const reply = await sandbox.act(`${id}/operator`, body);
    expect([reply.status, reply.json.error]).toEqual([status, expect.stringContaining(message)]);
  });
});

test("POST /_sandbox/cards/ID/expire expires a card before its date, once", async () => {
  const sandbox = openCards();
  const card = await sandbox.card();
  const reply = await sandbox.act(`${card.id}/expire`);
  expect([reply.status, reply.json]).toEqual([200, { ...card, status: "expired" }]);
  expect((await sandbox.act(`${card.id}/expire`)).status).toBe(409);
  expect(sandbox.company("northwind").live_cards).toBe(0);
});

test.each([
  ["operator", { action: "lift" }],
  ["expire", {}],
  ["delivery", { status: "shipped" }],
])("POST /_sandbox/cards/ID/%s is 404 where there is no such card", async (path, body) => {
  for (const id of [unknown, "gbp"]) {
    const reply = await openCards().act(`${id}/${path}`, body);
    expect([reply.status, reply.json]).toEqual([
      404,
      { error: `id: no card has the id "${id}". GET /developer/cards lists the cards of a company.` },
    ]);
  }
});

describe("/_sandbox/cards/ID/delivery", () => {
  test("moves the parcel of a physical card forward, stamped with its company's time", async () => {
    const sandbox = openCards();
    const { id, created_at } = await sandbox.card();
    const read = async () => (await sandbox.request(`/_sandbox/cards/${id}/delivery`)).json;
    expect(await read()).toEqual({ card_id: id, status: "ordered", updated_at: created_at });
    await sandbox.clock.advance({ by: "P1D", company: "northwind" });
    const moved = await sandbox.act(`${id}/delivery`, { status: "produced" });
    expect([moved.status, moved.json]).toEqual([
      200,
      { card_id: id, status: "produced", updated_at: "2026-03-11T09:30:00.000Z" },
    ]);
    expect(await read()).toEqual(moved.json);
    expect((await sandbox.show(id)).status).toBe("active");
  });

  test.each([
    [
      "produced shipped delivered",
      "shipped",
      "status: cannot change from delivered to shipped. No further change is possible.",
    ],
    ["delivered", "returned", "No further change is possible."],
    ["shipped failed returned", "returned", "No further change is possible."],
    ["shipped", "shipped", "Allowed: delivered, returned, failed."],
    ["failed", "delivered", "Allowed: returned."],
  ])("by way of %s, it never becomes %s", async (way, then, message) => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    for (const status of way.split(" ")) {
      expect((await sandbox.act(`${id}/delivery`, { status })).json.status).toBe(status);
    }
    const reply = await sandbox.act(`${id}/delivery`, { status: then });
    expect([reply.status, reply.json.error]).toEqual([409, expect.stringContaining(message)]);
  });

  test.each([{}, { status: "lost" }, { status: "ordered" }])("returns 400 for %j", async (body) => {
    const sandbox = openCards();
    const reply = await sandbox.act(`${(await sandbox.card()).id}/delivery`, body);
    expect([reply.status, reply.json.error]).toEqual([
      400,
      expect.stringContaining('must be one of "produced", "shipped", "delivered", "returned", "failed"'),
    ]);
  });

  test("returns 404 for a virtual card", async () => {
    const sandbox = openCards();
    const { id } = cardOf(await sandbox.virtual());
    expect((await sandbox.request(`/_sandbox/cards/${id}/delivery`)).status).toBe(404);
    expect((await sandbox.act(`${id}/delivery`, { status: "shipped" })).json.error).toContain("is virtual");
  });

  test("a replacement card has its own parcel", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    await sandbox.act(`${id}/delivery`, { status: "delivered" });
    const made = cardOf(await sandbox.replace(id));
    expect(sandbox.control.cards.delivery(made.id).status).toBe("ordered");
  });
});

describe("cards in the dashboard", () => {
  test("lists cards of one company or of all, newest first, with the used part of their limits", async () => {
    const { card, virtual, control } = openCards();
    const first = await card({ spending_limit: { period: "monthly", amount: "100.00" } });
    const second = cardOf(await virtual());
    control.simulator.authorise({ card_id: first.id, amount: "25.00" });
    const listed = control.cards.list("northwind");
    expect(listed.map(({ id }) => id).toSorted()).toEqual([first.id, second.id].toSorted());
    expect(control.cards.list()).toHaveLength(5);
    expect(control.cards.show(first.id)).toMatchObject({
      spending_limit: { used: "25.00" },
      card_limits: { daily: { used: expect.any(String) } },
    });
    expect(control.cards.transactions(first.id)).toMatchObject([{ amount: "25.00", status: "pending" }]);
    expect(control.cards.transactions(second.id)).toEqual([]);
    expect(() => control.cards.list("nobody")).toThrow(/no company has the id or slug "nobody"/);
  });

  test("lists the possible actions on a card and the status after each", async () => {
    const { card, set, control } = openCards();
    const { id } = await card();
    await set("freeze", id);
    await set("block", id);
    expect(control.cards.possible(id)).toEqual([
      { action: "lift", leads_to: "frozen" },
      { action: "terminate", leads_to: "terminated" },
      { action: "expire", leads_to: "expired" },
    ]);
    await set("operator_terminate", id);
    expect(control.cards.possible(id)).toEqual([]);
  });
});

test("counts the cards of a company by status, by its clock", async () => {
  const { companyWith, control, clock, order } = openCards();
  await companyWith(["active", "active", "frozen"]);
  await order();
  expect(control.cards.counts("own")).toEqual([
    { status: "active", count: 4 },
    { status: "frozen", count: 2 },
  ]);
  const before = control.cards.counts().find(({ status }) => status === "active")?.count;
  expect(before).toBeGreaterThan(4);
  await clock.advance({ by: "P6Y", company: "own" });
  expect(control.cards.counts("own")).toEqual([{ status: "expired", count: 6 }]);
});
