import type { Transaction } from "../../src/contract/transaction.ts";
import { cardOf, type OrderBody, openSandbox, type TestOptions } from "./open-sandbox.ts";

/** Opens a sandbox with a card of northwind's owner, and shorthands for payments with it. */
export async function openMoney({ body = {}, ...options }: TestOptions & { body?: OrderBody } = {}) {
  const sandbox = openSandbox(options);
  const card = cardOf(await sandbox.order({ body }));
  const { simulator } = sandbox.control;
  const pay = (amount: string, more: object = {}): Transaction =>
    simulator.authorise({ card_id: card.id, amount, ...more });
  const setStatus = (status: string) =>
    sandbox.database.run("UPDATE cards SET status = ? WHERE id = ?", status, card.id);
  return {
    ...sandbox,
    card,
    simulator,
    pay,
    setStatus,
    /** The balance of an account, and the available balance. */
    async balances(id: string = card.account_id): Promise<string> {
      const { json } = await sandbox.get(`/developer/accounts/${id}`);
      return `${json.balance} ${json.available_balance}`;
    },
    async shown(id: string): Promise<Transaction> {
      return (await sandbox.get(`/developer/transactions/${id}`)).json;
    },
    /** The used amounts of the card's limits: spending limit, day, 32 days. */
    async used(): Promise<string> {
      const { data } = (await sandbox.get(`/developer/cards?tokens=${card.token}`)).json;
      const { spending_limit, card_limits } = data[0];
      const limits = [spending_limit, card_limits.daily, card_limits.rolling_32_days];
      return limits.map((limit) => limit?.used ?? "-").join(" ");
    },
  };
}
