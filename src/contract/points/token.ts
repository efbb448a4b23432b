import { assumed, type ContractPoint, type PointScope, specified } from "./point.ts";

const token: PointScope = ["exchangeSandboxKey", "exchangeLiveKey"];

/** The token endpoints (spec §4, §5). */
export const tokenPoints = {
  "token.issued": specified(
    token,
    200,
    "§2, §4, §5",
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
} satisfies Record<string, ContractPoint>;
