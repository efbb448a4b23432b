import type { Clock } from "../rules/clock.ts";
import { accessTokens } from "./access-tokens.ts";
import { accounts } from "./accounts.ts";
import { apiKeys } from "./api-keys.ts";
import { cards } from "./cards.ts";
import { companies } from "./companies.ts";
import type { Database } from "./database.ts";
import { invoices } from "./invoices.ts";
import { members } from "./members.ts";
import { orderWorld } from "./order-world.ts";
import type { CounterKind, Store } from "./ports.ts";
import { transactions } from "./transactions.ts";
import { deliveries } from "./webhook-deliveries.ts";
import { webhooks } from "./webhooks.ts";

const nextNumber = `
  INSERT INTO counters (company_pk, kind, value) VALUES (?, ?, 1)
  ON CONFLICT (company_pk, kind) DO UPDATE SET value = value + 1 RETURNING value`;

/** The store behind core's operations, on a database that has the current schema. */
export function openStore(database: Database, fixtureKeys: boolean, clock: Pick<Clock, "now">): Store {
  return {
    nextNumber(companyPk: number, kind: CounterKind) {
      const row = database.get<{ value: number }>(nextNumber, companyPk, kind);
      if (!row) throw new Error("INSERT … RETURNING value answered no row");
      return row.value;
    },
    apiKeys: apiKeys(database, fixtureKeys),
    accessTokens: accessTokens(database),
    companies: companies(database),
    members: members(database),
    accounts: accounts(database),
    cards: cards(database, clock),
    transactions: transactions(database),
    invoices: invoices(database),
    orderWorld: orderWorld(database, clock),
    webhooks: webhooks(database),
    deliveries: deliveries(database),
  };
}
