import type { Transaction } from "../contract/transaction.ts";
import { formatMinor } from "../rules/money.ts";
import type { TransactionRecord } from "../store/transactions.ts";

/** The Transaction of a response. */
export function transactionOf(record: TransactionRecord): Transaction {
  const { runningBalanceMinor, completedAtMs } = record;
  return {
    id: record.id,
    account_id: record.accountId,
    card_id: record.cardId,
    type: record.type,
    status: record.status,
    direction: record.direction,
    amount: formatMinor(record.amountMinor),
    currency: record.currency,
    original_amount: formatMinor(record.originalMinor),
    original_currency: record.originalCurrency,
    exchange_rate: record.exchangeRate,
    running_balance: runningBalanceMinor === null ? null : formatMinor(runningBalanceMinor),
    merchant: record.merchant,
    decline_reason: record.declineReason,
    related_transaction_id: record.relatedId,
    created_at: new Date(record.createdAtMs).toISOString(),
    completed_at: completedAtMs === null ? null : new Date(completedAtMs).toISOString(),
  };
}
