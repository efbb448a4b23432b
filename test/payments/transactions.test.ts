import { describe, expect, test } from "vitest";
import { openMoney } from "../support/open-money.ts";

/** Six transactions, a minute apart: topup, fee, cleared payment, its refund, pending payment, declined payment. */
async function withTransactions() {
  const sandbox = await openMoney();
  const { simulator, pay, card, clockOfTest, account } = sandbox;
  const { id: eur } = account("northwind", "eur");
  const ids: string[] = [];
  const then = (id: string) => {
    ids.push(id);
    clockOfTest.advance(60_000);
    return id;
  };
  then(simulator.topUp({ account_id: eur, amount: "500.00" }).id);
  then(simulator.charge({ account_id: card.account_id, amount: "2.00" }).id);
  const paid = then(simulator.clear(pay("30.00").id).id);
  then(simulator.refund({ transaction_id: paid, amount: "10.00" }).id);
  then(pay("20.00").id);
  then(pay("10000.00").id);
  const numbers = async (query = "", options = {}) => {
    const reply = await sandbox.get(`/developer/transactions${query}`, options);
    if (reply.status !== 200) return reply.json.error.message;
    return reply.json.data.map(({ id }: { id: string }) => ids.indexOf(id) + 1).join(" ");
  };
  return { ...sandbox, ids, numbers, eur };
}

describe("GET /developer/transactions", () => {
  test("applies each filter alone and all together, without changing running balances", async () => {
    const { numbers, card, eur, get } = await withTransactions();
    expect(await numbers()).toBe("6 5 4 3 2 1");
    expect(await numbers(`?account_id=${eur}`)).toBe("1");
    expect(await numbers(`?card_id=${card.id}`)).toBe("6 5 4 3");
    expect(await numbers("?type=topup&type=fee")).toBe("2 1");
    expect(await numbers("?status=pending,declined")).toBe("6 5");
    expect(await numbers("?direction=credit")).toBe("4 1");
    expect(await numbers("?from=2026-03-10T09:31:00Z&to=2026-03-10T09:33:00Z")).toBe("3 2");
    expect(await numbers(`?from=${encodeURIComponent("2026-03-10T10:34:00+01:00")}`)).toBe("6 5");
    expect(await numbers("?min_amount=20&max_amount=30.00")).toBe("5 3");
    expect(await numbers(`?card_id=${card.id}&status=completed&direction=debit&min_amount=1`)).toBe("3");
    const { data } = (await get("/developer/transactions?direction=credit")).json;
    expect(data.map((each: { running_balance: string }) => each.running_balance)).toEqual([
      "249978.00",
      "80500.00",
    ]);
  });

  test("only completed transactions have a running balance, and each account has its own sequence", async () => {
    const { get } = await withTransactions();
    const { data } = (await get("/developer/transactions")).json;
    expect(data.map((each: Record<string, string>) => `${each.status} ${each.running_balance}`)).toEqual([
      "declined null",
      "pending null",
      "completed 249978.00",
      "completed 249968.00",
      "completed 249998.00",
      "completed 80500.00",
    ]);
  });

  test("returns every transaction once, with the filters of the cursor", async () => {
    const { numbers, get } = await withTransactions();
    const first = (await get("/developer/transactions?limit=4&direction=debit")).json;
    expect([first.data.length, first.has_more]).toEqual([4, false]);
    const page = (await get("/developer/transactions?limit=2")).json;
    expect(await numbers(`?limit=2&cursor=${page.next_cursor}`)).toBe("4 3");
    expect(await numbers(`?limit=2&direction=debit&cursor=${page.next_cursor}`)).toContain("cursor: ");
  });

  test.each([
    ["?from=2026-03-10", "from: must be an ISO 8601 timestamp with a UTC offset"],
    ["?to=2026-03-10T09:30:00", "to: must be an ISO 8601 timestamp with a UTC offset"],
    ["?min_amount=-1", "min_amount: must be a decimal"],
    ["?max_amount=1.001", "max_amount: must be a decimal"],
    ["?status=lost", "status: "],
    ["?direction=credit&direction=debit", "direction: must be sent only once"],
    ["?account_id=gbp", "account_id: must be a UUID"],
    [
      "?account=gbp",
      'unknown parameter "account". Did you mean "account_id"? Allowed: account_id, card_id, type',
    ],
  ])("returns 400: %s", async (query, message) => {
    const { numbers } = await withTransactions();
    expect(await numbers(query)).toContain(message);
  });

  test("shows an employee the transactions of its own cards, in the list and individually", async () => {
    const { numbers, get, ids, database, card } = await withTransactions();
    const apiKey = "sk_sandbox_northwind_employee";
    expect(await numbers("", { apiKey })).toBe("");
    expect((await get(`/developer/transactions/${ids[2]}`, { apiKey })).point).toBe("transactions.not_found");
    database.run(
      "UPDATE cards SET member_pk = (SELECT pk FROM members WHERE slug = 'northwind-employee') WHERE id = ?",
      card.id,
    );
    expect(await numbers("", { apiKey })).toBe("6 5 4 3");
    expect((await get(`/developer/transactions/${ids[2]}`, { apiKey })).point).toBe("transactions.shown");
    expect((await get(`/developer/transactions/${ids[0]}`, { apiKey })).point).toBe("transactions.not_found");
    expect(await numbers("", { apiKey: "sk_sandbox_northwind_admin" })).toBe("6 5 4 3 2 1");
  });

  test("hides transactions of another company, and requires the entitlement", async () => {
    const { numbers, get, ids, force } = await withTransactions();
    const apiKey = "sk_sandbox_halfway_owner";
    expect(await numbers("", { apiKey })).toBe("");
    const reply = await get(`/developer/transactions/${ids[0]}`, { apiKey });
    expect([reply.status, reply.json.error.code]).toEqual([404, "not_found"]);
    force.facts = { entitled: false };
    expect((await get("/developer/transactions")).point).toBe("access.not_entitled");
  });
});
