import type { AccountId } from "../contract/identifiers.ts";
import { companyNow } from "../rules/clock.ts";
import { SimulationRefused } from "../rules/errors.ts";
import type { Services } from "../runtime/services.ts";
import { findAccount } from "../store/accounts.ts";
import { clockOffsetOf } from "../store/companies.ts";
import type { TransactionRecord } from "../store/transactions.ts";
import { book } from "./ledger.ts";

/**
 * Pays money into an account, or charges it a fee, which may leave it below zero.
 * @throws SimulationRefused where there is no such account, it is closed, or its currency has no rate here
 */
export function fund(
  services: Services,
  type: "topup" | "fee",
  accountId: AccountId,
  amountMinor: number,
): TransactionRecord {
  const { database, clock } = services;
  return database.transaction(() => {
    const account = findAccount(database, accountId);
    if (!account) throw new SimulationRefused("unknown", `account_id: there is no account ${accountId}`);
    if (account.status === "closed") {
      throw new SimulationRefused("conflict", `account_id: account ${accountId} is closed`);
    }
    const nowMs = companyNow(clock, clockOffsetOf(database, account.companyPk));
    const direction = type === "topup" ? "credit" : "debit";
    return book(services, account, { type, direction, amountMinor }, nowMs);
  });
}
