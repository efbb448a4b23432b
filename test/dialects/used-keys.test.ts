import { describe, expect, test } from "vitest";
import type { Choices } from "../../src/contract/behaviours.ts";
import { found } from "../support/found.ts";
import { heldIssuer } from "../support/held-issuer.ts";
import { openClient, until } from "../support/open-client.ts";
import { cardOf, openSandbox, type Reply } from "../support/open-sandbox.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

const openWith = (choices: Partial<Choices>, options = {}) => openClient({ choices, ...options });
const seen = (reply: Reply | undefined) => [reply?.status, reply?.point];

describe("key.operations", () => {
  test("shared: a key of another operation is found, and belongs to the first card", async () => {
    for (const [use, findings] of [
      ["separate", []],
      ["shared", ["IDEM-2 critical"]],
    ] as const) {
      const client = await openWith({ "key.operations": use });
      const { id } = cardOf((await client.virtual({ key })) as Reply);
      expect((await client.order({ key }))?.json.id === id).toBe(use === "shared");
      expect((await client.virtual({ key }))?.json.id).toBe(id);
      expect(found(client)).toEqual(findings);
    }
  });

  test.each([
    ["shared", "cards.key_reused"],
    ["separate", "cards.replaced"],
  ] as const)("%s: a replacement with the key of the order that it replaces", async (use, point) => {
    const client = await openWith({ "key.operations": use, "order.key_reused": "422" });
    const { id } = cardOf((await client.order({ key })) as Reply);
    expect((await client.replace(id, { key }))?.point).toBe(point);
    expect((await client.order({ key }))?.json.id).toBe(id);
  });
});

describe("order.key_reused", () => {
  test.each(["409", "422", "400"] as const)("%s: for virtual cards and replacements", async (use) => {
    const client = await openWith({ "order.key_reused": use });
    const { id } = cardOf((await client.order()) as Reply);
    for (const order of [
      (name: string) => client.virtual({ key, body: { name } }),
      (reason: string) => client.replace(id, { key, body: { reason } }),
    ]) {
      const first = cardOf((await order("lost")) as Reply);
      expect(seen(await order("damaged"))).toEqual([Number(use), "cards.key_reused"]);
      expect((await order("lost"))?.json.id).toBe(first.id);
    }
  });

  test("a key that was refused stays the mistake of the client, and the original order can be retried", async () => {
    for (const use of ["409", "422", "400"] as const) {
      const client = await openWith({ "order.key_reused": use });
      const { id } = cardOf((await client.order({ key })) as Reply);
      expect((await client.order({ key, body: { name: "Travel" } }))?.point).toBe("order.key_reused");
      expect((await client.order({ key }))?.json.id).toBe(id);
      expect(found(client)).toEqual(["IDEM-2 critical"]);
    }
  });

  test("one key for all orders is found whatever the service does", async () => {
    for (const choices of [{}, { "order.key_reused": "409" }, { "replay.status": "200" }] as const) {
      const client = await openWith(choices);
      for (const name of ["one", "two", "three"]) await client.order({ key, body: { name } });
      expect(found(client)).toContain("IDEM-3 high");
    }
  });
});

describe("replay.status", () => {
  test("200: a retry settles an order whose response was lost", async () => {
    const client = await openWith({ "replay.status": "200" });
    await client.order({ key, scenario: "created-but-502" });
    expect((await client.order({ key }))?.status).toBe(200);
    client.wait(16 * 60_000);
    expect(found(client)).toEqual([]);
  });
});

describe("key.stored_refusals", () => {
  const choices = { "key.stored_refusals": "4xx" } as const;

  test.each([
    ["400", { requestValid: false }, 400],
    ["404", { account: "missing" }, 404],
    ["422", { quotaReached: true }, 422],
  ] as const)("4xx: %s is returned again after its cause is repaired", async (_, facts, status) => {
    const client = await openWith(choices, { facts });
    const first = await client.order({ key });
    client.force.facts = {};
    const again = await client.order({ key });
    expect(first?.status).toBe(status);
    expect([again?.status, again?.point, again?.text]).toEqual([status, first?.point, first?.text]);
    expect((await client.order())?.status).toBe(201);
    expect((await client.virtual({ key }))?.status).toBe(201);
  });

  test.each([
    [403, { facts: { permissions: [] } }],
    [409, { facts: { changeInProgress: true } }],
    [502, { issuer: { issue: () => ({ outcome: "bad_gateway" }) } }],
    [503, { issuer: { issue: () => ({ outcome: "unavailable" }) } }],
  ] as const)("4xx: a %i frees the key", async (status, options) => {
    const usual = openSandbox().force;
    const client = await openWith(choices, options);
    expect((await client.order({ key }))?.status).toBe(status);
    Object.assign(client.force, usual);
    expect((await client.order({ key }))?.status).toBe(201);
  });

  test("4xx: stores what a slow issuer rejected, but not in the world after a reset", async () => {
    for (const isReset of [false, true]) {
      const { issuer, asked } = heldIssuer();
      const client = await openWith(choices, { issuer });
      const first = client.order({ key });
      await until(() => asked.length === 1);
      if (isReset) client.reset();
      asked[0]?.({ outcome: "rejected", reason: "the name" });
      expect((await first)?.status).toBe(422);
      client.force.issuer = { issue: () => ({ outcome: "issued" }) };
      const token = await client.exchange("sk_sandbox_northwind_owner");
      expect((await client.order({ key, token }))?.status).toBe(isReset ? 201 : 422);
    }
  });

  test("4xx: a reset, a deleted company and the end of the retention forget them", async () => {
    const facts = { quotaReached: true };
    const client = await openWith({ ...choices, "key.retention": "1h" }, { facts });
    await client.order({ key });
    client.force.facts = {};
    client.wait(3_600_000);
    const token = await client.exchange("sk_sandbox_northwind_owner");
    expect((await client.order({ key, token }))?.status).toBe(201);
    const count = () => client.database.get("SELECT count(*) AS n FROM stored_refusals");
    expect(count()).toEqual({ n: 1 });
    client.reset();
    expect(count()).toEqual({ n: 0 });
  });

  test("4xx: a client that corrects a refused order under its key is found", async () => {
    const client = await openWith(choices);
    await client.order({ key, body: { pin: "48210" } });
    await client.order({ key });
    expect(found(client)).toEqual(["IDEM-2 critical"]);
  });
});

test.each([
  [{}, { "key.scope": "company" }],
  [{}, { "key.operations": "shared" }],
  [{ "key.operations": "shared" }, {}],
] as const)(
  "a key creates one card even if the dialect %o becomes %o while the issuer works",
  async (choices, dialect) => {
    const { issuer, asked } = heldIssuer();
    const client = await openWith(choices, { issuer });
    const first = client.order({ key });
    await until(() => asked.length === 1);
    client.control.dialect.replace({ dialect });
    const second = client.order({ key });
    await until(() => asked.length === 2);
    for (const answer of asked) answer({ outcome: "issued" });
    expect([(await first)?.point, (await second)?.point]).toEqual(["order.created", "order.replayed"]);
    expect((await second)?.json.id).toBe((await first)?.json.id);
  },
);
