import { assumed, type PointText } from "./point.ts";

/** Accounts, companies, transactions and invoices, which the spec names but does not show (§1, §4). */
export const paymentPoints = {
  "accounts.listed": assumed(200, "§1, §4", "Returns the company's accounts with their balances"),
  "accounts.query_invalid": assumed(
    400,
    "§4",
    "A query parameter is unknown or not valid",
    "invalid_request",
  ),
  "accounts.shown": assumed(200, "§1, §4", "Returns one account"),
  "accounts.not_found": assumed(404, "§4", "The account does not exist in this company", "not_found"),

  "companies.listed": assumed(200, "§4", "Returns the companies that the member belongs to"),
  "companies.query_invalid": assumed(
    400,
    "§4",
    "A query parameter is unknown or not valid",
    "invalid_request",
  ),

  "transactions.listed": assumed(200, "§1, §4", "Returns the company's transactions that the member may see"),
  "transactions.query_invalid": assumed(
    400,
    "§4",
    "A filter, the limit or the cursor is not valid",
    "invalid_request",
  ),
  "transactions.shown": assumed(200, "§1, §4", "Returns one transaction"),
  "transactions.not_found": assumed(
    404,
    "§4",
    "The transaction does not exist in this company, or the member may not see it",
    "not_found",
  ),

  "invoices.listed": assumed(200, "§1, §4", "Returns the invoices of the company"),
  "invoices.query_invalid": assumed(
    400,
    "§4",
    "A filter, the limit or the cursor is not valid",
    "invalid_request",
  ),
  "invoices.shown": assumed(200, "§1, §4", "Returns one invoice"),
  "invoices.not_found": assumed(404, "§4", "The invoice does not exist in this company", "not_found"),
} satisfies Record<string, PointText>;
