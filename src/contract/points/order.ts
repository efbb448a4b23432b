import { assumed, type PointText, specified } from "./point.ts";

/** Ordering a physical card (spec §4). */
export const orderPoints = {
  "order.created": specified(201, "§3, §4", "The card is made and active at once"),
  "order.replayed": specified(
    201,
    "§4",
    "The key was used before for the same order: the original card is returned",
  ),
  "order.replayed_with_other_body": assumed(
    201,
    "§4",
    "The key was used before for another order: the original card is returned anyway",
  ),

  "order.on_behalf_of_required": assumed(
    400,
    "§5.7",
    "X-On-Behalf-Of is required and was not sent; the spec does not show whether it applies to the order",
  ),
  "order.on_behalf_of_invalid": assumed(400, "§5.7", "X-On-Behalf-Of is not a UUID"),
  "order.on_behalf_of_not_a_member": assumed(
    403,
    "§5.7",
    "The member does not belong to the company acted for",
    "forbidden",
  ),

  "order.forbidden": specified(403, "§4, §7", "The member's role lacks issue_cards", "forbidden"),
  "order.not_entitled": assumed(403, "§5.6", "The company is not entitled to the operation", "forbidden"),

  "order.content_type_invalid": assumed(400, "§4", "Content-Type is not application/json"),
  "order.idempotency_key_missing": specified(400, "§4", "No Idempotency-Key was sent"),
  "order.idempotency_key_invalid": specified(400, "§4", "The Idempotency-Key is not a UUID"),
  "order.body_too_large": assumed(400, "§4", "The body is over 64 KiB"),
  "order.body_not_json": specified(400, "§4", "The body is not JSON, or not an object"),
  "order.account_id_invalid": specified(400, "§4", "account_id is missing or not a UUID"),
  "order.pin_invalid": specified(400, "§4, §8", "pin is missing or not four digits"),
  "order.delivery_address_invalid": specified(
    400,
    "§2, §8",
    "A field of delivery_address is missing, of the wrong type, or too long",
  ),
  "order.country_code_invalid": specified(400, "§2", "country_code is no assigned ISO 3166-1 alpha-2 code"),
  "order.delivery_method_invalid": specified(400, "§4", "delivery_method is none of the three"),
  "order.name_invalid": specified(400, "§4", "name is not a string"),
  "order.auto_convert_invalid": specified(400, "§4", "auto_convert is not a boolean"),
  "order.spending_limit_invalid": specified(
    400,
    "§2",
    "spending_limit is no object, or its period is missing or unknown",
  ),
  "order.spending_limit_amount_invalid": specified(
    400,
    "§2, §4",
    "The amount is no decimal above 0 with at most two places",
  ),
  "order.spending_limit_amount_too_large": assumed(
    400,
    "§2",
    "The amount of a lifetime limit is above 9999999999999.99: the sandbox's own bound",
  ),
  "order.spending_limit_over_cap": specified(400, "§2, §8", "The amount is above the card limit"),
  "order.address_field_blank": assumed(400, "§2", "line1 says nothing"),
  "order.address_field_required": assumed(400, "§2", "The country demands a field that is missing"),
  "order.post_code_format": assumed(400, "§2", "The post code is not of the country's form"),
  "order.delivery_method_not_offered": assumed(
    400,
    "§4",
    "The delivery method does not serve the address's zone",
  ),

  "order.invalid_request": specified(400, "§4", "The request is invalid, for a reason of the service's own"),

  "order.account_not_found": specified(404, "§4", "The account is not one of this company"),
  "order.key_in_progress": assumed(409, "§4", "The key's first order is still in progress"),
  "order.change_in_progress": specified(409, "§3, §4", "Another change is in progress"),

  "order.company_inactive": specified(422, "§7", "The company is not active"),
  "order.account_closed": specified(422, "§7", "The account is closed"),
  "order.company_details_missing": specified(422, "§7", "The company's details are incomplete"),
  "order.cardholder_details_missing": specified(422, "§7", "The cardholder's details are incomplete"),
  "order.country_undeliverable": specified(422, "§7", "Cards are not delivered to the country"),
  "order.quota_reached": specified(422, "§7, §8", "The company's quota of live cards is used up"),
  "order.issuer_rejected": specified(422, "§7", "The card issuer rejected the request"),
  "order.issuer_bad_gateway": specified(502, "§7", "The card issuer did not answer properly"),
  "order.issuer_unavailable": specified(503, "§7", "The card issuer is unavailable"),
} satisfies Record<string, PointText>;
