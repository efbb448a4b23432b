import { describe, expect, test } from "vitest";
import { openMoney } from "../support/open-money.ts";
import { openSandbox } from "../support/open-sandbox.ts";
import { openWebhooks } from "../support/open-webhooks.ts";

describe("the amounts of a transaction", () => {
  test.each([
    ["positive", "3.00", "3.00"],
    ["negative", "-3.00", "3.00"],
  ] as const)("are %s for a debit", async (use, debit, credit) => {
    const { pay, shown, simulator } = await openMoney({ choices: { "transactions.debit_sign": use } });
    const payment = pay("3.00");
    expect(await shown(payment.id)).toMatchObject({ amount: debit, original_amount: debit });
    simulator.clear(payment.id, {});
    expect(await shown(simulator.refund({ transaction_id: payment.id }).id)).toMatchObject({
      amount: credit,
    });
  });

  test.each([
    ["decimal", "-2.15", "-2.50", "249997.85"],
    ["number", -2.15, -2.5, 249_997.85],
    [
      "object",
      { value: -215, currency: "gbp" },
      { value: -250, currency: "eur" },
      { value: 24_999_785, currency: "gbp" },
    ],
  ] as const)("have the form of the others: %s", async (use, amount, original_amount, settled_balance) => {
    const { pay, shown, simulator } = await openMoney({
      choices: {
        "responses.amounts": use,
        "responses.currency_case": "lower",
        "transactions.debit_sign": "negative",
        "transactions.running_balance": "settled_balance",
      },
    });
    const payment = pay("2.50", { currency: "EUR" });
    expect(await shown(payment.id)).toMatchObject({ settled_balance: null });
    simulator.clear(payment.id, {});
    const completed = await shown(payment.id);
    expect(completed).toMatchObject({ amount, original_amount, settled_balance, currency: "gbp" });
  });

  test.each([
    ["running_balance", "settled_balance"],
    ["settled_balance", "running_balance"],
  ] as const)("have the balance in the field %s", async (use, other) => {
    const sandbox = openSandbox({ choices: { "transactions.running_balance": use } });
    const { id } = sandbox.account("northwind");
    const { json } = await sandbox.get(
      `/developer/transactions/${sandbox.control.simulator.topUp({ account_id: id, amount: "1.00" }).id}`,
    );
    expect([json[use], json[other]]).toEqual(["250001.00", undefined]);
  });
});

describe("converted amounts are rounded", () => {
  // By the rate 0.86, these are 0.645 and 0.215 GBP.
  test.each([
    ["half_up", "0.65", "0.22"],
    ["half_even", "0.64", "0.22"],
    ["down", "0.64", "0.21"],
  ] as const)("%s", async (use, first, second) => {
    const { pay, shown, simulator } = await openMoney({ choices: { "money.rounding": use } });
    const payment = pay("0.75", { currency: "EUR" });
    expect((await shown(payment.id)).amount).toBe(first);
    const cleared = simulator.clear(payment.id, { amount: "0.25", final: true });
    expect((await shown(cleared.id)).amount).toBe(second);
  });

  test.each([
    ["half_up", "2.30"],
    ["half_even", "2.30"],
    ["down", "4.60"],
  ] as const)("%s, and the least amount is named", async (use, least) => {
    const { pay } = await openMoney({ choices: { "money.rounding": use } });
    expect(() => pay("0.01", { currency: "HUF" })).toThrow(`Use at least ${least} HUF.`);
    expect(pay(least, { currency: "HUF" }).amount).toBe("0.01");
  });
});

describe("empty fields", () => {
  test.each([
    ["null", true],
    ["omitted", false],
  ] as const)("are %s, except in cards", async (use, isShown) => {
    const { control, get, order } = openSandbox({ choices: { "responses.null_fields": use } });
    const { id } = control.invoices.create({ company: "northwind" });
    expect("paid_at" in (await get(`/developer/company/invoices/${id}`)).json).toBe(isShown);
    const [listed] = (await get("/developer/company/invoices")).json.data;
    expect("paid_at" in listed).toBe(isShown);
    expect((await order()).json.spending_limit).toBeNull();
  });
});

describe("events", () => {
  test("show objects as responses do", async () => {
    const choices = {
      "responses.timestamps": "seconds",
      "responses.amounts": "number",
      "responses.extra_fields": "metadata",
      "responses.null_fields": "omitted",
      "responses.single_object": "named",
    } as const;
    const { received, control, account, settled, call, path } = await openWebhooks({
      choices,
      events: ["transaction.created", "card.created"],
    });
    const made = control.simulator.topUp({ account_id: account("northwind").id, amount: "1.50" });
    await settled();
    const { transaction } = (await call("GET", `/developer/transactions/${made.id}`)).json;
    expect(received.map(({ json }) => json)).toEqual([
      { type: "transaction.created", timestamp: "2026-03-10T09:30:00Z", data: transaction },
    ]);
    expect(transaction).toMatchObject({ amount: 1.5, metadata: {}, created_at: "2026-03-10T09:30:00Z" });
    const [delivery] = (await call("GET", `${path}/deliveries`)).json.data;
    expect(delivery).toMatchObject({ payload: received[0]?.json, metadata: {} });
    expect("next_attempt_at" in delivery).toBe(false);
  });
});
