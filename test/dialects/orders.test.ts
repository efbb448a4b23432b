import { describe, expect, test } from "vitest";
import { behaviours, type Choices } from "../../src/contract/behaviours.ts";
import { found } from "../support/found.ts";
import { heldIssuer } from "../support/held-issuer.ts";
import { type Client, openClient, until } from "../support/open-client.ts";
import { cardOf, type Reply } from "../support/open-sandbox.ts";
import { sweepRun, TestClient, verdictsOf } from "../support/sweep-client.ts";

const key = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

const openWith = (choices: Partial<Choices>, options = {}) => openClient({ choices, ...options });
const seen = (reply: Reply | undefined) => [reply?.status, reply?.point];

const countCards = ({ database }: Pick<Client, "database">) =>
  database.get<{ n: number }>("SELECT count(*) AS n FROM cards WHERE company_pk = 1")?.n;

describe("order.key_in_progress", () => {
  /** The response to the second of two requests, while the issuer still works on the first. */
  async function second(use: Choices["order.key_in_progress"], operation: "order" | "virtual") {
    const { issuer, asked } = heldIssuer();
    const client = await openWith({ "order.key_in_progress": use }, { issuer });
    const first = client[operation]({ key });
    await until(() => asked.length === 1);
    const reply = await client[operation]({ key });
    asked[0]?.({ outcome: "issued" });
    expect((await first)?.status).toBe(201);
    return reply;
  }

  test.each(["409", "425", "429"] as const)("%s", async (use) => {
    const ordered = await second(use, "order");
    expect(seen(ordered)).toEqual([Number(use), "order.key_in_progress"]);
    expect(ordered?.headers.get("Retry-After")).toBe(use === "429" ? "1" : null);
    expect(seen(await second(use, "virtual"))).toEqual([Number(use), "cards.key_in_progress"]);
  });

  test.each([
    ["none", null],
    ["http_date", "Tue, 10 Mar 2026 09:30:01 GMT"],
  ] as const)("429: Retry-After has the form of the rate limit: %s", async (form, header) => {
    const choices = { "order.key_in_progress": "429", "rate_limit.retry_after": form } as const;
    const { issuer, asked } = heldIssuer();
    const client = await openWith(choices, { issuer });
    const first = client.order({ key });
    await until(() => asked.length === 1);
    expect((await client.order({ key }))?.headers.get("Retry-After")).toBe(header);
    asked[0]?.({ outcome: "issued" });
    await first;
  });

  test("wait: all others wait for the first, and get its card", async () => {
    const { issuer, asked } = heldIssuer();
    const client = await openWith({ "order.key_in_progress": "wait" }, { issuer });
    const before = countCards(client);
    const replies = [1, 2, 3].map(() => client.order({ key }));
    await until(() => asked.length === 1);
    asked[0]?.({ outcome: "issued" });
    const [first, ...others] = await Promise.all(replies);
    expect(seen(first)).toEqual([201, "order.created"]);
    for (const other of others) {
      expect([...seen(other), other?.text]).toEqual([201, "order.replayed", first?.text]);
    }
    expect([asked.length, countCards(client)]).toEqual([1, (before ?? 0) + 1]);
    expect(found(client)).toEqual([]);
  });

  test("wait: if the first fails, the next one orders the card", async () => {
    const { issuer, asked } = heldIssuer();
    const client = await openWith({ "order.key_in_progress": "wait" }, { issuer });
    const replies = [1, 2, 3].map(() => client.order({ key }));
    await until(() => asked.length === 1);
    asked[0]?.({ outcome: "unavailable" });
    await until(() => asked.length === 2);
    asked[1]?.({ outcome: "issued" });
    expect((await Promise.all(replies)).map((reply) => seen(reply)[0])).toEqual([503, 201, 201]);
    expect(asked).toHaveLength(2);
  });

  test("wait: a sweep releases the order whose retry waits for it", async () => {
    const dialect = { "order.key_in_progress": { use: "wait" } } as const;
    const only = ["orderPhysicalCard", "lost-in-flight"];
    const report = await sweepRun((sandbox) => new TestClient(sandbox).order(), { only }, { dialect });
    expect(Object.values(verdictsOf(report))).toEqual(["survived"]);
  });

  test("wait: a reset refuses those that wait", async () => {
    const { issuer, asked } = heldIssuer();
    const client = await openWith({ "order.key_in_progress": "wait" }, { issuer });
    const replies = [1, 2].map(() => client.order({ key }));
    await until(() => asked.length === 1);
    client.reset();
    asked[0]?.({ outcome: "issued" });
    const points = (await Promise.all(replies)).map((reply) => reply?.point);
    expect(points).toEqual(["order.change_in_progress", "order.change_in_progress"]);
  });
});

describe("key.retention", () => {
  const hours = { forever: 10_000 * 24, "30d": 30 * 24, "24h": 24, "1h": 1 } as const;

  test.each(behaviours["key.retention"].alternatives.map(({ id }) => id as keyof typeof hours))(
    "%s",
    async (use) => {
      const client = await openWith({ "key.retention": use });
      const { id } = (await client.order({ key }))?.json ?? {};
      const again = async (afterMs: number) => {
        client.wait(afterMs);
        const token = await client.exchange("sk_sandbox_northwind_owner");
        return (await client.order({ key, token, body: { name: "Travel" } }))?.json?.id;
      };
      expect(await again(hours[use] * 3_600_000 - 1)).toBe(id);
      const later = await again(1);
      expect(later === id).toBe(use === "forever");
      expect(await again(1)).toBe(later);
    },
  );

  test("frees the key of a virtual card and of a replacement too", async () => {
    const client = await openWith({ "key.retention": "1h", "order.key_reused": "409" });
    const old = [await client.order(), await client.order()].map((reply) => cardOf(reply as Reply).id);
    const virtual = (n: number, token: string) => client.virtual({ key, token, body: { name: `${n}` } });
    const replace = (n: number, token: string) => client.replace(old[n] ?? "", { key, token });
    for (const order of [virtual, replace]) {
      const token = await client.exchange("sk_sandbox_northwind_owner");
      const first = cardOf((await order(0, token)) as Reply).id;
      expect((await order(1, token))?.point).toBe("cards.key_reused");
      client.wait(3_600_000);
      const later = await client.exchange("sk_sandbox_northwind_owner");
      const second = cardOf((await order(1, later)) as Reply).id;
      expect(second).not.toBe(first);
      expect((await order(1, later))?.json.id).toBe(second);
    }
  });

  test("a forgotten key is no mistake of the client", async () => {
    const client = await openWith({ "key.retention": "1h" });
    await client.order({ key });
    client.wait(3_600_000);
    const token = await client.exchange("sk_sandbox_northwind_owner");
    await client.order({ key, token, body: { name: "Travel" } });
    await client.order({ key, token, body: { name: "Travel" } });
    expect(found(client)).toEqual([]);
  });
});

describe("key.scope", () => {
  /** Whether a second member of the company gets the card of the first one. */
  test.each([
    ["member", false],
    ["company", true],
  ] as const)("%s", async (use, isShared) => {
    const client = await openWith({ "key.scope": use });
    const { id } = cardOf((await client.order({ key })) as Reply);
    const token = await client.exchange("sk_sandbox_northwind_admin");
    expect((await client.order({ key, token }))?.json.id === id).toBe(isShared);
    expect((await client.order({ key }))?.json.id).toBe(id);
  });

  test("other companies keep their own keys", async () => {
    const client = await openWith({ "key.scope": "company", "key.operations": "shared" });
    const { id } = cardOf((await client.order({ key })) as Reply);
    const token = await client.exchange("sk_live_northwind_owner");
    const account_id = client.account("northwind", "gbp", "live").id;
    expect(cardOf((await client.order({ key, token, body: { account_id } })) as Reply).id).not.toBe(id);
  });

  test("company: a key that another member used for another order is found", async () => {
    for (const [use, findings] of [
      ["member", []],
      ["company", ["IDEM-2 critical"]],
    ] as const) {
      const client = await openWith({ "key.scope": use });
      await client.order({ key });
      const token = await client.exchange("sk_sandbox_northwind_admin");
      await client.order({ key, token, body: { name: "Travel" } });
      expect(found(client)).toEqual(findings);
    }
  });

  test("members share a key in progress", async () => {
    const { issuer, asked } = heldIssuer();
    const client = await openWith({ "key.scope": "company" }, { issuer });
    const first = client.order({ key });
    await until(() => asked.length === 1);
    const token = await client.exchange("sk_sandbox_northwind_admin");
    expect((await client.order({ key, token }))?.point).toBe("order.key_in_progress");
    asked[0]?.({ outcome: "issued" });
    await first;
  });
});

describe("replay.body", () => {
  test("stored: the bytes of the first response, for each operation and after a snapshot was restored", async () => {
    const client = await openWith({ "replay.body": "stored" });
    const body = { spending_limit: { period: "daily", amount: "5" } };
    const first = await client.order({ key, body });
    const old = cardOf(first as Reply);
    const virtual = await client.virtual({ key, body });
    const replaced = await client.replace(old.id, { key });
    const ids = [old, virtual?.json, replaced?.json].map(({ id }) => id);
    client.database.run("UPDATE cards SET name = 'Changed', limit_amount_minor = 1");
    await client.post("/_sandbox/snapshots", { name: "changed" });
    client.reset();
    await client.post("/_sandbox/snapshots/changed/restore", {});
    const token = await client.exchange("sk_sandbox_northwind_owner");
    const replays = [
      await client.order({ key, body, token }),
      await client.virtual({ key, body, token }),
      await client.replace(ids[0], { key, token }),
    ];
    expect(replays.map((reply) => reply?.text)).toEqual([first?.text, virtual?.text, replaced?.text]);
  });

  test("stored: a card from before the dialect is shown as it is now", async () => {
    const client = await openWith({ "replay.body": "stored" });
    const { id } = cardOf((await client.order({ key })) as Reply);
    client.database.run("UPDATE cards SET first_response = NULL");
    await client.send("POST", `/developer/cards/${id}/freeze`);
    expect((await client.order({ key }))?.json.status).toBe("frozen");
  });
});

describe("without a dialect", () => {
  test("nothing more is stored than the card", async () => {
    const client = await openClient({ facts: { quotaReached: true } });
    await client.order({ key });
    client.force.facts = {};
    await client.order({ key });
    await client.virtual({ key });
    expect(client.database.all("SELECT * FROM stored_refusals")).toEqual([]);
    const stored = client.database.all(
      "SELECT first_response, order_digest IS NULL AS isPlain FROM cards WHERE idempotency_key IS NOT NULL",
    );
    expect(stored).toEqual([
      { first_response: null, isPlain: 0 },
      { first_response: null, isPlain: 1 },
    ]);
  });
});
