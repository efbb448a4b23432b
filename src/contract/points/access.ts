import { assumed, type PointText, specified, variant } from "./point.ts";

/** The spec requires the status 401, but does not show its body (§4). */
const bodyNotShown = ["envelope"] as const;

/** The token endpoints (spec §4, §5), and the authentication and permissions of a caller (spec §5). */
export const accessPoints = {
  "token.issued": specified(
    200,
    "§2, §4, §5",
    "Returns an access token for an active API key of an active member; the status code 200 is assumed",
    undefined,
    ["status"],
  ),
  "token.invalid_request": assumed(
    400,
    "§4, §7",
    "The body is not a JSON object with a non-empty string api_key",
    "invalid_request",
  ),
  "token.key_unknown": assumed(401, "§5, §7", "The API key does not exist", "invalid_api_key"),
  "token.key_revoked": assumed(401, "§5.4, §7", "The API key is revoked", "invalid_api_key"),
  "token.environment_mismatch": assumed(
    401,
    "§4, §5.3, §7",
    "The API key belongs to the other environment",
    "invalid_api_key",
  ),
  "token.member_inactive": assumed(
    401,
    "§5.1, §7",
    "The member who owns the API key is not active",
    "invalid_api_key",
  ),

  "token.unavailable": assumed(503, "§4, §7", "The token endpoint is temporarily unavailable", "unavailable"),

  "auth.token_missing": specified(
    401,
    "§4, §5, §7",
    "The request has no Bearer token",
    "unauthorized",
    bodyNotShown,
  ),
  "auth.token_invalid": specified(
    401,
    "§5, §7",
    "The access token is not valid",
    "unauthorized",
    bodyNotShown,
  ),
  "auth.token_expired": specified(
    401,
    "§5.2, §7",
    "The access token has expired",
    "unauthorized",
    bodyNotShown,
  ),
  "auth.api_key_as_bearer": specified(
    401,
    "§5.1, §7",
    "The Bearer token is an API key, not an access token",
    "unauthorized",
    bodyNotShown,
  ),
  "auth.environment_mismatch": specified(
    401,
    "§5.3, §7",
    "The access token belongs to an environment that this base URL does not serve",
    "unauthorized",
    bodyNotShown,
  ),

  "on_behalf_of.required": variant(400, "§5.7", "X-On-Behalf-Of is required but missing", "invalid_request"),
  "on_behalf_of.invalid": variant(400, "§5.7", "X-On-Behalf-Of is not a UUID", "invalid_request"),
  "on_behalf_of.not_a_member": variant(
    403,
    "§5.7",
    "The member does not belong to the company in X-On-Behalf-Of",
    "forbidden",
  ),

  "access.forbidden": assumed(
    403,
    "§5.6, §7",
    "The role of the member does not include the required permission",
    "forbidden",
  ),
  "access.not_entitled": assumed(
    403,
    "§5.6",
    "The company is not entitled to use the operation",
    "forbidden",
  ),
} satisfies Record<string, PointText>;
