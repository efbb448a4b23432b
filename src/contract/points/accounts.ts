import { assumed, type ContractPoint } from "./point.ts";

/** The company's accounts, and the companies of the member: the spec names them, and shows no shape (§4). */
export const accountPoints = {
  "accounts.listed": assumed(["listAccounts"], 200, "§1, §4", "The company's accounts with their balances"),
  "accounts.query_invalid": assumed(
    ["listAccounts"],
    400,
    "§4",
    "A parameter, the limit or the cursor is not valid",
    "invalid_request",
  ),
  "accounts.shown": assumed(["getAccount"], 200, "§1, §4", "One account"),
  "accounts.not_found": assumed(["getAccount"], 404, "§4", "No such account in this company", "not_found"),

  "companies.listed": assumed(["listCompanies"], 200, "§4", "The companies that the member belongs to"),
  "companies.query_invalid": assumed(
    ["listCompanies"],
    400,
    "§4",
    "A parameter, the limit or the cursor is not valid",
    "invalid_request",
  ),
} satisfies Record<string, ContractPoint>;
