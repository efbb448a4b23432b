import { areaOperations, developerOperations, isCardPath, operations } from "../operations.ts";
import { assumed, type ContractPoint, specified, variant } from "./point.ts";

/** The order has points of its own for the same. */
const others = developerOperations.filter((id) => id !== "orderPhysicalCard");
const outsideCards = others.filter((id) => !isCardPath(operations[id].path));

/** Who calls, for which company, and whether that member may (spec §5). */
export const accessPoints = {
  "auth.token_missing": specified(
    "developer",
    401,
    "§4, §5, §7",
    "No usable Bearer token was sent",
    "unauthorized",
  ),
  "auth.token_invalid": specified(
    "developer",
    401,
    "§5, §7",
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

  "on_behalf_of.required": variant(
    outsideCards,
    400,
    "§5.7",
    "X-On-Behalf-Of is required and was not sent",
    "invalid_request",
  ),
  "on_behalf_of.invalid": variant(
    outsideCards,
    400,
    "§5.7",
    "X-On-Behalf-Of is not a UUID",
    "invalid_request",
  ),
  "on_behalf_of.not_a_member": variant(
    others,
    403,
    "§5.7",
    "The member does not belong to the company acted for",
    "forbidden",
  ),

  "access.forbidden": assumed(others, 403, "§5.6, §7", "The member's role lacks the permission", "forbidden"),
  "access.not_entitled": assumed(
    others.filter((id) => areaOperations.includes(id)),
    403,
    "§5.6",
    "The company is not entitled to the operation",
    "forbidden",
  ),
} satisfies Record<string, ContractPoint>;
