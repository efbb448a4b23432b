import { startOf } from "./calendar.ts";
import type { Account, Card, Company, Period } from "./world.ts";

/** The limits of every card in EUR cents; all accounts of the model are in EUR. */
export const caps = { purchase: 1_000_000, daily: 1_000_000, rolling: 5_000_000 };

/** Whether a spending limit is above the limit of the card (spec §2); a lifetime limit never is. */
export function isOverCap({ period, amountMinor }: { period: Period; amountMinor: number }): boolean {
  if (period === "lifetime") return false;
  return amountMinor > (period === "daily" ? caps.daily : caps.rolling);
}

/** A card with the cards that it replaces, whose usage counts for it too. */
function withReplaced(card: Card): Card[] {
  return card.replaces ? [card, ...withReplaced(card.replaces)] : [card];
}

/** The used amount of a period: authorised and cleared payments, minus refunds. */
export function usedMinor(
  { transactions }: Company,
  card: Card,
  period: Period | "rolling",
  nowMs: number,
): number {
  const line = new Set(withReplaced(card).map(({ id }) => id));
  const start = startOf(period, nowMs);
  const counted = transactions.filter(
    ({ card, status, spentMs }) =>
      card && line.has(card.id) && (status === "pending" || status === "completed") && spentMs >= start,
  );
  const sum = counted.reduce(
    (total, { type, amountMinor }) => total + (type === "card_refund" ? -amountMinor : amountMinor),
    0,
  );
  return Math.max(0, sum);
}

export function heldMinor({ transactions }: Company, account: Account): number {
  return transactions
    .filter(({ accountId, status }) => accountId === account.id && status === "pending")
    .reduce((total, { amountMinor }) => total + amountMinor, 0);
}

/** The reason to decline a payment, in the order of the checks; undefined if it is authorised. */
export function declineReason(
  company: Company,
  card: Card,
  account: Account,
  amountMinor: number,
  nowMs: number,
): string | undefined {
  const wouldUse = (period: Period | "rolling") => usedMinor(company, card, period, nowMs) + amountMinor;
  if (card.status === "inactive") return "card_not_active";
  if (card.status !== "active") return `card_${card.status}`;
  if (company.status !== "active") return "company_not_active";
  if (account.status === "closed") return "account_closed";
  const isOver =
    amountMinor > caps.purchase || wouldUse("daily") > caps.daily || wouldUse("rolling") > caps.rolling;
  if (isOver) return "card_limit_exceeded";
  if (card.limit && wouldUse(card.limit.period) > card.limit.amountMinor) return "spending_limit_exceeded";
  const isShort = amountMinor > account.balanceMinor - heldMinor(company, account);
  return isShort ? "insufficient_funds" : undefined;
}
