import { describe, expect, test } from "vitest";
import { openMoney } from "../support/open-money.ts";

const nobody = "7f9c24e8-3b12-4c6e-9d7a-1f5e8b2a6c30";

describe("POST /_sandbox/simulate/authorisations", () => {
  test("holds the amount and lists the pending payment", async () => {
    const { post, card, balances, shown } = await openMoney();
    const reply = await post("/_sandbox/simulate/authorisations", {
      card_id: card.id,
      amount: "25.50",
      merchant: "Book Shop",
      mcc: "5942",
      channel: "online",
    });
    expect([reply.status, reply.json]).toEqual([
      201,
      {
        id: expect.any(String),
        account_id: card.account_id,
        card_id: card.id,
        type: "card_payment",
        status: "pending",
        direction: "debit",
        amount: "25.50",
        currency: "GBP",
        original_amount: "25.50",
        original_currency: "GBP",
        exchange_rate: null,
        running_balance: null,
        merchant: { name: "Book Shop", mcc: "5942", city: "London", country: "GB" },
        decline_reason: null,
        related_transaction_id: null,
        created_at: "2026-03-10T09:30:00.000Z",
        completed_at: null,
      },
    ]);
    expect(await shown(reply.json.id)).toEqual(reply.json);
    expect(await balances()).toBe("250000.00 249974.50");
  });

  test("in another currency, holds the amount converted at a fixed rate", async () => {
    const { pay } = await openMoney();
    expect(pay("109.00", { currency: "USD", channel: "atm" })).toMatchObject({
      type: "atm",
      amount: "86.00",
      currency: "GBP",
      original_amount: "109.00",
      original_currency: "USD",
      exchange_rate: "0.7889908257",
      merchant: { name: "Cash machine", mcc: "6011" },
    });
  });

  test.each([
    ["inactive", "card_not_active"],
    ["frozen", "card_frozen"],
    ["suspended", "card_suspended"],
    ["locked", "card_locked"],
    ["blocked", "card_blocked"],
    ["expired", "card_expired"],
    ["terminated", "card_terminated"],
  ])("by a card that is %s is declined: %s", async (status, reason) => {
    const { pay, setStatus, balances } = await openMoney();
    setStatus(status);
    expect(pay("1.00")).toMatchObject({ status: "declined", decline_reason: reason, running_balance: null });
    expect(await balances()).toBe("250000.00 250000.00");
  });

  test("is declined for an expired card, from midnight in London on", async () => {
    const { pay, clock } = await openMoney({ now: "2026-05-10T09:30:00Z" });
    clock.change({ now: "2031-05-31T22:59:59.999Z" });
    expect(pay("1.00").status).toBe("pending");
    clock.change({ now: "2031-05-31T23:00:00Z" });
    expect(pay("1.00").decline_reason).toBe("card_expired");
  });

  test("is declined for a suspended company or a closed account", async () => {
    const { pay, control, card } = await openMoney();
    control.companies.changeAccount(card.account_id, { status: "closed" });
    expect(pay("1.00").decline_reason).toBe("account_closed");
    control.companies.change("northwind", { status: "suspended" });
    expect(pay("1.00").decline_reason).toBe("company_not_active");
  });

  test("over the card's limit for one purchase is declined; the limit is in EUR", async () => {
    const { pay } = await openMoney();
    expect(pay("10000.00", { currency: "EUR" }).status).toBe("pending");
    const other = await openMoney();
    expect(other.pay("10000.01", { currency: "EUR" }).decline_reason).toBe("card_limit_exceeded");
    expect(other.pay("8600.00").status).toBe("pending");
  });

  test("over the day's limit is declined until the next day in London", async () => {
    const { pay, clock } = await openMoney({ now: "2026-06-10T09:30:00Z" });
    pay("9999.00", { currency: "EUR" });
    expect(pay("1.01", { currency: "EUR" }).decline_reason).toBe("card_limit_exceeded");
    expect(pay("1.00", { currency: "EUR" }).status).toBe("pending");
    clock.change({ now: "2026-06-10T22:59:59.999Z" });
    expect(pay("1.00").decline_reason).toBe("card_limit_exceeded");
    clock.change({ now: "2026-06-10T23:00:00Z" });
    expect(pay("1.00").status).toBe("pending");
  });

  test("over the limit of 32 days is declined until the first of them leaves the window", async () => {
    const { pay, clock } = await openMoney({ now: "2026-02-01T12:00:00Z" });
    for (let n = 0; n < 5; n++) {
      expect(pay("10000.00", { currency: "EUR" }).status).toBe("pending");
      clock.change({ now: `2026-02-0${n + 2}T12:00:00Z` });
    }
    clock.change({ now: "2026-03-04T23:59:59Z" });
    expect(pay("1.00").decline_reason).toBe("card_limit_exceeded");
    clock.change({ now: "2026-03-05T00:00:00Z" });
    expect(pay("1.00").status).toBe("pending");
  });

  test("over the spending limit is declined; a declined payment uses nothing of it", async () => {
    const { pay, used } = await openMoney({ body: { spending_limit: { period: "weekly", amount: "100" } } });
    expect(pay("60.00").status).toBe("pending");
    expect(pay("40.01").decline_reason).toBe("spending_limit_exceeded");
    expect(await used()).toBe("60.00 69.77 69.77");
    expect(pay("40.00").status).toBe("pending");
  });

  test("over the available balance is declined, even if the balance is enough", async () => {
    const { pay, simulator, balances, card } = await openMoney();
    simulator.charge({ account_id: card.account_id, amount: "249900.00" });
    pay("60.00");
    expect(pay("40.01").decline_reason).toBe("insufficient_funds");
    expect(pay("40.00").status).toBe("pending");
    expect(await balances()).toBe("100.00 0.00");
  });

  test("with auto_convert, takes the money from the oldest account that has enough", async () => {
    const { pay, simulator, balances, card, get, account } = await openMoney({
      body: { auto_convert: true },
    });
    simulator.charge({ account_id: card.account_id, amount: "249900.00" });
    const payment = pay("186.00");
    expect(payment.status).toBe("pending");
    expect(await balances()).toBe("186.00 0.00");
    expect(await balances(account("northwind", "eur").id)).toBe("79900.00 79900.00");
    const { data } = (await get("/developer/transactions?type=exchange")).json;
    expect(data).toMatchObject([
      { direction: "credit", amount: "86.00", currency: "GBP", running_balance: "186.00" },
      { direction: "debit", amount: "100.00", currency: "EUR", running_balance: "79900.00" },
    ]);
    expect([data[0].related_transaction_id, data[0].exchange_rate]).toEqual([data[1].id, "0.8600000000"]);
    const { related_transaction_id, original_amount, exchange_rate } = data[1];
    expect([related_transaction_id, original_amount, exchange_rate]).toEqual([data[0].id, "100.00", null]);
  });

  test("with auto_convert, is declined if no account has enough, and converts nothing", async () => {
    const { pay, simulator, card, account, get } = await openMoney({ body: { auto_convert: true } });
    for (const slug of ["gbp", "eur", "usd"]) {
      const { id, balance } = account("northwind", slug);
      simulator.charge({ account_id: id, amount: balance });
    }
    expect(card.auto_convert).toBe(true);
    expect(pay("1.00").decline_reason).toBe("insufficient_funds");
    expect((await get("/developer/transactions?type=exchange")).json.data).toEqual([]);
  });

  test.each([
    [{ card_id: nobody, amount: "1" }, 404, `card_id: no card has the id "${nobody}"`],
    [{ card_id: "x", amount: "1" }, 400, "card_id: must be a UUID"],
    [{ amount: "0.00" }, 400, "amount: must be greater than 0"],
    [{ amount: "1.001" }, 400, "amount: must be a decimal"],
    [{ amount: -1 }, 400, "amount: must be a decimal"],
    [{ amount: "10000000000000" }, 400, "amount: must be at most 9999999999999.99"],
    [{ amount: 1e13 }, 400, "amount: must be at most 9999999999999.99"],
    [{ amount: "9".repeat(60_000) }, 400, "amount: must be at most 9999999999999.99"],
    [{}, 400, "amount: is required"],
    [
      { amount: 1, currency: "JPY" },
      400,
      "currency: the sandbox has no exchange rate for JPY. Supported: AED",
    ],
    [
      { amount: "0.01", currency: "HUF" },
      400,
      "amount: 0.01 HUF converts to 0.00 GBP. Use at least 2.30 HUF.",
    ],
    [{ amount: 1, chanel: "atm" }, 400, "chanel"],
    [{ amount: 1, merchant: "x".repeat(201) }, 400, "merchant: must have at most 200 characters"],
    [
      { amount: 1, merchant: { city: "x".repeat(201) } },
      400,
      "merchant.city: must have at most 200 characters",
    ],
  ])("refuses $0 with $1: $2", async (body, status, message) => {
    const { post, card } = await openMoney();
    const reply = await post("/_sandbox/simulate/authorisations", { card_id: card.id, ...body });
    expect([reply.status, reply.json.error]).toEqual([status, expect.stringContaining(message)]);
  });
});

describe("an authorisation", () => {
  test("is completed when it is cleared as a whole, with the new balance", async () => {
    const { pay, post, balances, shown } = await openMoney();
    const { id } = pay("25.50");
    const reply = await post(`/_sandbox/simulate/authorisations/${id}/clear`, "");
    expect([reply.status, reply.json]).toMatchObject([
      200,
      { id, status: "completed", amount: "25.50", running_balance: "249974.50" },
    ]);
    expect(reply.json.completed_at).toBe("2026-03-10T09:30:00.000Z");
    expect(await shown(id)).toEqual(reply.json);
    expect(await balances()).toBe("249974.50 249974.50");
  });

  test("is cleared in parts, each its own transaction; the last completes it", async () => {
    const { pay, simulator, balances, shown } = await openMoney();
    const { id } = pay("100.00");
    const part = simulator.clear(id, { amount: "30" });
    expect(part).toMatchObject({ status: "completed", amount: "30.00", related_transaction_id: id });
    expect(await shown(id)).toMatchObject({ status: "pending", amount: "70.00", running_balance: null });
    expect(await balances()).toBe("249970.00 249900.00");
    simulator.clear(id, { amount: 20.5 });
    expect(simulator.clear(id)).toMatchObject({ id, status: "completed", amount: "49.50" });
    expect(await balances()).toBe("249900.00 249900.00");
  });

  test("can be cleared finally for less, or for more than it held", async () => {
    const { pay, simulator, balances } = await openMoney();
    expect(simulator.clear(pay("100.00").id, { amount: "80.00", final: true })).toMatchObject({
      status: "completed",
      amount: "80.00",
    });
    expect(await balances()).toBe("249920.00 249920.00");
    expect(simulator.clear(pay("100.00").id, { amount: "120.00" }).amount).toBe("120.00");
    expect(await balances()).toBe("249800.00 249800.00");
  });

  test("is reversed in part or as a whole, or expires", async () => {
    const { pay, simulator, balances } = await openMoney();
    const { id } = pay("100.00");
    expect(simulator.reverse(id, { amount: "30.00" })).toMatchObject({ status: "pending", amount: "70.00" });
    expect(await balances()).toBe("250000.00 249930.00");
    expect(simulator.reverse(id)).toMatchObject({ status: "reverted", amount: "70.00", completed_at: null });
    expect(simulator.expire(pay("5.00").id).status).toBe("reverted");
    expect(await balances()).toBe("250000.00 250000.00");
  });

  test("is not cleared by an amount that converts to 0.00, and stays unchanged", async () => {
    const { pay, post, shown, balances, get } = await openMoney();
    const { id, amount } = pay("100.00", { currency: "HUF" });
    expect(amount).toBe("0.22");
    for (const final of [false, true]) {
      const reply = await post(`/_sandbox/simulate/authorisations/${id}/clear`, { amount: "2.29", final });
      const error = "amount: 2.29 HUF converts to 0.00 GBP. Use at least 2.30 HUF.";
      expect([reply.status, reply.json]).toEqual([400, { error }]);
    }
    expect(await shown(id)).toMatchObject({ status: "pending", original_amount: "100.00", amount: "0.22" });
    expect(await balances()).toBe("250000.00 249999.78");
    expect((await get("/developer/transactions")).json.data).toHaveLength(1);
  });

  test("ends with the part whose rest converts to 0.00", async () => {
    const { pay, simulator, shown, balances } = await openMoney();
    const cleared = pay("100.00", { currency: "HUF" });
    expect(simulator.clear(cleared.id, { amount: "98.00" })).toMatchObject({
      id: cleared.id,
      status: "completed",
      original_amount: "98.00",
      amount: "0.21",
    });
    const reversed = pay("100.00", { currency: "HUF" });
    simulator.reverse(reversed.id, { amount: "98.00" });
    expect((await shown(reversed.id)).status).toBe("reverted");
    expect(await balances()).toBe("249999.79 249999.79");
  });

  test("that ended or was declined is neither cleared nor reversed", async () => {
    const { pay, post, simulator } = await openMoney();
    const cleared = pay("1.00").id;
    simulator.clear(cleared);
    const reversed = pay("1.00").id;
    simulator.reverse(reversed);
    const declined = pay("10000.00").id;
    for (const [id, status] of [
      [cleared, "completed"],
      [reversed, "reverted"],
      [declined, "declined"],
    ]) {
      for (const action of ["clear", "reverse", "expire"]) {
        const reply = await post(`/_sandbox/simulate/authorisations/${id}/${action}`, "");
        const error = `Transaction ${id} is ${status}. Only a pending payment can be cleared or reversed.`;
        expect([reply.status, reply.json]).toEqual([409, { error }]);
      }
    }
    const more = await post(`/_sandbox/simulate/authorisations/${pay("1.00").id}/reverse`, { amount: "2" });
    expect([more.status, more.json.error]).toEqual([
      409,
      "amount: the authorization holds only 1.00 GBP. Use a smaller amount.",
    ]);
    expect((await post(`/_sandbox/simulate/authorisations/${nobody}/clear`, "")).status).toBe(404);
    expect((await post("/_sandbox/simulate/authorisations/x/clear", "")).status).toBe(404);
  });
});

describe("POST /_sandbox/simulate/refunds", () => {
  test("refunds a payment repeatedly until nothing is left", async () => {
    const { pay, post, simulator, balances } = await openMoney();
    const { id } = simulator.clear(pay("100.00", { currency: "USD" }).id);
    const refund = (amount?: string) =>
      post("/_sandbox/simulate/refunds", { transaction_id: id, ...(amount && { amount }) });
    expect((await refund("40.00")).json).toMatchObject({
      type: "card_refund",
      status: "completed",
      direction: "credit",
      amount: "31.56",
      original_amount: "40.00",
      original_currency: "USD",
      related_transaction_id: id,
    });
    expect((await refund("60.01")).json.error).toBe(
      "amount: must be at most 60.00 USD, the part of the payment that is not refunded yet",
    );
    expect((await refund()).status).toBe(201);
    expect(await balances()).toBe("250000.00 250000.00");
    expect((await refund()).status).toBe(409);
  });

  test("of an amount that converts to 0.00 is refused, and the refundable rest stays", async () => {
    const { pay, post, simulator, balances } = await openMoney();
    const { id } = simulator.clear(pay("100.00", { currency: "HUF" }).id);
    const refund = (more: object) => post("/_sandbox/simulate/refunds", { transaction_id: id, ...more });
    const tooLittle = await refund({ amount: "1.00" });
    expect([tooLittle.status, tooLittle.json.error]).toEqual([
      400,
      "amount: 1.00 HUF converts to 0.00 GBP. Use at least 2.30 HUF.",
    ]);
    expect(await balances()).toBe("249999.78 249999.78");
    expect((await refund({ amount: "98.00" })).json.amount).toBe("0.21");
    expect((await refund({})).json.error).toBe(
      "amount: 2.00 HUF converts to 0.00 GBP. Use at least 2.30 HUF.",
    );
  });

  test("returns 409 for a payment that took nothing, 404 for an unknown one", async () => {
    const { pay, post } = await openMoney();
    const pending = await post("/_sandbox/simulate/refunds", { transaction_id: pay("1.00").id });
    expect([pending.status, pending.json.error]).toEqual([409, expect.stringContaining("is pending")]);
    expect((await post("/_sandbox/simulate/refunds", { transaction_id: nobody })).status).toBe(404);
    expect((await post("/_sandbox/simulate/refunds", {})).json.error).toContain(
      "transaction_id: is required",
    );
  });
});

describe("POST /_sandbox/simulate/topups and fees", () => {
  test("move money at once; a fee may make the balance negative", async () => {
    const { post, card, balances } = await openMoney();
    const { account_id } = card;
    const topup = await post("/_sandbox/simulate/topups", { account_id, amount: "0.50" });
    expect([topup.status, topup.json]).toMatchObject([
      201,
      {
        type: "topup",
        status: "completed",
        direction: "credit",
        running_balance: "250000.50",
        card_id: null,
      },
    ]);
    const fee = await post("/_sandbox/simulate/fees", { account_id, amount: "250001.00" });
    expect(fee.json).toMatchObject({ type: "fee", direction: "debit", running_balance: "-0.50" });
    expect(await balances()).toBe("-0.50 -0.50");
  });

  const greatest = "9999999999999.99";

  test("no balance exceeds the largest amount, above or below zero", async () => {
    const { post, card, balances } = await openMoney();
    const { account_id } = card;
    const topup = await post("/_sandbox/simulate/topups", { account_id, amount: greatest });
    expect([topup.status, topup.json.error]).toEqual([
      409,
      `amount: the account's balance would exceed ${greatest} GBP. Use a smaller amount.`,
    ]);
    expect(await balances()).toBe("250000.00 250000.00");
    expect((await post("/_sandbox/simulate/fees", { account_id, amount: greatest })).status).toBe(201);
    expect((await post("/_sandbox/simulate/fees", { account_id, amount: "250000.01" })).status).toBe(409);
    expect(await balances()).toBe("-9999999749999.99 -9999999749999.99");
  });

  test("the total spending of a card does not exceed the largest amount", async () => {
    const { post, card, pay, simulator, shown, balances, used } = await openMoney({
      body: { spending_limit: { period: "lifetime", amount: greatest } },
    });
    const [first, second] = [pay("1.00"), pay("1.00")];
    simulator.clear(first.id, { amount: "9999999999998.99" });
    expect((await used()).split(" ")[0]).toBe(greatest);
    simulator.topUp({ account_id: card.account_id, amount: greatest });
    const over = await post(`/_sandbox/simulate/authorisations/${second.id}/clear`, { amount: "1.01" });
    expect([over.status, over.json.error]).toEqual([
      409,
      `amount: the total spending of the card would exceed ${greatest} GBP. Use a smaller amount.`,
    ]);
    expect((await shown(second.id)).status).toBe("pending");
    expect(await balances()).toBe("250001.00 250000.00");
    expect(simulator.clear(second.id).amount).toBe("1.00");
  });

  test.each([
    ["topups", { account_id: nobody, amount: "1" }, 404],
    ["fees", { amount: "1" }, 400],
    ["topups", { amount: "0" }, 400],
  ])("%s with %j: %i", async (path, body, status) => {
    const { post } = await openMoney();
    expect((await post(`/_sandbox/simulate/${path}`, body)).status).toBe(status);
  });

  test("return 409 for a closed account", async () => {
    const { post, account } = await openMoney();
    const { id } = account("northwind", "closed");
    const reply = await post("/_sandbox/simulate/topups", { account_id: id, amount: "1" });
    expect([reply.status, reply.json.error]).toEqual([409, expect.stringContaining("is closed")]);
  });
});

test("a reset of everything or of the company, and its deletion, removes simulated transactions", async () => {
  for (const company of [undefined, "northwind"]) {
    const { pay, simulator, reset, account, get } = await openMoney();
    simulator.clear(pay("10.00").id);
    reset(company);
    expect(account("northwind").balance).toBe("250000.00");
    expect((await get("/developer/transactions")).json.data).toEqual([]);
  }
  const { pay, control, database } = await openMoney();
  pay("10.00");
  database.run("DELETE FROM cards WHERE company_pk <> (SELECT company_pk FROM transactions)");
  control.invoices.create({ company: "northwind" });
  control.companies.delete("northwind");
  expect(database.all("SELECT 1 FROM transactions UNION ALL SELECT 1 FROM invoices")).toEqual([]);
  expect(database.all("PRAGMA foreign_key_check")).toEqual([]);
});
