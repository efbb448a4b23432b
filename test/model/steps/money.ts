import fc from "fast-check";
import type { History } from "../history.ts";
import { declineReason, heldMinor } from "../limits.ts";
import { anyOf, pick, pickFitting, steps } from "../step.ts";
import { type Account, type Company, decimalOf, type Transaction } from "../world.ts";

const amounts = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(100, 1_000, 4_000, 4_050) },
  { weight: 1, arbitrary: fc.constantFrom(5_000, 9_999, 600_000, 1_000_000, 1_000_001) },
);

const every = <Value>(history: History, of: (company: Company) => readonly Value[]) =>
  history.world.companies.flatMap((company) => of(company).map((value) => ({ company, value })));

const paymentsOf = ({ transactions }: Company) => transactions.filter(({ type }) => type === "card_payment");

function accountOf(company: Company, id: string): Account {
  const account = company.accounts.find((each) => each.id === id);
  if (!account) throw new Error(`the model has no account ${id}`);
  return account;
}

/** A transaction in a response. */
export function transactionResponse(transaction: Transaction) {
  const { id, accountId, card, type, status, amountMinor, runningMinor, declineReason } = transaction;
  return {
    id,
    account_id: accountId,
    card_id: card?.id ?? null,
    type,
    status,
    amount: decimalOf(amountMinor),
    running_balance: runningMinor === null ? null : decimalOf(runningMinor),
    decline_reason: declineReason,
  };
}

/** Changes the balance of an account, and returns it. */
function changeBalance(account: Account, minor: number): number {
  account.balanceMinor += minor;
  return account.balanceMinor;
}

const simulate = "/_sandbox/simulate";

async function pay(history: History, { card: n, amount }: { card: number; amount: number }): Promise<void> {
  const cards = every(history, (company) => company.cards);
  const found = pickFitting(cards, n, ({ value }) => value.status === "active");
  if (!found) return;
  const { company, value: card } = found;
  const nowMs = history.nowMs(company);
  const reason = declineReason(company, card, accountOf(company, card.accountId), amount, nowMs);
  const payment: Transaction = {
    id: "",
    accountId: card.accountId,
    card,
    type: "card_payment",
    status: reason ? "declined" : "pending",
    amountMinor: amount,
    spentMs: nowMs,
    refundedMinor: 0,
    runningMinor: null,
    declineReason: reason ?? null,
  };
  const body = { card_id: card.id, amount: decimalOf(amount) };
  const { id: _, ...expected } = transactionResponse(payment);
  const { json } = await history.expectReply(
    { status: 201, body: expected },
    "POST",
    `${simulate}/authorisations`,
    {
      body,
    },
  );
  company.transactions.push({ ...payment, id: json.id });
}

/** A settlement of a payment; its amount in halves of the payment. */
const settlement = {
  payment: anyOf,
  how: fc.constantFrom("clear", "clear", "clear finally", "reverse", "expire"),
  halves: fc.constantFrom(undefined, undefined, 1, 2, 3),
};

async function settle(
  history: History,
  { payment: n, how, halves }: { payment: number; how: string; halves: number | undefined },
): Promise<void> {
  const found = pickFitting(every(history, paymentsOf), n, ({ value }) => value.status === "pending");
  if (!found) return;
  const { company, value: payment } = found;
  const verb = how.split(" ")[0] ?? "";
  const partMinor =
    halves === undefined || how === "expire" ? undefined : Math.ceil((payment.amountMinor * halves) / 2);
  const body = {
    ...(partMinor !== undefined && { amount: decimalOf(partMinor) }),
    ...(how === "clear finally" && { final: true }),
  };
  const path = `${simulate}/authorisations/${payment.id}/${verb}`;
  const isTooMuch = verb === "reverse" && (partMinor ?? 0) > payment.amountMinor;
  if (payment.status !== "pending" || isTooMuch) {
    await history.expectReply({ status: 409 }, "POST", path, { body });
    return;
  }
  const settled = settledBy(company, payment, how, partMinor ?? payment.amountMinor);
  const { id, ...expected } = transactionResponse(settled);
  const { json } = await history.expectReply({ status: 200, body: expected }, "POST", path, { body });
  if (settled === payment) history.checkEqual("the payment", json.id, id);
  else company.transactions.push({ ...settled, id: json.id });
}

/** The transaction of a settlement: the payment itself, or a new one for a part of it. */
function settledBy(company: Company, payment: Transaction, how: string, minor: number): Transaction {
  const account = accountOf(company, payment.accountId);
  const isPart = minor < payment.amountMinor;
  if (how === "expire" || how === "reverse") {
    if (isPart) payment.amountMinor -= minor;
    else payment.status = "reverted";
    return payment;
  }
  const runningMinor = changeBalance(account, -minor);
  if (isPart && how === "clear") {
    payment.amountMinor -= minor;
    return { ...payment, status: "completed", amountMinor: minor, runningMinor };
  }
  return Object.assign(payment, { status: "completed", amountMinor: minor, runningMinor });
}

async function refund(
  history: History,
  { payment: n, halves }: { payment: number; halves: number | undefined },
): Promise<void> {
  const found = pickFitting(every(history, paymentsOf), n, ({ value }) => value.status === "completed");
  if (!found) return;
  const { company, value: payment } = found;
  const leftMinor = payment.amountMinor - payment.refundedMinor;
  const partMinor = halves === undefined ? undefined : Math.ceil((payment.amountMinor * halves) / 2);
  const minor = partMinor ?? leftMinor;
  const body = {
    transaction_id: payment.id,
    ...(partMinor !== undefined && { amount: decimalOf(partMinor) }),
  };
  if (payment.status !== "completed" || minor > leftMinor || leftMinor === 0) {
    await history.expectReply({ status: 409 }, "POST", `${simulate}/refunds`, { body });
    return;
  }
  payment.refundedMinor += minor;
  const refund: Transaction = {
    ...payment,
    id: "",
    type: "card_refund",
    status: "completed",
    amountMinor: minor,
    refundedMinor: 0,
    runningMinor: changeBalance(accountOf(company, payment.accountId), minor),
  };
  const { id: _, ...expected } = transactionResponse(refund);
  const { json } = await history.expectReply({ status: 201, body: expected }, "POST", `${simulate}/refunds`, {
    body,
  });
  company.transactions.push({ ...refund, id: json.id });
}

async function topUp(history: History, { account: n }: { account: number }): Promise<void> {
  const found = pick(
    every(history, ({ accounts }) => accounts),
    n,
  );
  if (!found) return;
  const { company, value: account } = found;
  const body = { account_id: account.id, amount: "25.00" };
  if (account.status === "closed") {
    await history.expectReply({ status: 409 }, "POST", `${simulate}/topups`, { body });
    return;
  }
  const topup: Transaction = {
    id: "",
    accountId: account.id,
    card: undefined,
    type: "topup",
    status: "completed",
    amountMinor: 2_500,
    spentMs: history.nowMs(company),
    refundedMinor: 0,
    runningMinor: changeBalance(account, 2_500),
    declineReason: null,
  };
  const { id: _, ...expected } = transactionResponse(topup);
  const { json } = await history.expectReply({ status: 201, body: expected }, "POST", `${simulate}/topups`, {
    body,
  });
  company.transactions.push({ ...topup, id: json.id });
}

/** An account in a response. */
export const accountResponse = (company: Company, account: Account) => ({
  id: account.id,
  status: account.status === "closed" ? "closed" : "active",
  balance: decimalOf(account.balanceMinor),
  available_balance: decimalOf(account.balanceMinor - heldMinor(company, account)),
});

export const paySteps = steps("pay by card", { card: anyOf, amount: amounts }, pay);
export const settleSteps = steps("settle a payment", settlement, settle);
export const refundSteps = steps(
  "refund a payment",
  { payment: anyOf, halves: fc.constantFrom(undefined, undefined, 1, 2) },
  refund,
);
export const topUpSteps = steps("top an account up", { account: anyOf }, topUp);
