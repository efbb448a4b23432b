import { assumed, type ContractPoint } from "./point.ts";

/** What moved on the company's accounts: the spec names the area, and shows no shape (§1, §4). */
export const transactionPoints = {
  "transactions.listed": assumed(
    ["listTransactions"],
    200,
    "§1, §4",
    "The company's transactions, as far as the member sees them",
  ),
  "transactions.query_invalid": assumed(
    ["listTransactions"],
    400,
    "§4",
    "A filter, the limit or the cursor is not valid",
    "invalid_request",
  ),
  "transactions.shown": assumed(["getTransaction"], 200, "§1, §4", "One transaction"),
  "transactions.not_found": assumed(
    ["getTransaction"],
    404,
    "§4",
    "No such transaction in this company, or none that the member sees",
    "not_found",
  ),
} satisfies Record<string, ContractPoint>;
