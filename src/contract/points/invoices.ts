import { assumed, type ContractPoint } from "./point.ts";

/** What the service charges the company for: the spec names the operation, and shows no shape (§4). */
export const invoicePoints = {
  "invoices.listed": assumed(["listInvoices"], 200, "§1, §4", "The service's invoices to the company"),
  "invoices.query_invalid": assumed(
    ["listInvoices"],
    400,
    "§4",
    "A filter, the limit or the cursor is not valid",
    "invalid_request",
  ),
  "invoices.shown": assumed(["getInvoice"], 200, "§1, §4", "One invoice"),
  "invoices.not_found": assumed(["getInvoice"], 404, "§4", "No such invoice to this company", "not_found"),
} satisfies Record<string, ContractPoint>;
