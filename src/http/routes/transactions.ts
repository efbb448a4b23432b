import { transactionId } from "../../contract/identifiers.ts";
import { transactionFilters } from "../../contract/list-filters.ts";
import { transactionOf } from "../../payments/transaction.ts";
import { reachOf } from "../../rules/company.ts";
import { SandboxError } from "../../rules/errors.ts";
import type { Caller } from "../../store/callers.ts";
import { pageOfTransactions, transactionOfCompany } from "../../store/transactions.ts";
import { answer } from "../answer.ts";
import type { HttpServices } from "../http-services.ts";
import type { Route } from "../in-order.ts";
import { pageOf, readListQuery } from "../list-query.ts";

/** `GET /developer/transactions`. */
export function listTransactions(services: HttpServices): Route {
  return (c) => {
    const caller = c.get("caller");
    const memberPk = seenThroughCardsOf(caller);
    const scope = `${caller.companyId}/${memberPk ?? ""}`;
    const query = readListQuery(c, transactionFilters, scope, "transactions.query_invalid");
    const { from, to, min_amount, max_amount, ...rest } = query.filters;
    const rows = pageOfTransactions(services.database, caller.companyPk, {
      ...rest,
      memberPk,
      fromMs: from,
      toMs: to,
      minMinor: min_amount,
      maxMinor: max_amount,
      before: query.after,
      limit: query.limit + 1,
    });
    return answer(services, c, "transactions.listed", pageOf(rows, query, transactionOf));
  };
}

/** `GET /developer/transactions/{id}`. */
export function getTransaction(services: HttpServices): Route {
  return (c) => {
    const caller = c.get("caller");
    const id = transactionId.safeParse(c.req.param("id")).data;
    const found =
      id && transactionOfCompany(services.database, caller.companyPk, id, seenThroughCardsOf(caller));
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
