import { assumed, type ContractPoint, type PointScope } from "./point.ts";

const one: PointScope = ["getCard"];

/** Cards once they are there: the spec names their operations, and shows none (§4). */
export const cardPoints = {
  "cards.listed": assumed(
    ["listCards"],
    200,
    "§2, §4",
    "The company's cards, as far as the member sees them",
  ),
  "cards.shown": assumed(one, 200, "§2, §4", "One card"),
  "cards.not_found": assumed(one, 404, "§4", "No such card in this company, or none that the member sees"),
  "cards.query_invalid": assumed(["listCards"], 400, "§4", "A filter, the limit or the cursor is not valid"),
} satisfies Record<string, ContractPoint>;
