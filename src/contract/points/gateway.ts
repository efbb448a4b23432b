import { assumed, type PointText } from "./point.ts";

const unavailable =
  "The sandbox cannot use its database, whose disk is full, say: the machine's trouble, never the contract";

/** Errors before any operation, and errors of the sandbox itself. */
export const gatewayPoints = {
  "gateway.bad_request": assumed(
    400,
    "§7",
    "The request line or the Host header cannot be read",
    "bad_request",
  ),
  "gateway.request_timeout": assumed(
    408,
    "§7",
    "The headers did not arrive within 20 s, or the request did not arrive within 60 s",
    "request_timeout",
  ),
  "gateway.content_too_large": assumed(
    413,
    "§7",
    "The extensions of the body's chunks are over 16 KiB",
    "content_too_large",
  ),
  "gateway.expectation_failed": assumed(
    417,
    "§7",
    "The Expect header is not 100-continue: leave it out",
    "expectation_failed",
  ),
  "gateway.headers_too_large": assumed(
    431,
    "§7",
    "The request line and its headers are over 16 KiB",
    "headers_too_large",
  ),
  "gateway.rate_limited": assumed(
    429,
    "§8",
    "Too many requests; Retry-After says when to come back",
    "rate_limited",
  ),
  "gateway.scenario_unknown": assumed(
    400,
    "§4",
    "The request chooses a scenario that is not there, or cannot strike it: the tester's slip, never the contract",
  ),
  "gateway.not_found": assumed(404, "§4, §7", "No such path", "not_found"),
  "gateway.method_not_allowed": assumed(
    405,
    "§4, §7",
    "The path does not serve this method",
    "method_not_allowed",
  ),
  "gateway.internal_error": assumed(
    500,
    "§7",
    "The sandbox itself failed: a defect, never the contract",
    "internal_error",
  ),
  "gateway.unavailable": assumed(503, "§7", unavailable, "unavailable"),
  "gateway.cards_unavailable": assumed(503, "§7", `${unavailable}; with the card operations' body`),
  "gateway.not_specified": assumed(
    501,
    "§4",
    "The spec does not show this operation, and the sandbox was started to serve none such",
    "not_specified",
  ),
} satisfies Record<string, PointText>;
