import type { Handler } from "hono";
import * as z from "zod";
import { accountId, cardId, transactionId } from "../../contract/identifiers.ts";
import { transactionDirection, transactionStatus, transactionType } from "../../contract/transaction.ts";
import { SandboxError } from "../../core/errors.ts";
import { parseDecimal } from "../../core/money.ts";
import { reachOf } from "../../core/permissions.ts";
import type { Caller } from "../../core/ports.ts";
import { transactionOf } from "../../core/transaction.ts";
import { answer } from "../answer.ts";
import type { HttpEnv, HttpServices } from "../http-services.ts";
import { once, pageOf, readListQuery, several } from "../list-query.ts";

const instant = z.iso
  .datetime({
    offset: true,
    error: "must be an ISO 8601 instant with its offset, such as 2026-03-10T00:00:00Z",
  })
  .transform((text) => Date.parse(text));

const amount = z
  .string()
  .regex(/^[0-9]{1,13}(\.[0-9]{1,2})?$/, "must be a decimal with up to two places, such as 12.50")
  .transform((text) => Number(parseDecimal(text)));

/** By when it was made: `from` is included, `to` is not. Amounts are of the account's currency. */
const filters = {
  account_id: once(accountId),
  card_id: once(cardId),
  type: several(transactionType),
  status: several(transactionStatus),
  direction: once(transactionDirection),
  from: once(instant),
  to: once(instant),
  min_amount: once(amount),
  max_amount: once(amount),
};

/** `GET /developer/transactions`. */
export function listTransactions(services: HttpServices): Handler<HttpEnv> {
  return (c) => {
    const caller = c.get("caller");
    const memberPk = seenThroughCardsOf(caller);
    const scope = `${caller.companyId}/${memberPk ?? ""}`;
    const query = readListQuery(c, filters, scope, "transactions.query_invalid");
    const { from, to, min_amount, max_amount, ...rest } = query.filters;
    const rows = services.store.transactions.list(caller.companyPk, {
      ...rest,
      memberPk,
      fromMs: from,
      toMs: to,
      minMinor: min_amount,
      maxMinor: max_amount,
      beforePk: query.after,
      limit: query.limit + 1,
    });
    return answer(services, c, "transactions.listed", pageOf(rows, query, transactionOf));
  };
}

/** `GET /developer/transactions/{id}`. */
export function getTransaction(services: HttpServices): Handler<HttpEnv> {
  return (c) => {
    const caller = c.get("caller");
    const id = transactionId.safeParse(c.req.param("id")).data;
    const found = id && services.store.transactions.byId(caller.companyPk, id, seenThroughCardsOf(caller));
    if (found) return answer(services, c, "transactions.shown", transactionOf(found));
    throw new SandboxError(
      "transactions.not_found",
      `transaction ${c.req.param("id")} was not found in this company`,
    );
  };
}

/** The member itself where it sees its own cards' transactions alone. */
function seenThroughCardsOf({ role, memberPk }: Caller): number | undefined {
  return reachOf(role, "view_transactions") === "own" ? memberPk : undefined;
}
