import { accountId } from "../../contract/identifiers.ts";
import { noFilters } from "../../contract/list-filters.ts";
import { accountOf, companyOf } from "../../payments/account.ts";
import { SandboxError } from "../../rules/errors.ts";
import { accountOfCompany, pageOfAccounts } from "../../store/accounts.ts";
import { companiesOfMember } from "../../store/companies.ts";
import { answer } from "../answer.ts";
import type { HttpServices } from "../http-services.ts";
import type { Route } from "../in-order.ts";
import { pageOf, readListQuery } from "../list-query.ts";

/** `GET /developer/accounts`. */
export function listAccounts(services: HttpServices): Route {
  return (c) => {
    const { companyPk, companyId } = c.get("caller");
    const query = readListQuery(c, noFilters, companyId, "accounts.query_invalid");
    const rows = pageOfAccounts(services.database, companyPk, {
      before: query.after,
      limit: query.limit + 1,
    });
    return answer(services, c, "accounts.listed", pageOf(rows, query, accountOf));
  };
}

/** `GET /developer/accounts/{id}`. */
export function getAccount(services: HttpServices): Route {
  return (c) => {
    const id = accountId.safeParse(c.req.param("id")).data;
    const found = id && accountOfCompany(services.database, c.get("caller").companyPk, id);
    if (found) return answer(services, c, "accounts.shown", accountOf(found));
    throw new SandboxError(
      "accounts.not_found",
      `account ${c.req.param("id")} was not found in this company`,
    );
  };
}

/** `GET /developer/companies`: those that the member belongs to, whatever its role there. */
export function listCompanies(services: HttpServices): Route {
  return (c) => {
    const { memberPk, memberId } = c.get("caller");
    const query = readListQuery(c, noFilters, memberId, "companies.query_invalid");
    const rows = companiesOfMember(services.database, memberPk, {
      before: query.after,
      limit: query.limit + 1,
    });
    return answer(services, c, "companies.listed", pageOf(rows, query, companyOf));
  };
}
