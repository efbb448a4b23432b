import { assumed, type PointText } from "./point.ts";

const unavailable = "The sandbox cannot use its database (an error of the sandbox, not of the service)";

/** Errors that occur before the operation is known, and errors of the sandbox itself. */
export const gatewayPoints = {
  "gateway.bad_request": assumed(
    400,
    "§7",
    "The request line or the Host header is not valid",
    "bad_request",
  ),
  "gateway.request_timeout": assumed(
    408,
    "§7",
    "The headers did not arrive within 20 s, or the complete request did not arrive within 60 s",
    "request_timeout",
  ),
  "gateway.content_too_large": assumed(
    413,
    "§7",
    "The chunk extensions of the body are larger than 16 KiB",
    "content_too_large",
  ),
  "gateway.expectation_failed": assumed(
    417,
    "§7",
    "The Expect header is not 100-continue",
    "expectation_failed",
  ),
  "gateway.headers_too_large": assumed(
    431,
    "§7",
    "The request line and the headers are larger than 16 KiB",
    "headers_too_large",
  ),
  "gateway.rate_limited": assumed(
    429,
    "§8",
    "The client sends too many requests; Retry-After shows when to retry",
    "rate_limited",
  ),
  "gateway.scenario_unknown": assumed(
    400,
    "§4",
    "The selected scenario does not exist or cannot fire on the operation (an error of the sandbox, not of the service)",
  ),
  "gateway.not_found": assumed(404, "§4, §7", "The path does not exist", "not_found"),
  "gateway.method_not_allowed": assumed(
    405,
    "§4, §7",
    "The path does not support the method",
    "method_not_allowed",
  ),
  "gateway.internal_error": assumed(
    500,
    "§7",
    "Internal error of the sandbox (a bug in card-sandbox, not an error of the service)",
    "internal_error",
  ),
  "gateway.unavailable": assumed(503, "§7", unavailable, "unavailable"),
  "gateway.cards_unavailable": assumed(503, "§7", `${unavailable}. The body is a CardError`),
  "gateway.not_specified": assumed(
    501,
    "§4",
    "The specification does not show the operation, and the sandbox runs with --assumed off",
    "not_specified",
  ),
} satisfies Record<string, PointText>;
