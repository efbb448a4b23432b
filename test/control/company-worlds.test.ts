import { describe, expect, test } from "vitest";
import { openCompanies } from "../support/open-companies.ts";

describe("resetting a company restores its own beginning", () => {
  test("after a reset that restarts the company numbers, and a snapshot from before it", async () => {
    const sandbox = openCompanies();
    await sandbox.make({ slug: "aaa", card_quota: 7 });
    sandbox.snapshot("s");
    sandbox.reset();
    await sandbox.make({ slug: "bbb", card_quota: 3 });
    sandbox.restore("s");
    await sandbox.send("PATCH", "companies/aaa", { card_quota: 1 });
    expect((await sandbox.send("POST", "reset", { company: "aaa" })).status).toBe(200);
    expect(sandbox.company("aaa").card_quota).toBe(7);
  });

  test("after its deletion and the creation of another company", async () => {
    const sandbox = openCompanies();
    await sandbox.make({ slug: "aaa", card_quota: 7 });
    sandbox.snapshot("s");
    await sandbox.request("/_sandbox/companies/aaa", { method: "DELETE" });
    await sandbox.make({ slug: "bbb", card_quota: 3 });
    sandbox.restore("s");
    sandbox.reset("aaa");
    expect(sandbox.company("aaa").card_quota).toBe(7);
  });

  test("without members of other companies that were deleted", async () => {
    const sandbox = openCompanies();
    await sandbox.request("/_sandbox/companies/northwind", { method: "DELETE" });
    await sandbox.make();
    expect((await sandbox.send("POST", "reset", { company: "fullhouse" })).status).toBe(200);
    expect(sandbox.company("fullhouse").members.map(({ slug }) => slug)).toEqual(["fullhouse-owner"]);
    expect(sandbox.database.all("PRAGMA foreign_key_check")).toEqual([]);
    expect(() => sandbox.database.run("UPDATE api_keys SET company_pk = 99")).toThrow(/FOREIGN KEY/);
  });
});

describe("an order in progress during a reset", () => {
  /** Sends the head of an order, and its body when the test says so. */
  const beginOrder = async (sandbox: ReturnType<typeof openCompanies>, apiKey: string) => {
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const token = await sandbox.exchange(apiKey);
    const reply = sandbox.request("/developer/cards/physical", {
      method: "POST",
      body: body.readable,
      duplex: "half",
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        "Idempotency-Key": "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30",
      },
    } as RequestInit);
    const send = async (order: object) => {
      const writer = body.writable.getWriter();
      await writer.write(new TextEncoder().encode(JSON.stringify(order)));
      await writer.close();
      return reply;
    };
    return send;
  };

  test.each(["reset", "deleted", "replaced"])("creates no card if its company was %s", async (how) => {
    const sandbox = openCompanies();
    const company = await sandbox.make({ slug: "aaa" });
    const send = await beginOrder(sandbox, company.members[0]?.api_keys[0]?.secret ?? "");
    let accountId = company.accounts[0]?.id;
    if (how === "reset") sandbox.reset("aaa");
    else await sandbox.request("/_sandbox/companies/aaa", { method: "DELETE" });
    if (how === "replaced") accountId = (await sandbox.make({ slug: "bbb" })).accounts[0]?.id;
    const reply = await send(sandbox.orderBody({ account_id: accountId }));
    // Its token went with the world that issued it.
    expect([reply.status, reply.point]).toEqual([401, "auth.token_invalid"]);
    expect(sandbox.world().companies.map(({ live_cards }) => live_cards)).toEqual(
      sandbox.world().companies.map(({ slug }) => (slug === "fullhouse" ? 2 : 0)),
    );
  });

  test("creates its card if another company was reset", async () => {
    const sandbox = openCompanies();
    const [mine, theirs] = [await sandbox.make(), await sandbox.make()];
    const send = await beginOrder(sandbox, mine.members[0]?.api_keys[0]?.secret ?? "");
    sandbox.reset(theirs.slug);
    await sandbox.request(`/_sandbox/companies/${theirs.slug}`, { method: "DELETE" });
    expect((await send(sandbox.orderBody({ account_id: mine.accounts[0]?.id }))).status).toBe(201);
  });
});
