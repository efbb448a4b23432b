import { accountId, invoiceId, transactionId } from "../../contract/identifiers.ts";
import { invoiceFilters, noFilters, transactionFilters } from "../../contract/list.ts";
import { accountOf, companyOf } from "../../payments/account.ts";
import { invoiceOf } from "../../payments/invoice.ts";
import { transactionOf } from "../../payments/ledger.ts";
import { reachOf } from "../../rules/company.ts";
import { SandboxError } from "../../rules/errors.ts";
import { daysLater } from "../../rules/uk-calendar.ts";
import { accountOfCompany, pageOfAccounts } from "../../store/accounts.ts";
import type { Caller } from "../../store/callers.ts";
import { companiesOfMember } from "../../store/companies.ts";
import { invoiceOfCompany, pageOfInvoices } from "../../store/invoices.ts";
import { pageOfTransactions, transactionOfCompany } from "../../store/transactions.ts";
import type { Route } from "../context.ts";
import { pageOf, readListQuery, respondPage } from "../list-query.ts";
import { respond } from "../respond.ts";

/** `GET /developer/accounts`. */
export const listAccounts: Route = (services, c) => {
  const { companyPk, companyId } = c.get("caller");
  const query = readListQuery(services, c, noFilters, companyId, "accounts.query_invalid");
  const isOpenOnly = query.contract.choices["accounts.closed_listed"] === "no";
  const rows = pageOfAccounts(services.database, companyPk, query.page, isOpenOnly);
  return respondPage(services, c, "accounts.listed", pageOf(rows, query, accountOf));
};

/** `GET /developer/accounts/{id}`. */
export const getAccount: Route = (services, c) => {
  const id = accountId.safeParse(c.req.param("id")).data;
  const found = id && accountOfCompany(services.database, c.get("caller").companyPk, id);
  if (found) return respond(services, c, "accounts.shown", accountOf(found));
  throw new SandboxError("accounts.not_found", `Account ${c.req.param("id")} was not found in this company`);
};

/** `GET /developer/companies`: the companies that the member belongs to, with any role. */
export const listCompanies: Route = (services, c) => {
  const { memberPk, memberId } = c.get("caller");
  const query = readListQuery(services, c, noFilters, memberId, "companies.query_invalid");
  const rows = companiesOfMember(services.database, memberPk, query.page);
  return respondPage(services, c, "companies.listed", pageOf(rows, query, companyOf));
};

/** `GET /developer/transactions`. */
export const listTransactions: Route = (services, c) => {
  const caller = c.get("caller");
  const memberPk = onlyMemberOf(caller);
  const scope = `${caller.companyId}/${memberPk ?? ""}`;
  const query = readListQuery(services, c, transactionFilters, scope, "transactions.query_invalid");
  const { from, to, min_amount, max_amount, status, ...rest } = query.filters;
  const { choices } = query.contract;
  const rows = pageOfTransactions(services.database, caller.companyPk, {
    ...rest,
    memberPk,
    status: status ?? (choices["transactions.listed_statuses"] === "completed" ? ["completed"] : undefined),
    fromMs: from,
    toMs: to !== undefined && choices["lists.period_end"] === "inclusive" ? to + 1 : to,
    minMinor: min_amount,
    maxMinor: max_amount,
    ...query.page,
  });
  return respondPage(services, c, "transactions.listed", pageOf(rows, query, transactionOf));
};

/** `GET /developer/transactions/{id}`. */
export const getTransaction: Route = (services, c) => {
  const caller = c.get("caller");
  const id = transactionId.safeParse(c.req.param("id")).data;
  const found = id && transactionOfCompany(services.database, caller.companyPk, id, onlyMemberOf(caller));
  if (found) return respond(services, c, "transactions.shown", transactionOf(found));
  throw new SandboxError(
    "transactions.not_found",
    `Transaction ${c.req.param("id")} was not found in this company`,
  );
};

/** The member, if it sees only the transactions of its own cards; otherwise undefined. */
function onlyMemberOf({ role, memberPk }: Caller): number | undefined {
  return reachOf(role, "view_transactions") === "own" ? memberPk : undefined;
}

/** `GET /developer/company/invoices`. */
export const listInvoices: Route = (services, c) => {
  const { companyPk, companyId } = c.get("caller");
  const query = readListQuery(services, c, invoiceFilters, companyId, "invoices.query_invalid");
  const { status, from, to } = query.filters;
  const { choices } = query.contract;
  const rows = pageOfInvoices(services.database, companyPk, {
    status: status ?? (choices["invoices.void_listed"] === "no" ? ["open", "paid"] : undefined),
    from,
    to: to !== undefined && choices["lists.period_end"] === "inclusive" ? daysLater(to, 1) : to,
    ...query.page,
  });
  return respondPage(services, c, "invoices.listed", pageOf(rows, query, invoiceOf));
};

/** `GET /developer/company/invoices/{id}`. */
export const getInvoice: Route = (services, c) => {
  const id = invoiceId.safeParse(c.req.param("id")).data;
  const found = id && invoiceOfCompany(services.database, c.get("caller").companyPk, id);
  if (found) return respond(services, c, "invoices.shown", invoiceOf(found));
  throw new SandboxError("invoices.not_found", `Invoice ${c.req.param("id")} was not found in this company`);
};
