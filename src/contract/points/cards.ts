import { developerOperations, isCardPath, operations } from "../operations.ts";
import { assumed, type ContractPoint, type PointScope, specified, variant } from "./point.ts";

/** What makes a card beside the specified order. */
const issuing: PointScope = ["replaceCard", "orderVirtualCard"];
/** What changes a card that is there. */
const changing: PointScope = [
  "freezeCard",
  "unfreezeCard",
  "setSpendingLimit",
  "removeSpendingLimit",
  "changeCard",
  "terminateCard",
];
const ofOneCard: PointScope = ["getCard", ...changing, "replaceCard"];
const withBody: PointScope = [
  "setSpendingLimit",
  "changeCard",
  "replaceCard",
  "orderVirtualCard",
  "listDeliveryOptions",
];
/** The card operations other than the specified order. */
const everyOther: PointScope = developerOperations.filter(
  (id) => id !== "orderPhysicalCard" && isCardPath(operations[id].path),
);
const withAddress: PointScope = ["replaceCard", "listDeliveryOptions"];

/** Cards once they are there: the spec names their operations, and shows none (§4). */
export const cardPoints = {
  "cards.listed": assumed(
    ["listCards"],
    200,
    "§2, §4",
    "The company's cards, as far as the member sees them",
  ),
  "cards.shown": assumed(["getCard"], 200, "§2, §4", "One card"),
  "cards.frozen": assumed(["freezeCard"], 200, "§3, §4", "An active card is frozen"),
  "cards.unfrozen": assumed(["unfreezeCard"], 200, "§3, §4", "A frozen card is active again"),
  "cards.spending_limit_set": assumed(
    ["setSpendingLimit"],
    200,
    "§2, §4",
    "The card has the spending limit, in place of the one that it had",
  ),
  "cards.spending_limit_removed": assumed(
    ["removeSpendingLimit"],
    200,
    "§2, §4",
    "The card has no spending limit",
  ),
  "cards.changed": assumed(["changeCard"], 200, "§4", "The card's name or auto_convert is changed"),
  "cards.terminated": assumed(["terminateCard"], 200, "§3, §4", "The card has ended for good"),
  "cards.replaced": assumed(
    ["replaceCard"],
    201,
    "§3, §4",
    "A new card is made and active at once; the old one has ended",
  ),
  "cards.virtual_created": assumed(
    ["orderVirtualCard"],
    201,
    "§2, §4",
    "A virtual card is made and active at once",
  ),
  "cards.replayed": assumed(
    issuing,
    201,
    "§4",
    "The key was used before: the card that it made comes back, whatever the body",
  ),
  "cards.delivery_options_listed": assumed(
    ["listDeliveryOptions"],
    200,
    "§4",
    "The delivery methods that the address supports: none where cards are not delivered to",
  ),
  "cards.on_behalf_of_required": variant(
    everyOther,
    400,
    "§5.7",
    "X-On-Behalf-Of is required and was not sent",
  ),
  "cards.on_behalf_of_invalid": variant(everyOther, 400, "§5.7", "X-On-Behalf-Of is not a UUID"),
  "cards.not_found": assumed(
    ofOneCard,
    404,
    "§4",
    "No such card in this company, or none that the member sees",
  ),
  "cards.query_invalid": assumed(["listCards"], 400, "§4", "A filter, the limit or the cursor is not valid"),
  "cards.content_type_invalid": assumed(withBody, 400, "§4", "Content-Type is not application/json"),
  "cards.idempotency_key_invalid": assumed(
    issuing,
    400,
    "§4",
    "No Idempotency-Key was sent, or one that is not a UUID",
  ),
  "cards.body_invalid": assumed(
    withBody,
    400,
    "§2, §4",
    "The body is not JSON, over 64 KiB, or has a field of the wrong form",
  ),
  "cards.address_field_required": assumed(
    withAddress,
    400,
    "§2",
    "The country demands a field of the address that is missing",
  ),
  "cards.post_code_format": assumed(withAddress, 400, "§2", "The post code is not of the country's form"),
  "cards.delivery_method_not_offered": assumed(
    ["replaceCard"],
    400,
    "§4",
    "The delivery method does not serve the address's zone",
  ),
  "cards.spending_limit_over_cap": assumed(
    ["setSpendingLimit", "orderVirtualCard"],
    400,
    "§2, §8",
    "The amount is above the card limit",
  ),
  "cards.invalid_request": assumed(
    [...changing, ...issuing, "listDeliveryOptions"],
    400,
    "§4",
    "The request is invalid, for a reason of the service's own",
  ),
  "cards.account_not_found": assumed(
    ["orderVirtualCard"],
    404,
    "§4",
    "The account is not one of this company",
  ),
  "cards.key_in_progress": assumed(issuing, 409, "§4", "The key's first request is still in progress"),
  "cards.change_in_progress": specified(
    [...changing, "replaceCard"],
    409,
    "§3",
    "Another change to the card is in progress",
  ),
  "cards.virtual_change_in_progress": assumed(
    ["orderVirtualCard"],
    409,
    "§3, §4",
    "Another change is in progress",
  ),
  "cards.state_conflict": assumed(
    [...changing, "replaceCard"],
    409,
    "§3",
    "The change is not possible in the card's current state; the spec shows 409 but not which states allow which change",
  ),
  "cards.company_inactive": assumed(issuing, 422, "§7", "The company is not active"),
  "cards.account_closed": assumed(issuing, 422, "§7", "The account is closed"),
  "cards.company_details_missing": assumed(issuing, 422, "§7", "The company's details are incomplete"),
  "cards.cardholder_details_missing": assumed(issuing, 422, "§7", "The cardholder's details are incomplete"),
  "cards.country_undeliverable": assumed(
    ["replaceCard"],
    422,
    "§7",
    "Cards are not delivered to the country",
  ),
  "cards.quota_reached": assumed(issuing, 422, "§7, §8", "The company's quota of live cards is used up"),
  "cards.issuer_rejected": assumed(issuing, 422, "§7", "The card issuer rejected the request"),
  "cards.issuer_bad_gateway": assumed(issuing, 502, "§7", "The card issuer did not answer properly"),
  "cards.issuer_unavailable": assumed(issuing, 503, "§7", "The card issuer is unavailable"),
} satisfies Record<string, ContractPoint>;
