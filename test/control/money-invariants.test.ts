import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { expect, test } from "vitest";
import type { Account } from "../../src/contract/account.ts";
import type { Card } from "../../src/contract/card.ts";
import type { Transaction } from "../../src/contract/transaction.ts";
import { ControlError } from "../../src/control/errors.ts";
import { formatMinor } from "../../src/rules/money.ts";
import { cardOf, openSandbox } from "../support/open-sandbox.ts";

/** Balances so small that funds run out. */
const world = {
  companies: [
    {
      slug: "northwind",
      name: "Northwind Traders Ltd",
      country_code: "GB",
      accounts: [
        { slug: "gbp", name: "Pounds", currency: "GBP", balance: "300.00" },
        { slug: "eur", name: "Euros", currency: "EUR", balance: "200.00" },
        { slug: "usd", name: "Dollars", currency: "USD", balance: "150.00" },
      ],
      members: [
        {
          slug: "owner",
          name: "Olivia Hartley",
          role: "owner",
          api_keys: [{ secret: "sk_sandbox_northwind_owner" }],
        },
      ],
    },
  ],
};

const amountMinor = fc.integer({ min: 1, max: 15_000 });
/** Which of what is there, and how many halves of a unit of it; null: all that is left. */
const which = fc.nat(1000);
const share = fc.option(fc.integer({ min: 1, max: 150 }));
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("authorise"), which, amountMinor, currency: which }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("clear"), which, share, final: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("reverse"), which, share }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("expire"), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("refund"), which, share }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("topup"), which, amountMinor }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("fee"), which, amountMinor }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("advance"), hours: fc.integer({ min: 1, max: 400 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const currencies = ["GBP", "EUR", "USD", "HUF"];
const minorOf = (decimal: string) => Math.round(Number(decimal) * 100);
/** Converts an amount at a rate, rounded half up, in exact arithmetic. */
function worthMinor(minor: number, rate: string | null): number {
  const [whole = "", places = ""] = (rate ?? "1").split(".");
  const unit = 10n ** BigInt(places.length);
  return Number((2n * BigInt(minor) * BigInt(whole + places) + unit) / (2n * unit));
}
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

/** A sandbox with two cards, one of them topped up by exchange, and what happened to each payment. */
async function openHistory() {
  const sandbox = openSandbox({ world });
  const token = await sandbox.exchange("sk_sandbox_northwind_owner");
  const cards: Card[] = [];
  for (const [slug, period] of [
    ["gbp", "weekly"],
    ["eur", "monthly"],
  ] as const) {
    const body = {
      account_id: sandbox.account("northwind", slug).id,
      auto_convert: slug === "gbp",
      spending_limit: { period, amount: "400.00" },
    };
    cards.push(cardOf(await sandbox.order({ token, body })));
  }
  const { accounts } = sandbox.company("northwind");
  /** What each authorisation still holds, in the minor units of its merchant. */
  const held = new Map<string, number>();
  const payments: string[] = [];
  /** Of each payment in another currency. */
  const rates = new Map<string, string | null>();
  const listed = async <Row>(path: string): Promise<Row[]> => {
    const rows: Row[] = [];
    const token = await sandbox.exchange("sk_sandbox_northwind_owner");
    for (let cursor = ""; ; ) {
      const { json } = await sandbox.get(`/developer/${path}?limit=100${cursor}`, { token });
      rows.push(...json.data);
      if (!json.has_more) return rows;
      cursor = `&cursor=${json.next_cursor}`;
    }
  };
  return { ...sandbox, cards, accounts, held, payments, rates, listed };
}

type History = Awaited<ReturnType<typeof openHistory>>;

/** Does one step; whether it is refused has to be as what is still held says. */
async function play(
  { control, cards, accounts, held, payments, rates, clock }: History,
  step: Step,
): Promise<void> {
  const { simulator } = control;
  if (step.do === "advance") {
    await clock.advance({ by: `PT${step.hours}H` });
    return;
  }
  const account_id = accounts[step.which % accounts.length]?.id ?? "";
  if (step.do === "topup") return void simulator.topUp({ account_id, amount: formatMinor(step.amountMinor) });
  if (step.do === "fee") return void simulator.charge({ account_id, amount: formatMinor(step.amountMinor) });
  if (step.do === "authorise") {
    const currency = currencies[step.currency % currencies.length];
    const asked = (step.amountMinor + 100) * (currency === "HUF" ? 400 : 1);
    const payment = simulator.authorise({
      card_id: cards[step.which % cards.length]?.id ?? "",
      amount: formatMinor(asked),
      currency,
    });
    payments.push(payment.id);
    rates.set(payment.id, payment.exchange_rate);
    if (payment.status === "pending") held.set(payment.id, asked);
    return;
  }
  const id = payments[step.which % payments.length];
  if (id === undefined) return;
  const leftMinor = held.get(id);
  const asked = "share" in step && step.share !== null ? Math.max(1, step.share * 50) : undefined;
  const amount = asked === undefined ? {} : { amount: formatMinor(asked) };
  const isWorth = (minor: number) => worthMinor(minor, rates.get(id) ?? null) > 0;
  try {
    if (step.do === "refund") return void simulator.refund({ transaction_id: id, ...amount });
    if (step.do === "clear") simulator.clear(id, { ...amount, final: step.final });
    if (step.do === "reverse") simulator.reverse(id, amount);
    if (step.do === "expire") simulator.expire(id);
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    if (error.status === 400) {
      // It converts to 0.00, which is not booked; for a refund without an amount, the rest of the payment does.
      expect(step.do === "refund" || step.do === "clear").toBe(true);
      if (asked !== undefined) expect(isWorth(asked)).toBe(false);
      return;
    }
    expect(error.status).toBe(409);
    // Refused because it holds nothing, or less than is to be reversed: nothing changed.
    if (step.do !== "refund") expect(leftMinor === undefined || (asked ?? 0) > leftMinor).toBe(true);
    return;
  }
  expect(leftMinor).toBeDefined();
  const isPart = asked !== undefined && isWorth((leftMinor ?? 0) - asked);
  if (isPart && !(step.do === "clear" && step.final)) held.set(id, (leftMinor ?? 0) - asked);
  else held.delete(id);
}

/** What holds of a history, by what the service itself shows. */
async function expectConsistent({ database, cards, accounts, held, listed, clock }: History): Promise<void> {
  const transactions = await listed<Transaction>("transactions");
  const byId = new Map(transactions.map((each) => [each.id, each]));
  const bookings = new Map(
    database
      .all<{ id: string; booking: number }>("SELECT id, booking FROM transactions")
      .map((row) => [row.id, row.booking]),
  );
  const amounts = (rows: readonly Transaction[]) => sum(rows.map(({ amount }) => minorOf(amount)));

  for (const { status, amount, original_amount, exchange_rate } of transactions) {
    expect(minorOf(amount)).toBe(worthMinor(minorOf(original_amount), exchange_rate));
    if (status === "completed") expect(minorOf(amount)).toBeGreaterThan(0);
  }

  for (const account of await listed<Account>("accounts")) {
    const own = transactions.filter(({ account_id }) => account_id === account.id);
    const openingMinor = minorOf(accounts.find(({ id }) => id === account.id)?.balance ?? "");
    const booked = own
      .filter(({ status }) => status === "completed")
      .toSorted((a, b) => (bookings.get(a.id) ?? 0) - (bookings.get(b.id) ?? 0));
    let balanceMinor = openingMinor;
    for (const { direction, amount, running_balance } of booked) {
      balanceMinor += direction === "credit" ? minorOf(amount) : -minorOf(amount);
      expect(running_balance).toBe(formatMinor(balanceMinor));
    }
    expect(account.balance).toBe(formatMinor(balanceMinor));
    const heldMinor = amounts(own.filter(({ status }) => status === "pending"));
    expect(account.available_balance).toBe(formatMinor(balanceMinor - heldMinor));
    expect(own.every((each) => (each.running_balance === null) === (each.status !== "completed"))).toBe(true);
    const instants = booked.map(({ completed_at }) => completed_at);
    expect(instants).toEqual(instants.toSorted());
  }

  const pending = transactions.filter(({ status }) => status === "pending");
  expect(new Map(pending.map(({ id, original_amount }) => [id, minorOf(original_amount)]))).toEqual(held);

  for (const refund of transactions.filter(({ type }) => type === "card_refund")) {
    const payment = byId.get(refund.related_transaction_id ?? refund.id);
    const all = transactions.filter(
      (each) => each.type === "card_refund" && each.related_transaction_id === payment?.id,
    );
    const backMinor = sum(all.map((each) => minorOf(each.original_amount)));
    expect(backMinor).toBeLessThanOrEqual(minorOf(payment?.original_amount ?? ""));
  }

  const now = Temporal.Instant.from(clock.read().now).toZonedDateTimeISO("Europe/London");
  const startOf = { weekly: now.subtract({ days: now.dayOfWeek - 1 }), monthly: now.with({ day: 1 }) };
  for (const card of await listed<Card>("cards")) {
    expect(cards.map(({ id }) => id)).toContain(card.id);
    const period = card.spending_limit?.period === "weekly" ? "weekly" : "monthly";
    const startMs = startOf[period].startOfDay().epochMilliseconds;
    const spent = transactions
      .filter(
        ({ card_id, status }) => card_id === card.id && (status === "pending" || status === "completed"),
      )
      .map((each) => {
        const isRefund = each.type === "card_refund";
        const payment = isRefund ? byId.get(each.related_transaction_id ?? each.id) : each;
        const authorised = byId.get(payment?.related_transaction_id ?? payment?.id ?? each.id);
        return { at: authorised?.created_at ?? "", minor: (isRefund ? -1 : 1) * minorOf(each.amount) };
      });
    const usedMinor = sum(spent.filter(({ at }) => Date.parse(at) >= startMs).map(({ minor }) => minor));
    expect(card.spending_limit?.used).toBe(formatMinor(Math.max(0, usedMinor)));
    for (const limit of ["daily", "rolling_32_days"] as const) {
      expect(card.card_limits[limit].used).toMatch(/^[0-9]+\.[0-9]{2}$/);
    }
  }
}

test("balances, holds, running balances and used limits agree after any history", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const history = await openHistory();
      for (const each of steps) {
        await play(history, each);
        const below = "SELECT pk FROM accounts WHERE held_minor < 0";
        expect(history.database.all(below)).toEqual([]);
      }
      await expectConsistent(history);
    }),
    { numRuns: 120 },
  );
}, 60_000);

test("parts of a payment in another currency differ from the whole only by rounding", async () => {
  const parts = fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      parts,
      parts,
      fc.constantFrom("PLN", "HUF", "CZK"),
      async (clears, refunds, currency) => {
        const { control, cards, listed } = await openHistory();
        const { simulator } = control;
        const wholeMinor = 40_000;
        const card_id = cards[0]?.id ?? "";
        const paid = simulator.authorise({ card_id, amount: formatMinor(wholeMinor), currency });
        expect(paid.status).toBe("pending");
        // Each amount is off by half a minor unit at most, and so is the whole.
        const expectNear = (all: readonly Transaction[], wholeMinor: number) => {
          const differsBy = sum(all.map(({ amount }) => minorOf(amount))) - wholeMinor;
          expect(Math.abs(differsBy)).toBeLessThanOrEqual((all.length + 1) / 2);
        };
        const inParts = (
          wholeMinor: number,
          parts: readonly number[],
          take: (part?: number) => Transaction,
        ) => {
          const taken: Transaction[] = [];
          let leftMinor = wholeMinor;
          for (const minor of parts) {
            const leavesMinor = leftMinor - minor;
            if (leavesMinor <= 0) break;
            if ([minor, leavesMinor].some((each) => worthMinor(each, paid.exchange_rate) === 0)) continue;
            taken.push(take(minor));
            leftMinor = leavesMinor;
          }
          return [...taken, take()];
        };
        const amountOf = (minor?: number) => (minor === undefined ? {} : { amount: formatMinor(minor) });
        const taken = inParts(wholeMinor, clears, (minor) => simulator.clear(paid.id, amountOf(minor)));
        expectNear(taken, minorOf(paid.amount));
        for (const { id, original_amount, amount } of taken) {
          const back = inParts(minorOf(original_amount), refunds, (minor) =>
            simulator.refund({ transaction_id: id, ...amountOf(minor) }),
          );
          expectNear(back, minorOf(amount));
        }
        for (const { amount, original_amount, exchange_rate } of await listed<Transaction>("transactions")) {
          expect(minorOf(amount)).toBe(worthMinor(minorOf(original_amount), exchange_rate));
        }
        const card = (await listed<Card>("cards")).find(({ id }) => id === card_id);
        expect(minorOf(card?.spending_limit?.used ?? "")).toBeLessThanOrEqual(25);
        expect(minorOf(card?.card_limits.daily.used ?? "")).toBeLessThanOrEqual(25);
      },
    ),
    { numRuns: 60 },
  );
});
