import { assumed, type PointText, specified } from "./point.ts";

/** Ordering a physical card (spec §4). */
export const orderPoints = {
  "order.created": specified(201, "§3, §4", "Creates the card, which is active immediately"),
  "order.replayed": specified(
    201,
    "§4",
    "Returns the original card when the key was already used for the same order; its status code is assumed",
    undefined,
    ["status"],
  ),
  "order.replayed_with_other_body": assumed(
    201,
    "§4",
    "Returns the original card when the key was already used for a different order",
  ),
  "order.key_reused": assumed(422, "§4", "The key was already used for a different order"),

  "order.on_behalf_of_required": assumed(
    400,
    "§5.7",
    "X-On-Behalf-Of is required but missing; the specification does not show whether it applies to orders",
  ),
  "order.on_behalf_of_invalid": assumed(400, "§5.7", "X-On-Behalf-Of is not a UUID"),
  "order.on_behalf_of_not_a_member": assumed(
    403,
    "§5.7",
    "The member does not belong to the company in X-On-Behalf-Of",
    "forbidden",
  ),

  "order.forbidden": specified(
    403,
    "§4, §7",
    "The role of the member does not include the permission issue_cards",
    "forbidden",
  ),
  "order.not_entitled": assumed(403, "§5.6", "The company is not entitled to use cards", "forbidden"),

  "order.content_type_invalid": assumed(400, "§4", "Content-Type is not application/json"),
  "order.idempotency_key_missing": specified(400, "§4", "Idempotency-Key is missing"),
  "order.idempotency_key_invalid": specified(400, "§4", "Idempotency-Key is not a UUID"),
  "order.body_too_large": assumed(400, "§4", "The body is larger than 64 KiB"),
  "order.body_not_json": specified(400, "§4", "The body is not a JSON object"),
  "order.account_id_invalid": specified(400, "§4", "account_id is missing or not a UUID"),
  "order.pin_invalid": specified(400, "§4, §8", "pin is missing or not a string of four digits"),
  "order.unknown_field": assumed(400, "§4", "The body has a field that the operation does not know"),
  "order.name_blank": assumed(400, "§4", "name is blank"),
  "order.name_too_long": assumed(400, "§4", "name is too long"),
  "order.pin_weak": assumed(400, "§4, §7", "The PIN is easy to guess"),
  "order.delivery_address_invalid": specified(
    400,
    "§2, §8",
    "A field of delivery_address is missing, not a string, or too long",
  ),
  "order.country_code_invalid": specified(
    400,
    "§2",
    "country_code is not an assigned ISO 3166-1 alpha-2 code",
  ),
  "order.delivery_method_invalid": specified(
    400,
    "§4",
    "delivery_method is missing or not classic, express or international",
  ),
  "order.name_invalid": specified(400, "§4", "name is not a string"),
  "order.auto_convert_invalid": specified(400, "§4", "auto_convert is not a boolean"),
  "order.spending_limit_invalid": specified(
    400,
    "§2",
    "spending_limit is not an object, or its period is missing or unknown",
  ),
  "order.spending_limit_amount_invalid": specified(
    400,
    "§2, §4",
    "The amount of the spending limit is not a decimal above 0 with at most two decimal places",
  ),
  "order.spending_limit_amount_too_large": assumed(
    400,
    "§2",
    "The amount of a lifetime limit is above 9999999999999.99, a limit of the sandbox",
  ),
  "order.spending_limit_over_cap": specified(
    400,
    "§2, §8",
    "The amount of the spending limit is above the card limit",
  ),
  "order.address_field_blank": assumed(400, "§2", "line1 is blank"),
  "order.address_field_required": assumed(400, "§2", "An address field that the country requires is missing"),
  "order.post_code_format": assumed(400, "§2", "The post code does not have the format of the country"),
  "order.delivery_method_not_offered": assumed(
    400,
    "§4",
    "The delivery method is not available in the country",
  ),

  "order.invalid_request": specified(
    400,
    "§4",
    "The service rejects the request for a reason that the specification does not list (only when a scenario fires)",
  ),

  "order.account_not_found": specified(404, "§4", "The company does not have this account"),
  "order.key_in_progress": assumed(409, "§4", "The first order with this key is still in progress"),
  "order.change_in_progress": specified(409, "§3, §4", "Another change is in progress"),

  "order.company_inactive": specified(422, "§7", "The company is not active"),
  "order.account_closed": specified(422, "§7", "The account is closed"),
  "order.company_details_missing": specified(422, "§7", "The company's details are incomplete"),
  "order.cardholder_details_missing": specified(422, "§7", "The cardholder's details are incomplete"),
  "order.country_undeliverable": specified(422, "§7", "Cards cannot be delivered to the country"),
  "order.quota_reached": specified(422, "§7, §8", "The company has reached its card quota"),
  "order.issuer_rejected": specified(422, "§7", "The card issuer rejects the request"),
  "order.issuer_bad_gateway": specified(502, "§7", "The card issuer sends no valid response"),
  "order.issuer_unavailable": specified(503, "§7", "The card issuer is unavailable"),
} satisfies Record<string, PointText>;
