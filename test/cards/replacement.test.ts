import { describe, expect, test } from "vitest";
import type { IssuerAnswer } from "../../src/rules/overlay.ts";
import { openCards, replacement } from "../support/open-cards.ts";
import { cardOf, openSandbox, type Reply } from "../support/open-sandbox.ts";
import { london } from "../support/physical-order.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("replacing a card", () => {
  test.each(["lost", "stolen"])(
    "that is %s ends it, and creates a card with another number",
    async (reason) => {
      const sandbox = openCards();
      const old = await sandbox.card({
        spending_limit: { period: "weekly", amount: "70" },
        auto_convert: true,
      });
      const reply = await sandbox.replace(old.id, { reason });
      const made = cardOf(reply);
      expect([reply.status, reply.point]).toEqual([201, "cards.replaced"]);
      for (const field of ["id", "token", "last_four"] as const) expect(made[field]).not.toBe(old[field]);
      expect(made).toEqual({
        ...old,
        id: made.id,
        token: made.token,
        last_four: made.last_four,
        name: `Physical ${made.last_four}`,
      });
      expect((await sandbox.show(old.id)).status).toBe("terminated");
      expect(await sandbox.show(made.id)).toEqual(made);
      expect(sandbox.company("northwind").live_cards).toBe(1);
    },
  );

  test.each(["damaged", "expiring"])("that is %s keeps its number and its name", async (reason) => {
    const sandbox = openCards();
    const old = await sandbox.card({ name: "Travel" });
    await sandbox.clock.advance({ by: "P2Y" });
    const made = cardOf(await sandbox.replace(old.id, { reason }));
    expect([made.last_four, made.name, made.expiry_date]).toEqual([old.last_four, "Travel", "2033-03-31"]);
    expect(made.id).not.toBe(old.id);
    expect(made.token).not.toBe(old.token);
    expect((await sandbox.show(old.id)).status).toBe("terminated");
  });

  test("that has expired creates a card for the reason expiring, and leaves it expired", async () => {
    const sandbox = openCards();
    const old = await sandbox.card();
    await sandbox.set("expire", old.id);
    expect((await sandbox.replace(old.id, { reason: "lost" })).point).toBe("cards.state_conflict");
    expect((await sandbox.replace(old.id, { reason: "expiring" })).point).toBe("cards.replaced");
    expect((await sandbox.show(old.id)).status).toBe("expired");
  });

  test("that is terminated returns 409", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    await sandbox.set("terminate", id);
    const reply = await sandbox.replace(id);
    expect([reply.status, reply.json.error]).toEqual([
      409,
      "The card is terminated and cannot be replaced: its status must be one of inactive, active, frozen",
    ]);
  });

  test("uses no place in the quota, unless the old card has ended", async () => {
    const sandbox = openCards();
    sandbox.control.companies.change("northwind", { card_quota: 1 });
    const made = cardOf(await sandbox.replace((await sandbox.card()).id));
    await sandbox.set("expire", made.id);
    await sandbox.card();
    expect((await sandbox.replace(made.id, { reason: "expiring" })).point).toBe("cards.quota_reached");
  });

  test("of another member creates a card of that member", async () => {
    const sandbox = openCards();
    const { owner, employees } = await sandbox.companyWith(["active"]);
    const [old] = employees;
    const made = cardOf(await sandbox.replace(old?.id ?? "", {}, { apiKey: owner }));
    expect(made.user_id).toBe(old?.user_id);
  });

  test("that is virtual needs neither a PIN nor an address", async () => {
    const sandbox = openCards();
    const old = cardOf(await sandbox.virtual());
    const body = { pin: undefined, delivery_address: undefined, delivery_method: undefined };
    const made = cardOf(await sandbox.replace(old.id, body));
    expect([made.type, made.name]).toEqual(["virtual", `Virtual ${made.last_four}`]);
  });

  test.each([
    [{ reason: undefined }, "cards.body_invalid", "reason: is required"],
    [{ reason: "boredom" }, "cards.body_invalid", "reason: must be one of lost, stolen, damaged, expiring"],
    [{ pin: 4821 }, "cards.body_invalid", "pin: must be a string of four digits"],
    [{ delivery_address: undefined }, "cards.body_invalid", "delivery_address: is required"],
    [{ delivery_address: { ...london, country_code: "UK" } }, "cards.body_invalid", 'use "GB"'],
    [
      { delivery_address: { ...london, city: " " } },
      "cards.address_field_required",
      "delivery_address.city: is required",
    ],
    [
      { delivery_address: { ...london, post_code: "1" } },
      "cards.post_code_format",
      "must be a valid post code for GB",
    ],
    [{ delivery_method: "pigeon" }, "cards.body_invalid", "delivery_method: must be one of"],
    [{ delivery_method: "international" }, "cards.delivery_method_not_offered", "must be classic or express"],
  ])("returns 400 and does not change the card: %j", async (body, point, message) => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    const reply = await sandbox.replace(id, body);
    expect([reply.status, reply.point]).toEqual([400, point]);
    expect(reply.json.error).toContain(message);
    expect((await sandbox.show(id)).status).toBe("active");
  });

  test("returns 422 for a country without delivery", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    const abroad = { line1: "1 Calle", city: "La Habana", country_code: "CU" };
    const body = { delivery_address: abroad, delivery_method: "international" };
    expect((await sandbox.replace(id, body)).point).toBe("cards.country_undeliverable");
  });

  test.each<[IssuerAnswer, string]>([
    [{ outcome: "rejected", reason: "the name" }, "cards.issuer_rejected"],
    [{ outcome: "bad_gateway" }, "cards.issuer_bad_gateway"],
    [{ outcome: "unavailable" }, "cards.issuer_unavailable"],
  ])("changes nothing and frees the key if the issuer returns %j", async (answer, point) => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    const { issuer } = sandbox.force;
    sandbox.force.issuer = { issue: () => answer };
    expect((await sandbox.replace(id, {}, { key })).point).toBe(point);
    expect((await sandbox.show(id)).status).toBe("active");
    sandbox.force.issuer = issuer;
    expect((await sandbox.replace(id, {}, { key })).point).toBe("cards.replaced");
  });
});

describe("the Idempotency-Key of a replacement", () => {
  test("creates one card, even if the second request has another body or card", async () => {
    const sandbox = openCards();
    const [one, two] = [await sandbox.card(), await sandbox.card()];
    const first = await sandbox.replace(one.id, {}, { key });
    for (const again of [
      await sandbox.replace(one.id, {}, { key: key.toUpperCase() }),
      await sandbox.replace(one.id, { reason: "boredom" }, { key }),
      await sandbox.replace(two.id, {}, { key }),
    ]) {
      expect([again.status, again.point, again.text]).toEqual([201, "cards.replayed", first.text]);
      expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    }
    expect((await sandbox.show(two.id)).status).toBe("active");
    expect(sandbox.company("northwind").live_cards).toBe(2);
  });

  test("is independent of the keys of orders, virtual cards and other members", async () => {
    const sandbox = openCards();
    const ordered = cardOf(await sandbox.order({ key }));
    const virtual = cardOf(await sandbox.virtual({}, { key }));
    const replaced = cardOf(await sandbox.replace(ordered.id, {}, { key }));
    const other = cardOf(
      await sandbox.replace(replaced.id, {}, { key, apiKey: "sk_sandbox_northwind_admin" }),
    );
    expect(new Set([ordered.id, virtual.id, replaced.id, other.id]).size).toBe(4);
  });

  test("returns the card in its current state", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    const made = cardOf(await sandbox.replace(id, {}, { key }));
    await sandbox.set("freeze", made.id);
    expect((await sandbox.replace(id, {}, { key })).json).toEqual({ ...made, status: "frozen" });
  });

  test("survives a restore of a snapshot that contains it, and is deleted with the company", async () => {
    const sandbox = openCards();
    const { id } = await sandbox.card();
    const first = await sandbox.replace(id, {}, { key });
    sandbox.snapshot("replaced");
    sandbox.reset();
    sandbox.restore("replaced");
    expect((await sandbox.replace(id, {}, { key })).text).toBe(first.text);
    sandbox.control.companies.delete("northwind");
    expect(sandbox.database.all("SELECT * FROM replacements")).toEqual([]);
    expect(sandbox.database.all("PRAGMA foreign_key_check")).toEqual([]);
  });

  test.each([undefined, "replacement-1"])("returns 400: %s", async (sent) => {
    const sandbox = openSandbox();
    const body = { reason: "lost" };
    const reply = await sandbox.call("POST", `/developer/cards/${key}/replace`, {
      body,
      ...(sent && { key: sent }),
    });
    expect([reply.status, reply.point]).toEqual([400, "cards.idempotency_key_invalid"]);
  });
});

test("a card that ends while its replacement waits for the issuer is not replaced", async () => {
  const release: (() => void)[] = [];
  const sandbox = openCards();
  const { id } = await sandbox.card();
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  sandbox.force.issuer = {
    issue: () => new Promise((resolve) => release.push(() => resolve({ outcome: "issued" }))),
  };
  const replaced = sandbox.replace(id, {}, { token, key });
  while (release.length === 0) await new Promise(setImmediate);
  expect((await sandbox.replace(id, {}, { token, key })).point).toBe("cards.key_in_progress");
  sandbox.control.cards.operate(id, { action: "terminate" });
  release[0]?.();
  expect((await replaced).point).toBe("cards.state_conflict");
  expect(sandbox.company("northwind").live_cards).toBe(0);
});

test("the amount spent in the period counts against the limits of all later replacements", async () => {
  const sandbox = openSandbox();
  const spending_limit = { period: "daily", amount: "50.00" };
  const used = (reply: Reply) => reply.json.spending_limit.used;
  const replaced = async (id: string, key: string) =>
    sandbox.call("POST", `/developer/cards/${id}/replace`, {
      key,
      body: {
        reason: "lost",
        pin: "4821",
        delivery_address: sandbox.orderBody().delivery_address,
        delivery_method: "express",
      },
    });
  const { id } = (await sandbox.order({ body: { spending_limit } })).json;
  sandbox.control.simulator.authorise({ card_id: id, amount: "30.00" });
  const second = await replaced(id, "00000000-0000-4000-8000-000000000001");
  expect(used(second)).toBe("30.00");
  sandbox.control.simulator.authorise({ card_id: second.json.id, amount: "15.00" });
  const third = await replaced(second.json.id, "00000000-0000-4000-8000-000000000002");
  expect(used(third)).toBe("45.00");
  const declined = sandbox.control.simulator.authorise({ card_id: third.json.id, amount: "5.01" });
  expect(declined).toMatchObject({ status: "declined", decline_reason: "spending_limit_exceeded" });
  const { data } = (await sandbox.get("/developer/cards?status=active")).json;
  expect(data[0].spending_limit.used).toBe("45.00");
  expect(data[0].card_limits.daily.used).not.toBe("0.00");
  await sandbox.clock.advance({ by: "P1D" });
  expect(used(await sandbox.get(`/developer/cards/${third.json.id}`))).toBe("0.00");
});

describe("while a replacement waits for the issuer", () => {
  const body = replacement;
  const waiting = async () => {
    const sandbox = openSandbox();
    const { id } = (await sandbox.order()).json;
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    const armed = sandbox.scenario("in-flight", { operation: "replaceCard" });
    const replace = (key: string) =>
      sandbox.call("POST", `/developer/cards/${id}/replace`, { body, key, token });
    const first = replace("00000000-0000-4000-8000-000000000001");
    while (armed.listing().held === 0) await new Promise(setImmediate);
    return { ...sandbox, id, token, armed, replace, first };
  };

  test.each([
    ["POST", "freeze", undefined],
    ["POST", "terminate", undefined],
    ["DELETE", "spending-limit", undefined],
    ["PUT", "spending-limit", { period: "daily", amount: "5" }],
    ["PATCH", "", { name: "Travel" }],
  ])("%s %s of the card returns 409: another change is in progress", async (method, what, asked) => {
    const { call, id, token, armed, first } = await waiting();
    const path = `/developer/cards/${id}${what && `/${what}`}`;
    const reply = await call(method, path, { token, ...(asked && { body: asked }) });
    expect([reply.status, reply.point]).toEqual([409, "cards.change_in_progress"]);
    armed.release();
    expect((await first).point).toBe("cards.replaced");
  });

  test("another replacement returns 409, and the card cannot be replaced again afterwards", async () => {
    const { armed, replace, first } = await waiting();
    const key = "00000000-0000-4000-8000-000000000002";
    expect((await replace(key)).point).toBe("cards.change_in_progress");
    armed.release();
    await first;
    expect((await replace(key)).point).toBe("cards.state_conflict");
  });

  test("other cards are not affected, and a reset ends it", async () => {
    const sandbox = await waiting();
    const other = (await sandbox.order({ token: sandbox.token })).json;
    expect(
      (await sandbox.call("POST", `/developer/cards/${other.id}/freeze`, { token: sandbox.token })).status,
    ).toBe(200);
    sandbox.reset();
    expect((await sandbox.first).status).toBe(409);
    const { id } = (await sandbox.order()).json;
    expect((await sandbox.call("POST", `/developer/cards/${id}/freeze`)).status).toBe(200);
  });
});

test("replaces an expired card only once", async () => {
  const sandbox = openSandbox();
  const { id } = (await sandbox.order()).json;
  sandbox.control.cards.expire(id);
  const body = { ...replacement, reason: "expiring" };
  const replace = (key: string) => sandbox.call("POST", `/developer/cards/${id}/replace`, { body, key });
  expect((await replace("00000000-0000-4000-8000-000000000001")).status).toBe(201);
  const again = await replace("00000000-0000-4000-8000-000000000002");
  expect([again.status, again.json.error]).toEqual([409, "The card was already replaced. Use the new card."]);
});
