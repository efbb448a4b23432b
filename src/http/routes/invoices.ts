import { invoiceId } from "../../contract/identifiers.ts";
import { invoiceFilters } from "../../contract/list-filters.ts";
import { invoiceOf } from "../../payments/invoice.ts";
import { SandboxError } from "../../rules/errors.ts";
import { invoiceOfCompany, pageOfInvoices } from "../../store/invoices.ts";
import { answer } from "../answer.ts";
import type { HttpServices } from "../http-services.ts";
import type { Route } from "../in-order.ts";
import { pageOf, readListQuery } from "../list-query.ts";

/** `GET /developer/company/invoices`. */
export function listInvoices(services: HttpServices): Route {
  return (c) => {
    const { companyPk, companyId } = c.get("caller");
    const query = readListQuery(c, invoiceFilters, companyId, "invoices.query_invalid");
    const rows = pageOfInvoices(services.database, companyPk, {
      ...query.filters,
      before: query.after,
      limit: query.limit + 1,
    });
    return answer(services, c, "invoices.listed", pageOf(rows, query, invoiceOf));
  };
}

/** `GET /developer/company/invoices/{id}`. */
export function getInvoice(services: HttpServices): Route {
  return (c) => {
    const id = invoiceId.safeParse(c.req.param("id")).data;
    const found = id && invoiceOfCompany(services.database, c.get("caller").companyPk, id);
    if (found) return answer(services, c, "invoices.shown", invoiceOf(found));
    throw new SandboxError(
      "invoices.not_found",
      `invoice ${c.req.param("id")} was not found in this company`,
    );
  };
}
