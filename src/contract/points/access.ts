import { assumed, type PointText, specified, variant } from "./point.ts";

/** The token endpoints (spec §4, §5), who calls, for which company, and whether that member may (spec §5). */
export const accessPoints = {
  "token.issued": specified(
    200,
    "§2, §4, §5",
    "An active key of an active member is exchanged; that it is 200 is assumed",
  ),
  "token.invalid_request": assumed(
    400,
    "§4, §7",
    "The exchange's body is not JSON, or holds no usable api_key",
    "invalid_request",
  ),
  "token.key_unknown": assumed(401, "§5, §7", "No such API key", "invalid_api_key"),
  "token.key_revoked": assumed(401, "§5.4, §7", "A revoked key obtains no new token", "invalid_api_key"),
  "token.environment_mismatch": assumed(
    401,
    "§4, §5.3, §7",
    "The key's environment is not the endpoint's",
    "invalid_api_key",
  ),
  "token.member_inactive": assumed(
    401,
    "§5.1, §7",
    "The key's member is no longer active",
    "invalid_api_key",
  ),

  "token.unavailable": assumed(
    503,
    "§4, §7",
    "The token endpoint is unavailable for the moment",
    "unavailable",
  ),

  "auth.token_missing": specified(401, "§4, §5, §7", "No usable Bearer token was sent", "unauthorized"),
  "auth.token_invalid": specified(
    401,
    "§5, §7",
    "The access token is not one that was issued",
    "unauthorized",
  ),
  "auth.token_expired": specified(401, "§5.2, §7", "The access token has expired", "unauthorized"),
  "auth.api_key_as_bearer": specified(
    401,
    "§5.1, §7",
    "An API key was sent in place of an access token",
    "unauthorized",
  ),
  "auth.environment_mismatch": specified(
    401,
    "§5.3, §7",
    "The token is of the other environment than the base address",
    "unauthorized",
  ),

  "on_behalf_of.required": variant(
    400,
    "§5.7",
    "X-On-Behalf-Of is required and was not sent",
    "invalid_request",
  ),
  "on_behalf_of.invalid": variant(400, "§5.7", "X-On-Behalf-Of is not a UUID", "invalid_request"),
  "on_behalf_of.not_a_member": variant(
    403,
    "§5.7",
    "The member does not belong to the company acted for",
    "forbidden",
  ),

  "access.forbidden": assumed(403, "§5.6, §7", "The member's role lacks the permission", "forbidden"),
  "access.not_entitled": assumed(403, "§5.6", "The company is not entitled to the operation", "forbidden"),
} satisfies Record<string, PointText>;
