import type { Handler } from "hono";
import * as z from "zod";
import { invoiceId } from "../../contract/identifiers.ts";
import { invoiceStatus } from "../../contract/invoice.ts";
import { SandboxError } from "../../core/errors.ts";
import { invoiceOf } from "../../core/invoice.ts";
import { answer } from "../answer.ts";
import type { HttpEnv, HttpServices } from "../http-services.ts";
import { once, pageOf, readListQuery, several } from "../list-query.ts";

const date = z.iso.date("must be an ISO date, such as 2026-03-01");

/** By the date of issue: `from` is included, `to` is not. */
const filters = { status: several(invoiceStatus), from: once(date), to: once(date) };

/** `GET /developer/company/invoices`. */
export function listInvoices(services: HttpServices): Handler<HttpEnv> {
  return (c) => {
    const { companyPk, companyId } = c.get("caller");
    const query = readListQuery(c, filters, companyId, "invoices.query_invalid");
    const rows = services.store.invoices.list(companyPk, {
      ...query.filters,
      beforePk: query.after,
      limit: query.limit + 1,
    });
    return answer(services, c, "invoices.listed", pageOf(rows, query, invoiceOf));
  };
}

/** `GET /developer/company/invoices/{id}`. */
export function getInvoice(services: HttpServices): Handler<HttpEnv> {
  return (c) => {
    const id = invoiceId.safeParse(c.req.param("id")).data;
    const found = id && services.store.invoices.byId(c.get("caller").companyPk, id);
    if (found) return answer(services, c, "invoices.shown", invoiceOf(found));
    throw new SandboxError(
      "invoices.not_found",
      `invoice ${c.req.param("id")} was not found in this company`,
    );
  };
}
