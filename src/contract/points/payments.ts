import { assumed, type PointText } from "./point.ts";

/** Accounts, companies, transactions and invoices: the spec names them, and shows no shape (§1, §4). */
export const paymentPoints = {
  "accounts.listed": assumed(200, "§1, §4", "The company's accounts with their balances"),
  "accounts.query_invalid": assumed(
    400,
    "§4",
    "A parameter, the limit or the cursor is not valid",
    "invalid_request",
  ),
  "accounts.shown": assumed(200, "§1, §4", "One account"),
  "accounts.not_found": assumed(404, "§4", "No such account in this company", "not_found"),

  "companies.listed": assumed(200, "§4", "The companies that the member belongs to"),
  "companies.query_invalid": assumed(
    400,
    "§4",
    "A parameter, the limit or the cursor is not valid",
    "invalid_request",
  ),

  "transactions.listed": assumed(200, "§1, §4", "The company's transactions, as far as the member sees them"),
  "transactions.query_invalid": assumed(
    400,
    "§4",
    "A filter, the limit or the cursor is not valid",
    "invalid_request",
  ),
  "transactions.shown": assumed(200, "§1, §4", "One transaction"),
  "transactions.not_found": assumed(
    404,
    "§4",
    "No such transaction in this company, or none that the member sees",
    "not_found",
  ),

  "invoices.listed": assumed(200, "§1, §4", "The service's invoices to the company"),
  "invoices.query_invalid": assumed(
    400,
    "§4",
    "A filter, the limit or the cursor is not valid",
    "invalid_request",
  ),
  "invoices.shown": assumed(200, "§1, §4", "One invoice"),
  "invoices.not_found": assumed(404, "§4", "No such invoice to this company", "not_found"),
} satisfies Record<string, PointText>;
