import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox } from "../../src/node/create-sandbox.ts";
import type { IssuerAnswer } from "../../src/rules/overlay.ts";
import { worldTables } from "../../src/store/schema.ts";
import { temporaryFolder } from "../support/command-line.ts";
import { cardOf, openSandbox, type TestOptions } from "../support/open-sandbox.ts";

/** A sandbox, and every row of its world. */
function openState(options: TestOptions = {}) {
  const sandbox = openSandbox({ deliver: async () => new Response(null, { status: 500 }), ...options });
  const rowsOf = (table: string) => sandbox.database.all(`SELECT * FROM ${table} ORDER BY 1, 2`);
  return {
    ...sandbox,
    rows: () => JSON.stringify(worldTables.map(rowsOf)),
    /** Changes something of every kind. */
    async disturb() {
      const token = await sandbox.exchange("sk_sandbox_northwind_owner");
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      const webhook = { url: "http://localhost/hooks", events: ["card.created"] };
      await sandbox.post("/developer/webhooks", webhook, headers);
      await sandbox.order();
      await sandbox.webhooks.settled();
      await sandbox.order({ headers: { "Sandbox-Scenario": "issuer-recovers" } });
      sandbox.scenario("token-short-lived", { company: "northwind" });
      await sandbox.order();
      await sandbox.order({
        apiKey: "sk_live_northwind_owner",
        body: { account_id: sandbox.account("northwind", "gbp", "live").id },
      });
      sandbox.database.run("UPDATE companies SET status = 'suspended', card_quota = 0");
      sandbox.database.run("UPDATE accounts SET status = 'closed', balance_minor = 1");
      sandbox.database.run("UPDATE memberships SET role = 'employee', status = 'inactive'");
      sandbox.database.run("UPDATE members SET details_complete = 0");
      sandbox.database.run("UPDATE api_keys SET status = 'revoked'");
      await sandbox.post("/_sandbox/clock/advance", { by: "P1Y" });
      await sandbox.post("/_sandbox/clock/advance", { by: "PT1H", company: "northwind" });
    },
  };
}

describe("POST /_sandbox/reset", () => {
  test("restores every row of the start: world, counters, tokens and clock", async () => {
    const sandbox = openState();
    const fresh = sandbox.rows();
    await sandbox.disturb();
    expect(sandbox.rows()).not.toBe(fresh);
    const reply = await sandbox.post("/_sandbox/reset", "");
    expect([reply.status, reply.json]).toEqual([200, { now: "2026-03-10T09:30:00.000Z", frozen: false }]);
    expect(sandbox.rows()).toBe(fresh);
  });

  test("the next card is the first one again, byte for byte", async () => {
    const sandbox = openState();
    const story = async () => {
      const exchanged = await sandbox.post("/auth/v1/sandbox/token", {
        api_key: "sk_sandbox_northwind_owner",
      });
      const order = { token: exchanged.json.access_token, key: "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30" };
      return [exchanged.text, (await sandbox.order(order)).text, (await sandbox.order(order)).text].join(
        "\n",
      );
    };
    const first = await story();
    for (let n = 0; n < 3; n++) {
      await sandbox.disturb();
      sandbox.reset();
      expect(await story()).toBe(first);
    }
  });

  test("of one company changes no other", async () => {
    const sandbox = openState();
    const own = (table: string, slug: string, not = "") =>
      sandbox.database.all(
        `SELECT * FROM ${table} WHERE ${table === "companies" ? "pk" : "company_pk"} ${not} IN
         (SELECT pk FROM companies WHERE slug = ? AND environment = 'sandbox') ORDER BY 1, 2`,
        slug,
      );
    const tables = worldTables.filter((table) => table !== "clock");
    const northwind = () => JSON.stringify(tables.map((table) => own(table, "northwind")));
    const others = () => JSON.stringify(tables.map((table) => own(table, "northwind", "NOT")));
    const fresh = northwind();
    await sandbox.order({ apiKey: "sk_sandbox_northwind_admin" });
    await sandbox.disturb();
    const disturbed = others();
    const reply = await sandbox.post("/_sandbox/reset", { company: "northwind" });
    expect([reply.status, reply.json.now]).toEqual([200, "2027-03-10T09:30:00.000Z"]);
    expect(northwind()).toBe(fresh);
    expect(others()).toBe(disturbed);
  });

  test("of one company whose member has a card in another keeps that card", async () => {
    const sandbox = openState();
    sandbox.database.run("UPDATE companies SET card_quota = 20");
    const order = {
      apiKey: "sk_sandbox_northwind_admin",
      key: "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30",
      headers: { "X-On-Behalf-Of": sandbox.company("fullhouse").id },
      body: { account_id: sandbox.account("fullhouse").id },
    };
    const { id } = cardOf(await sandbox.order(order));
    sandbox.reset("northwind");
    expect(cardOf(await sandbox.order(order)).id).toBe(id);
    expect(sandbox.database.all("PRAGMA foreign_key_check")).toEqual([]);
  });

  test.each([
    [{ company: "nobody" }, 404, "no company"],
    [{ compny: "northwind" }, 400, "compny"],
    ["{", 400, "body: must be valid JSON"],
  ])("%j: %i", async (body, status, message) => {
    const reply = await openState().post("/_sandbox/reset", body);
    expect(reply.status).toBe(status);
    expect(reply.json.error).toContain(message);
  });

  test("an order that waits for its issuer creates no card after the reset", async () => {
    let release = (_: IssuerAnswer) => {};
    const held = new Promise<void>((asked) => {
      issuer.issue = () => {
        asked();
        return new Promise<IssuerAnswer>((resolve) => {
          release = resolve;
        });
      };
    });
    const sandbox = openState({ issuer });
    const fresh = sandbox.rows();
    const waiting = sandbox.order();
    await held;
    sandbox.reset();
    release({ outcome: "issued" });
    expect((await waiting).point).toBe("order.change_in_progress");
    expect(sandbox.rows()).toBe(fresh);
  });

  test("takes less than 5 ms of the default world", () => {
    const sandbox = openState();
    sandbox.reset();
    const startedAt = performance.now();
    for (let n = 0; n < 20; n++) sandbox.reset();
    expect((performance.now() - startedAt) / 20).toBeLessThan(5);
  });
});

const issuer = { issue: (): IssuerAnswer | Promise<IssuerAnswer> => ({ outcome: "issued" }) };

describe("snapshots", () => {
  test("restore every row, counter and the clock, any number of times", async () => {
    const sandbox = openState();
    await sandbox.order();
    await sandbox.post("/_sandbox/clock/advance", { by: "PT1H" });
    const kept = sandbox.rows();
    const made = await sandbox.post("/_sandbox/snapshots", { name: "one-card" });
    expect([made.status, made.json]).toEqual([
      201,
      { name: "one-card", made_at: "2026-03-10T10:30:00.000Z" },
    ]);
    for (let n = 0; n < 2; n++) {
      await sandbox.disturb();
      const reply = await sandbox.post("/_sandbox/snapshots/one-card/restore", "");
      expect([reply.status, reply.json.now]).toEqual([200, "2026-03-10T10:30:00.000Z"]);
      expect(sandbox.rows()).toBe(kept);
    }
  });

  test("survive a reset, are listed, replaced by name, and deleted", async () => {
    const sandbox = openState();
    const names = async () =>
      (await sandbox.request("/_sandbox/snapshots")).json.snapshots.map(
        (each: { name: string }) => each.name,
      );
    expect(await names()).toEqual([]);
    sandbox.snapshot("a");
    sandbox.snapshot("b");
    await sandbox.order();
    sandbox.snapshot("a");
    sandbox.reset();
    expect(await names()).toEqual(["b", "a"]);
    sandbox.restore("a");
    expect(sandbox.company("northwind").live_cards).toBe(1);
    expect((await sandbox.request("/_sandbox/snapshots/a", { method: "DELETE" })).status).toBe(204);
    expect(await names()).toEqual(["b"]);
    expect((await sandbox.post("/_sandbox/snapshots/a/restore", "")).status).toBe(404);
    expect((await sandbox.request("/_sandbox/snapshots/a", { method: "DELETE" })).status).toBe(404);
  });

  test.each([
    [{}],
    [{ name: "." }],
    [{ name: ".." }],
    [{ name: "" }],
    [{ name: "a b" }],
    [{ name: "n".repeat(65) }],
    [{ name: "a", more: 1 }],
  ])("%j is refused", async (body) => {
    const reply = await openState().post("/_sandbox/snapshots", body);
    expect([reply.status, Object.keys(reply.json)]).toEqual([400, ["error"]]);
  });

  test("a file keeps snapshots, clock and start across restarts", () => {
    const db = join(temporaryFolder(), "sandbox.db");
    const first = createSandbox({ db, clock: "2026-03-10T09:30:00Z" });
    first.clock.change({ now: "2026-03-11T00:00:00Z" });
    first.snapshot("later");
    first.close();
    const second = createSandbox({ db });
    expect(second.clock.read().now).toBe("2026-03-11T00:00:00.000Z");
    second.reset();
    expect(second.clock.read().now).toBe("2026-03-10T09:30:00.000Z");
    second.restore("later");
    expect(second.clock.read().now).toBe("2026-03-11T00:00:00.000Z");
    second.close();
  });
});
