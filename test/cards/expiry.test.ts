import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import { temporaryFolder } from "../support/command-line.ts";
import { openCards } from "../support/open-cards.ts";
import { openOnTestTimers } from "../support/open-on-test-timers.ts";
import { cardOf } from "../support/open-sandbox.ts";
import { openWebhooks } from "../support/open-webhooks.ts";

const yearMs = 366 * 24 * 3_600_000;
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

  test("uses the clock of its company only", async () => {
    const sandbox = openCards();
    const card = await sandbox.card();
    await sandbox.clock.advance({ by: "P6Y", company: "fullhouse" });
    expect((await sandbox.show(card.id)).status).toBe("active");
    expect(sandbox.company("fullhouse").live_cards).toBe(0);
    await sandbox.clock.advance({ by: "P6Y", company: "northwind" });
    expect((await sandbox.show(card.id)).status).toBe("expired");
  });
});

describe("an expired card", () => {
  /** Northwind full of cards, whose time comes in April 2031. */
  const withExpired = async () => {
    const sandbox = openCards();
    sandbox.control.companies.change("northwind", { card_quota: 2 });
    const limit = { spending_limit: { period: "daily", amount: "5" } };
    const cards = [await sandbox.card(limit), await sandbox.card()];
    await sandbox.clock.advance({ by: "P6Y" });
    return { ...sandbox, cards, id: cards[0]?.id ?? "" };
  };

  test("frees its place in the quota before any request reads it", async () => {
    const sandbox = await withExpired();
    expect((await sandbox.order()).point).toBe("order.created");
    expect(sandbox.company("northwind").live_cards).toBe(1);
  });

  test("is listed and filtered as expired", async () => {
    const { get } = await withExpired();
    expect((await get("/developer/cards?status=expired")).json.data).toHaveLength(2);
    expect((await get("/developer/cards?status=active")).json.data).toEqual([]);
  });

  test("shows no used amount (spec §2)", async () => {
    const { show, id } = await withExpired();
    expect((await show(id)).spending_limit).toEqual({ period: "daily", amount: "5.00", currency: "GBP" });
  });

  test("does not count as a live card of the company", async () => {
    expect((await withExpired()).company("northwind").live_cards).toBe(0);
  });

  test("cannot be frozen, limited or terminated, by the caller or the operator", async () => {
    const { set, id } = await withExpired();
    for (const trigger of ["freeze", "change", "terminate", "suspend", "expire"] as const) {
      expect((await set(trigger, id)).json.error, trigger).toContain("The card is expired and cannot ");
    }
  });

  test("can be replaced with the reason expiring, and stays expired", async () => {
    const { set, show, id, ...sandbox } = await withExpired();
    expect((await set("replace", id)).status).toBe(409);
    expect((await set("replace_expiring", id)).status).toBe(201);
    expect((await show(id)).status).toBe("expired");
    expect(sandbox.company("northwind").live_cards).toBe(1);
  });

  test("is returned as expired by a replay of its order", async () => {
    const sandbox = openCards();
    await sandbox.order({ key });
    await sandbox.clock.advance({ by: "P6Y" });
    const again = await sandbox.order({ key });
    expect([again.point, again.json.status]).toEqual(["order.replayed", "expired"]);
  });

  test("expires even if the operator holds it", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    await sandbox.set("block", id);
    await sandbox.clock.advance({ by: "P6Y" });
    expect((await sandbox.show(id)).status).toBe("expired");
    expect((await sandbox.set("lift", id)).status).toBe(409);
  });

  test("is active again after a reset", async () => {
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

describe("expired cards are computed from the time", () => {
  test("reading expired cards changes no row, and an order still has room", async () => {
    const sandbox = openCards();
    sandbox.control.companies.change("northwind", { card_quota: 1 });
    const { id } = await sandbox.card();
    sandbox.clockOfTest.advance(6 * yearMs);
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const rows = () => JSON.stringify(sandbox.database.all("SELECT * FROM cards"));
    const before = rows();
    expect((await sandbox.get("/developer/cards?status=expired", { token })).json.data).toHaveLength(1);
    expect((await sandbox.show(id, { token })).status).toBe("expired");
    expect(sandbox.control.cards.show(id).status).toBe("expired");
    expect(sandbox.control.cards.list("northwind").map(({ status }) => status)).toEqual(["expired"]);
    expect(sandbox.company("northwind").live_cards).toBe(0);
    expect(rows()).toBe(before);
    const payment = sandbox.control.simulator.authorise({ card_id: id, amount: "1.00" });
    expect(payment.decline_reason).toBe("card_expired");
    expect((await sandbox.order({ token })).point).toBe("order.created");
  });

  test("records a hundred cards at once when the clock moves, and the rest in steps between requests", async () => {
    const sandbox = await openWebhooks({ events: ["invoice.paid"] });
    const { id } = cardOf(await sandbox.order());
    const columns = sandbox.database
      .all<{ name: string }>("SELECT name FROM pragma_table_info('cards') WHERE name <> 'pk'")
      .map(({ name }) => name);
    const copied: Record<string, string> = {
      id: "'card-' || n",
      token: "n",
      idempotency_key: "n",
      position: "n + 1",
    };
    const copies = columns.map((name) => copied[name] ?? name).join(", ");
    sandbox.database.run(
      `INSERT INTO cards (${columns.join(", ")})
       WITH RECURSIVE each (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM each WHERE n < 1999)
       SELECT ${copies} FROM each JOIN cards ON id = ?`,
      id,
    );
    sandbox.database.run("UPDATE card_counts SET made = 2000, not_ended = 2000 WHERE company_pk = 1");
    const recorded = () =>
      sandbox.database.get<{ n: number }>("SELECT count(*) AS n FROM cards WHERE status = 'expired'")?.n;
    await sandbox.clock.advance({ by: "P6Y" });
    expect(recorded()).toBe(100);
    expect(sandbox.company("northwind").live_cards).toBe(0);
    await sandbox.settled();
    expect(recorded()).toBe(2000);
    expect(
      sandbox.database.get("SELECT total(not_ended) AS n FROM card_counts WHERE company_pk = 1"),
    ).toEqual({
      n: 0,
    });
  });
});

describe("the event of a card that expires", () => {
  const events = ["card.status_changed"];

  test("has the time of its expiry and the same bytes, independent of when the expiry is recorded", async () => {
    const told = async (durations: readonly string[]) => {
      const sandbox = await openWebhooks({ events });
      const card = cardOf(await sandbox.order());
      for (const by of durations) {
        await sandbox.clock.advance({ by });
        sandbox.control.cards.operate(cardOf(await sandbox.order()).id, { action: "terminate" });
      }
      await sandbox.settled();
      const [event] = sandbox.received.filter(({ json }) => json.data.id === card.id);
      return [event?.headers["webhook-id"], event?.text];
    };
    const [id, text] = await told(["P6Y"]);
    expect(JSON.parse(text ?? "")).toMatchObject({ timestamp: "2031-03-31T23:00:00.000Z" });
    expect(await told(["P1Y", "P4Y1M"])).toEqual([id, text]);
  });

  test("is not lost when an order is refused after the card has expired", async () => {
    const sandbox = await openWebhooks({ events });
    await sandbox.order();
    const order = sandbox.orderBody({ account_id: key });
    sandbox.clockOfTest.advance(6 * yearMs);
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const headers = {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      "Idempotency-Key": key,
    };
    const refused = await sandbox.post("/developer/cards/physical", order, headers);
    expect(refused.point).toBe("order.account_not_found");
    await sandbox.settled();
    await sandbox.settled();
    expect(sandbox.received.map(({ json }) => [json.type, json.data.status])).toEqual([
      ["card.status_changed", "expired"],
    ]);
  });

  test("is not sent to a webhook that was created after the card had expired", async () => {
    const sandbox = openCards({ deliver: async () => new Response(null, { status: 204 }) });
    await sandbox.card();
    sandbox.clockOfTest.advance(6 * yearMs);
    const body = { url: "http://localhost/hooks", events };
    expect((await sandbox.call("POST", "/developer/webhooks", { body })).status).toBe(201);
    await sandbox.webhooks.settled();
    expect(sandbox.webhooks.deliveries()).toEqual([]);
  });

  test("is sent after a restart if the process ended before it was recorded, also on a frozen clock", async () => {
    const db = join(temporaryFolder(), "sandbox.db");
    const first = await openWebhooks({ events, db });
    await first.order();
    first.clock.change({ frozen: true });
    // As a process leaves it that is killed right after time was moved.
    first.database.run("UPDATE companies SET clock_offset_ms = ?", 6 * yearMs);
    first.database.close();
    const received: string[] = [];
    const second = createSandbox({
      db,
      deliver: async (_, init) => {
        received.push(JSON.parse(String(init.body)).data.status);
        return new Response(null, { status: 204 });
      },
    });
    onTestFinished(() => second.close());
    await vi.waitFor(() => expect(received).toEqual(["expired"]));
  });

  test("is sent on a running clock at the expiry without a request, and leaves no timer", async () => {
    vi.useFakeTimers({
      now: Date.parse("2026-03-10T09:30:00Z"),
      toFake: ["Date", "setTimeout", "clearTimeout"],
    });
    onTestFinished(() => void vi.useRealTimers());
    const received: { atMs: number; type: string }[] = [];
    const sandbox = openOnTestTimers({
      deliver: async (_, init) => {
        received.push({ atMs: Date.now(), type: JSON.parse(String(init.body)).type });
        return new Response(null, { status: 204 });
      },
    });
    const ask = async (path: string, body: object, headers: Record<string, string> = {}) => {
      const url = `http://sandbox.test${path}`;
      const reply = await sandbox.fetch(url, { method: "POST", body: JSON.stringify(body), headers });
      return (await reply.json()) as Record<string, string>;
    };
    const { access_token } = await ask("/auth/v1/sandbox/token", { api_key: "sk_sandbox_northwind_owner" });
    const headers = { Authorization: `Bearer ${access_token}`, "Content-Type": "application/json" };
    await ask("/developer/webhooks", { url: "http://localhost/hooks", events }, headers);
    const account_id = sandbox.world().companies[0]?.accounts[0]?.id;
    const card = await ask(
      "/developer/cards/virtual",
      { account_id },
      { ...headers, "Idempotency-Key": key },
    );
    expect(card.expiry_date).toBe("2031-03-31");
    await vi.advanceTimersByTimeAsync(Date.parse("2031-03-31T22:59:59Z") - Date.now());
    expect(received).toEqual([]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(received.map(({ type }) => type)).toEqual(["card.status_changed"]);
    await ask("/developer/cards/virtual", { account_id }, { ...headers, "Idempotency-Key": randomUUID() });
    sandbox.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
