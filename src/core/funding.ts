import type { AccountId } from "../contract/identifiers.ts";
import { companyNow } from "./clock.ts";
import { SimulationRefused } from "./errors.ts";
import { book } from "./ledger.ts";
import type { TransactionRecord } from "./ledger-ports.ts";
import type { Services } from "./services.ts";

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
  const { database, store, clock } = services;
  return database.transaction(() => {
    const account = store.accounts.anywhere(accountId);
    if (!account) throw new SimulationRefused("unknown", `account_id: there is no account ${accountId}`);
    if (account.status === "closed") {
      throw new SimulationRefused("conflict", `account_id: account ${accountId} is closed`);
    }
    const nowMs = companyNow(clock, store.companies.clockOffset(account.companyPk));
    const direction = type === "topup" ? "credit" : "debit";
    return book(services, account, { type, direction, amountMinor }, nowMs);
  });
}
