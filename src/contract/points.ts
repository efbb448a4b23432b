import type { OperationId } from "./operations.ts";

/**
 * `specified`: the spec says so. `variant`: the spec describes it as one of two. `assumed`: the spec says
 * "not shown", or leaves it open, and this is what the sandbox does meanwhile.
 */
export type Provenance = "specified" | "variant" | "assumed";

/** Which operations can meet a point: these, everything under `/developer`, or any request. */
export type PointScope = readonly OperationId[] | "developer" | "any";

/** One behaviour that a caller can observe. */
export interface ContractPoint {
  readonly operations: PointScope;
  readonly status: number;
  readonly provenance: Provenance;
  /** The section of the spec that says it, or that leaves it open. */
  readonly spec: string;
  readonly title: string;
  /**
   * The gateway error's `code`; its presence says that the answer is the gateway's envelope. Absent on an
   * error, the body is the CardError; absent on a success, the operation's own.
   */
  readonly code?: string;
}

const pointMaker =
  (provenance: Provenance) =>
  (operations: PointScope, status: number, spec: string, title: string, code?: string): ContractPoint => ({
    operations,
    status,
    provenance,
    spec,
    title,
    ...(code !== undefined && { code }),
  });
const order: PointScope = ["orderPhysicalCard"];
const token: PointScope = ["exchangeSandboxKey", "exchangeLiveKey"];

const specified = pointMaker("specified");
const variant = pointMaker("variant");
const assumed = pointMaker("assumed");

/** Every contract point, by id. Each answer of the service names the one that decided it. */
export const contractPoints = {
  "token.issued": specified(
    token,
    200,
    "§4, §5",
    "An active key of an active member is exchanged; that it is 200 is assumed",
  ),
  "token.invalid_request": assumed(
    token,
    400,
    "§4, §7",
    "The exchange's body is not JSON, or holds no usable api_key",
    "invalid_request",
  ),
  "token.key_unknown": assumed(token, 401, "§5, §7", "No such API key", "invalid_api_key"),
  "token.key_revoked": assumed(
    token,
    401,
    "§5.4, §7",
    "A revoked key obtains no new token",
    "invalid_api_key",
  ),
  "token.environment_mismatch": assumed(
    token,
    401,
    "§4, §5.3, §7",
    "The key's environment is not the endpoint's",
    "invalid_api_key",
  ),
  "token.member_inactive": assumed(
    token,
    401,
    "§5.1, §7",
    "The key's member is no longer active",
    "invalid_api_key",
  ),

  "token.unavailable": assumed(
    token,
    503,
    "§4, §7",
    "The token endpoint is unavailable for the moment",
    "unavailable",
  ),

  "auth.token_missing": specified(
    "developer",
    401,
    "§5.3, §7",
    "No usable Bearer token was sent",
    "unauthorized",
  ),
  "auth.token_invalid": specified(
    "developer",
    401,
    "§5.3, §7",
    "The access token is not one that was issued",
    "unauthorized",
  ),
  "auth.token_expired": specified(
    "developer",
    401,
    "§5.2, §7",
    "The access token has expired",
    "unauthorized",
  ),
  "auth.api_key_as_bearer": specified(
    "developer",
    401,
    "§5.1, §7",
    "An API key was sent in place of an access token",
    "unauthorized",
  ),
  "auth.environment_mismatch": specified(
    "developer",
    401,
    "§5.3, §7",
    "The token is of the other environment than the base address",
    "unauthorized",
  ),

  "on_behalf_of.required": variant("developer", 400, "§5.7", "X-On-Behalf-Of is required and was not sent"),
  "on_behalf_of.invalid": variant("developer", 400, "§5.7", "X-On-Behalf-Of is not a UUID"),
  "on_behalf_of.not_a_member": variant(
    "developer",
    403,
    "§5.7",
    "The member does not belong to the company acted for",
    "forbidden",
  ),

  "order.created": specified(order, 201, "§3, §4", "The card is made and active at once"),
  "order.replayed": specified(
    order,
    201,
    "§4",
    "The key was used before: the original card comes back, whatever the body (assumed)",
  ),

  "order.forbidden": specified(order, 403, "§4, §7", "The member's role lacks issue_cards", "forbidden"),
  "order.not_entitled": assumed(
    order,
    403,
    "§5.6",
    "The company is not entitled to the operation",
    "forbidden",
  ),

  "order.content_type_invalid": specified(order, 400, "§4", "Content-Type is not application/json"),
  "order.idempotency_key_missing": specified(order, 400, "§4", "No Idempotency-Key was sent"),
  "order.idempotency_key_invalid": specified(order, 400, "§4", "The Idempotency-Key is not a UUID"),
  "order.body_too_large": assumed(order, 400, "§4", "The body is over 64 KiB"),
  "order.body_not_json": specified(order, 400, "§4", "The body is not JSON, or not an object"),
  "order.account_id_invalid": specified(order, 400, "§4", "account_id is missing or not a UUID"),
  "order.pin_invalid": specified(order, 400, "§4, §8", "pin is missing or not four digits"),
  "order.delivery_address_invalid": specified(
    order,
    400,
    "§2, §8",
    "A field of delivery_address is missing, of the wrong type, or too long",
  ),
  "order.country_code_invalid": specified(
    order,
    400,
    "§2",
    "country_code is no assigned ISO 3166-1 alpha-2 code",
  ),
  "order.delivery_method_invalid": specified(order, 400, "§4", "delivery_method is none of the three"),
  "order.name_invalid": specified(order, 400, "§4", "name is not a string"),
  "order.auto_convert_invalid": specified(order, 400, "§4", "auto_convert is not a boolean"),
  "order.spending_limit_invalid": specified(
    order,
    400,
    "§2",
    "spending_limit is no object, or its period is missing or unknown",
  ),
  "order.spending_limit_amount_invalid": specified(
    order,
    400,
    "§2, §4",
    "The amount is no decimal above 0 with at most two places",
  ),
  "order.spending_limit_over_cap": specified(order, 400, "§2, §8", "The amount is above the card limit"),
  "order.address_field_blank": assumed(order, 400, "§2", "line1 says nothing"),
  "order.address_field_required": assumed(order, 400, "§2", "The country demands a field that is missing"),
  "order.post_code_format": assumed(order, 400, "§2", "The post code is not of the country's form"),
  "order.delivery_method_not_offered": assumed(
    order,
    400,
    "§4",
    "The delivery method does not serve the address's zone",
  ),

  "order.invalid_request": specified(
    order,
    400,
    "§4",
    "The request is invalid, for a reason of the service's own",
  ),

  "order.account_not_found": specified(order, 404, "§4", "The account is not one of this company"),
  "order.key_in_progress": assumed(order, 409, "§4", "The key's first order is still in progress"),
  "order.change_in_progress": specified(order, 409, "§3, §4", "Another change is in progress"),

  "order.company_inactive": specified(order, 422, "§7", "The company is not active"),
  "order.account_closed": specified(order, 422, "§7", "The account is closed"),
  "order.company_details_missing": specified(order, 422, "§7", "The company's details are incomplete"),
  "order.cardholder_details_missing": specified(order, 422, "§7", "The cardholder's details are incomplete"),
  "order.country_undeliverable": specified(order, 422, "§7", "Cards are not delivered to the country"),
  "order.quota_reached": specified(order, 422, "§7, §8", "The company's quota of live cards is used up"),
  "order.issuer_rejected": specified(order, 422, "§7", "The card issuer rejected the request"),
  "order.issuer_bad_gateway": specified(order, 502, "§7", "The card issuer did not answer properly"),
  "order.issuer_unavailable": specified(order, 503, "§7", "The card issuer is unavailable"),

  "gateway.bad_request": assumed(
    "any",
    400,
    "§7",
    "The request line or the Host header cannot be read",
    "bad_request",
  ),
  "gateway.rate_limited": assumed(
    "any",
    429,
    "§8",
    "Too many requests; Retry-After says when to come back",
    "rate_limited",
  ),
  "gateway.scenario_unknown": assumed(
    "any",
    400,
    "§4",
    "The request chooses a scenario that is not there, or cannot strike it: the tester's slip, never the contract",
  ),
  "gateway.not_found": assumed("any", 404, "§4, §7", "No such path", "not_found"),
  "gateway.method_not_allowed": assumed(
    "any",
    405,
    "§4, §7",
    "The path does not serve this method",
    "method_not_allowed",
  ),
  "gateway.internal_error": assumed(
    "any",
    500,
    "§7",
    "The sandbox itself failed: a defect, never the contract",
    "internal_error",
  ),
} satisfies Record<string, ContractPoint>;

export type PointId = keyof typeof contractPoints;

/** The points whose answer is an error. */
export type ErrorPointId = Exclude<PointId, "token.issued" | "order.created" | "order.replayed">;
